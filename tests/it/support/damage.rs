//! Random damage to files, accidental or forged.

use std::env;

use crate::support::Random;

/// The number of times that a test damages an input: `CKDIFF_MUTATIONS` divided by `cost`, or `default`.
pub fn mutations(default: u64, cost: u64) -> u64 {
    let wanted = env::var("CKDIFF_MUTATIONS").map(|count| count.parse::<u64>().unwrap() / cost);
    let count = wanted.unwrap_or(default);
    assert!(count > 0, "CKDIFF_MUTATIONS is less than {cost}, which leaves nothing to test");
    count
}

/// Changes a few bytes in ways that are typical of damaged or forged files.
pub fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let len = (random.below(16) as usize + 1).min(bytes.len() - at);
        match random.below(6) {
            0 => bytes[at..at + len].fill(random.next() as u8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..at + len)),
            3 => {
                let copied = bytes[at..at + len].to_vec();
                let to = random.below(bytes.len() as u64 + 1) as usize;
                bytes.splice(to..to, copied);
            }
            4 => {
                let some = random.bytes(len);
                bytes[at..at + len].copy_from_slice(&some);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}

/// Changes a few lines of a text in the text format; the result is usually still legal.
pub fn mutate_lines(lines: &mut Vec<String>, random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        let at = random.below(lines.len() as u64) as usize;
        let other = random.below(lines.len() as u64) as usize;
        let value = |line: &str| line.split_once(": ").map(|(_, value)| value.to_owned());
        match random.below(4) {
            // Takes the value of another line: nodes become their own inputs, names are duplicated, numbers get too large.
            0 | 1 => {
                if let (Some((field, _)), Some(value)) =
                    (lines[at].split_once(": "), value(&lines[other]))
                {
                    lines[at] = format!("{field}: {value}");
                }
            }
            2 if lines[at].contains(": ") => drop(lines.remove(at)),
            3 if lines[at].contains(": ") => lines.insert(at, lines[at].clone()),
            _ => lines[at] = lines[at].replace(|c: char| c.is_ascii_digit(), "9"),
        }
    }
}
