//! Snapshots of help texts and outputs in `tests/cmd`, and the console blocks of the tutorial, the how-to pages and the
//! chapters that follow the documents: their wording and layout (other tests verify the numbers). A block marked
//! `console,ignore` is not run; `...` stands for lines left out. `TRYCMD=overwrite` updates them.

#[test]
fn outputs_are_as_recorded() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}

#[test]
fn the_documentation_shows_what_the_command_prints() {
    trycmd::TestCases::new()
        .case("../../docs/tutorial.md")
        .case("../../docs/how-to/*.md")
        .case("../../docs/chapters/*.md");
}
