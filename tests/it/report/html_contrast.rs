//! The colors of HTML reports: text can be read on its background, in both themes.

use std::collections::BTreeMap;

/// Pairs of the names of a text's color and of its background's.
const TEXT: &[(&str, &[&str])] = &[
    ("text", &["page", "panel", "good-bg", "changed-bg", "bad-bg"]),
    ("faint", &["page", "panel", "good-bg", "changed-bg", "bad-bg"]),
    ("link", &["page", "panel", "good-bg", "changed-bg", "bad-bg"]),
    ("good", &["good-bg"]),
    ("changed", &["page", "panel", "changed-bg"]),
    ("bad", &["page", "panel", "bad-bg"]),
    ("ins", &["ins-bg"]),
    ("del", &["del-bg"]),
];

/// Colors of lines and borders that carry meaning.
const LINES: &[&str] =
    &["faint", "lhs", "rhs", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "focus"];

/// The colors of the light theme, and those of the dark one.
fn themes() -> [BTreeMap<String, [f64; 3]>; 2] {
    let style = std::fs::read_to_string("src/report/html/style.css").unwrap();
    let (light, dark) = style.split_once("prefers-color-scheme:dark").unwrap();
    let dark = dark.split_once("}}").unwrap().0;
    let color = |declaration: &str| {
        let (name, value) = declaration.trim().strip_prefix("--")?.split_once(":#")?;
        let digits = match value.len() {
            3 => value.chars().flat_map(|digit| [digit, digit]).collect(),
            _ => value.to_owned(),
        };
        let part = |at| f64::from(u8::from_str_radix(&digits[at..at + 2], 16).unwrap()) / 255.0;
        Some((name.to_owned(), [part(0), part(2), part(4)]))
    };
    let colors = |text: &str| text.split([';', '{', '}']).filter_map(color).collect();
    [colors(light), colors(dark)]
}

/// The relative luminance, as WCAG 2 defines it.
fn luminance(color: [f64; 3]) -> f64 {
    let linear =
        |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
    let [red, green, blue] = color.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let [a, b] = [a, b].map(luminance);
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_has_a_contrast_of_4_5_and_lines_of_3() {
    for (theme, colors) in ["light", "dark"].iter().zip(themes()) {
        for (text, backgrounds) in TEXT {
            for background in *backgrounds {
                let found = contrast(colors[*text], colors[*background]);
                assert!(found >= 4.5, "{theme}: {text} on {background}: {found:.2}");
            }
        }
        for line in LINES {
            for background in ["page", "panel"] {
                let found = contrast(colors[*line], colors[background]);
                assert!(found >= 3.0, "{theme}: {line} on {background}: {found:.2}");
            }
        }
    }
}

/// The steps of a sequential scale differ in lightness, which everyone sees.
#[test]
fn the_steps_of_drift_are_ordered_by_luminance() {
    for (theme, colors) in ["light", "dark"].iter().zip(themes()) {
        let steps: Vec<f64> = (1..=9).map(|step| luminance(colors[&format!("h{step}")])).collect();
        let mut sorted = steps.clone();
        sorted.sort_by(f64::total_cmp);
        if *theme == "light" {
            sorted.reverse();
        }
        assert_eq!(steps, sorted, "{theme}");
    }
}
