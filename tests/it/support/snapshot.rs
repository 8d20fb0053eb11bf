//! Snapshots in files.

/// Compares `text` with `snapshots/AREA/NAME.snap`.
pub fn named_snapshot(area: &str, name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../../../snapshots/{area}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
