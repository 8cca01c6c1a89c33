//! Snapshots of help texts and outputs in `tests/cmd`: their wording and layout (other tests verify the numbers).
//! `TRYCMD=overwrite` updates them.

#[test]
fn outputs_are_as_recorded() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
