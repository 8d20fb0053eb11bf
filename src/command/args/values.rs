//! Values of options: one of several names, a number of rows.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Accepts these names, each of which stands for a value.
// The names are undocumented: clap would spread --help over three pages.
pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<_> = values.into_iter().collect();
    let names = PossibleValuesParser::new(values.iter().map(|(name, _)| *name));
    names.try_map(move |given| {
        let found = values.iter().find(|(name, _)| *name == given);
        found.map(|(_, value)| value.clone()).ok_or("there is no such value")
    })
}

/// Parses a number of rows, or `all`.
pub(super) fn max_rows(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        number => number.parse().map_err(|_| "expected a number, or all".into()),
    }
}
