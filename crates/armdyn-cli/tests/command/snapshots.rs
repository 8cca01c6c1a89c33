//! Snapshots of help texts and outputs in `tests/cmd`; `TRYCMD=overwrite` updates them.

#[test]
fn outputs_are_as_recorded() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
