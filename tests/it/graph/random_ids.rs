//! Ids that Keras draws at random in attributes: another id is a cosmetic change.

use ckdiff::artifact::Form;
use ckdiff::diff::{DiffOptions, Weight, diff};
use ckdiff::progress::Silent;

use crate::support::message_forms::document;

const ID: &str = "lstm_da93e0a5-0b6c-4f7e-9c55-0123456789ab";

/// The weights of the changes of a node and a function whose attribute has these values.
fn weights(attr: &str, (lhs, rhs): (&str, &str)) -> Vec<Weight> {
    let graph = |value: &str| {
        let attr = format!("attr {{ key: '{attr}' value {{ s: '{value}' }} }}");
        let text = format!(
            "node {{ name: 'n' op: 'NoOp' {attr} }} library {{ function {{ signature {{ name: 'f' }} {attr} }} }}"
        );
        document("tensorflow.GraphDef", Form::Text, text.as_bytes()).into()
    };
    let found = diff(&graph(lhs), &graph(rhs), &DiffOptions::default(), &Silent).unwrap();
    found.changes.iter().map(|change| change.weight).collect()
}

#[test]
fn attributes_that_differ_in_a_random_id_are_cosmetic() {
    for (other, weight) in [
        ("lstm_00000000-1111-2222-3333-444444444444", Weight::Cosmetic),
        ("gru_00000000-1111-2222-3333-444444444444", Weight::Semantic),
        ("lstm_00000000-1111-2222-3333-44444444444", Weight::Semantic),
        ("lstm", Weight::Semantic),
        ("", Weight::Semantic),
    ] {
        for pair in [(ID, other), (other, ID)] {
            assert_eq!(weights("api_implements", pair), [weight; 2], "{pair:?}");
        }
    }
}
