//! Shortens two long values to the parts that differ.

/// Common characters at an end of two values above which they are abridged.
const COMMON: usize = 12;

/// The maximum number of common characters that are kept to start or end a value with a whole word.
const WORD: usize = 24;

/// Two values, each without its start and end where these are long and equal. What is left starts and ends with a whole part of a
/// name, if that is short: `…/dense_1/kernel → …/dense_2/kernel`.
pub(super) fn apart(lhs: &str, rhs: &str) -> (String, String) {
    // Equal names of different nodes are shown whole.
    if lhs == rhs || lhs.len() + rhs.len() < 4 * COMMON {
        return (lhs.to_owned(), rhs.to_owned());
    }
    let start = lhs.chars().zip(rhs.chars()).take_while(|(a, b)| a == b).count();
    let shorter = lhs.chars().count().min(rhs.chars().count());
    let same_end = lhs.chars().rev().zip(rhs.chars().rev()).take_while(|(a, b)| a == b).count();
    let end = same_end.min(shorter - start);
    let skip = start - kept(lhs.chars().rev().skip(lhs.chars().count() - start), start);
    let stop = end - kept(lhs.chars().skip(lhs.chars().count() - end), end);
    let middle = |text: &str| {
        let kept = text.chars().count() - skip - stop;
        let head = if skip > 0 { "…" } else { "" };
        let tail = if stop > 0 { "…" } else { "" };
        let text: String = text.chars().skip(skip).take(kept).collect();
        format!("{head}{text}{tail}")
    };
    (middle(lhs), middle(rhs))
}

/// The number of common characters that are kept, given from the difference on: up to a `/` if one is near, else up to the end of a
/// word.
fn kept(common: impl Iterator<Item = char>, len: usize) -> usize {
    if len <= COMMON / 2 {
        return len;
    }
    let near: Vec<char> = common.take(WORD).collect();
    let slash = near.iter().position(|&c| c == '/').map(|at| at + 1);
    let word = || near.iter().position(|c| !c.is_alphanumeric());
    slash.or_else(word).unwrap_or(COMMON / 2)
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn values_keep_whole_parts_of_names_where_they_differ() {
        let cases = [
            ("dense", "dense_1", "dense", "dense_1"),
            (
                "gradients/first_layer/hidden/MatMul_grad/tuple",
                "gradients/first_layer/logits/MatMul_grad/tuple",
                "…/hidden/…",
                "…/logits/…",
            ),
            (
                "model_call_and_return_conditional_losses_2081",
                "model_call_and_return_conditional_losses_2467",
                "…2081",
                "…2467",
            ),
            // One value is the start of the other.
            (
                "gradients/first_layer/hidden/MatMul_grad",
                "gradients/first_layer/hidden/MatMul_grad_1",
                "…/MatMul_grad",
                "…/MatMul_grad_1",
            ),
            (
                "0.12345678901234567890123451",
                "0.12345678901234567890123452",
                "…0123451",
                "…0123452",
            ),
        ];
        for (lhs, rhs, l, r) in cases {
            assert_eq!(apart(lhs, rhs), (l.to_owned(), r.to_owned()));
        }
    }
}
