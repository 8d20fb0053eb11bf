//! HTML reports, as far as they can be judged without a browser.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ckdiff::report::{Format, Report, ReportOptions, write};
use ckdiff::tensor::{DType, Shape, Tensor};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::models::{Named, compared, model, page, page_of, retrained};
use crate::support::command::ckdiff;
use crate::support::html::{Element, elements, text_of, unescaped};
use crate::support::written::floats;

/// The page that the command writes to standard output.
fn html(args: &[&str]) -> String {
    let run = ckdiff(&[args, &["--format", "html"]].concat());
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    run.text().to_owned()
}

const RETRAINED: &[&str] = &["retrain/baseline.ckpt", "retrain/retrained.ckpt"];
const OTHER_SEED: &[&str] = &["--rules", "same-start", "training/seeds/1", "training/seeds/2"];
const GRAPHS: &[&str] = &["pairs/block_replaced/lhs.meta", "pairs/block_replaced/rhs.meta"];
const SERIES: &[&str] = &["series", "training/diverging"];
const SEARCH: &[&str] = &["series", "--first", "nan", "training/diverging"];

const ALL: &[&[&str]] = &[RETRAINED, OTHER_SEED, GRAPHS, SERIES, SEARCH];

/// A tensor name for each kind of text that could be taken for something else.
fn hostile_names() -> Vec<String> {
    let names = [
        "<script>hacked = 1</script>",
        "</script><script>hacked = 1</script>",
        "<img src=x onerror='hacked = 1'>",
        "\" onmouseover=\"hacked = 1",
        "' autofocus onfocus='hacked = 1",
        "javascript:hacked = 1",
        "<!--",
        "]]>",
        "a|b",
        "`code`",
        "{{ name }}",
        "&lt;b&gt;",
        "\u{1b}[31mred",
        "two\nlines",
        "a\u{202e}b",
        "\u{2028}",
    ];
    names.iter().map(|name| (*name).to_owned()).chain(["n".repeat(10_000)]).collect()
}

#[test]
fn pages_are_well_formed_and_load_nothing() {
    for args in ALL {
        check(&html(args), args);
    }
}

/// Checks the structure of a page, and that nothing in it loads or runs anything else.
#[track_caller]
fn check(page: &str, what: &[&str]) {
    let elements = elements(page);
    let names = names(page);
    let mut ids = BTreeSet::new();
    for id in elements.iter().filter_map(|element| element.attributes.get("id")) {
        assert!(ids.insert(id), "{what:?}: the id {id} is there twice");
    }
    for Element { name, attributes, content } in &elements {
        assert!(
            !["link", "img", "iframe", "object", "embed", "base", "image", "use"]
                .contains(&&**name),
            "{what:?}: <{name}>"
        );
        for (attribute, value) in attributes {
            let is_event = attribute.starts_with("on");
            let loads = ["src", "srcset", "style", "action", "data", "xlink:href"];
            assert!(!is_event && !loads.contains(&&**attribute), "{what:?}: <{name} {attribute}>");
            if attribute == "href" {
                let target = value.strip_prefix('#').expect("a link inside of the page");
                let is_found = match target.strip_prefix("scope=") {
                    Some(scope) => is_scope(&percent_decoded(scope), &names),
                    None => ids.contains(&target.to_owned()),
                };
                assert!(is_found, "{what:?}: {value} leads nowhere");
            }
        }
        if name == "style" {
            assert!(!content.contains("url(") && !content.contains("@import"), "{what:?}");
        }
    }
    assert_eq!(policy(&elements), expected_policy(&elements), "{what:?}");
}

/// The names in the table of tensors.
fn names(page: &str) -> Vec<String> {
    let cells = page.split("<th><a href=\"#t").skip(1);
    let name = |cell: &str| {
        let (_, name) = cell.split_once('>').unwrap();
        unescaped(name.split_once("</a></th>").unwrap().0)
    };
    cells.map(name).collect()
}

/// Whether a tensor is in this scope, as the script looks for it.
fn is_scope(scope: &str, names: &[String]) -> bool {
    let is_in = |name: &String| {
        let rest = name.strip_prefix(scope);
        rest.is_some_and(|rest| scope.is_empty() || rest.is_empty() || rest.starts_with(['/', '.']))
    };
    names.iter().any(is_in)
}

fn percent_decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    String::from_utf8(bytes).unwrap()
}

fn policy(elements: &[Element]) -> &str {
    let is_policy = |element: &&Element| {
        element.attributes.get("http-equiv").is_some_and(|of| of == "Content-Security-Policy")
    };
    &elements.iter().find(is_policy).unwrap().attributes["content"]
}

/// The policy that allows the style and the script of a page, and nothing else.
fn expected_policy(elements: &[Element]) -> String {
    let digests = |name| {
        let of_kind = elements.iter().filter(move |element| element.name == name);
        let run = of_kind.filter(|element| !element.attributes.contains_key("type"));
        let digest = |of: &Element| STANDARD.encode(Sha256::digest(&of.content));
        run.map(move |of| format!("'sha256-{}'", digest(of))).collect::<Vec<_>>().join(" ")
    };
    let (style, script) = (digests("style"), digests("script"));
    let script = if script.is_empty() { script } else { format!("; script-src {script}") };
    format!("default-src 'none'; style-src {style}{script}; base-uri 'none'; form-action 'none'")
}

#[test]
fn a_page_opens_on_the_answer_of_the_report_for_people() {
    for args in ALL {
        let (run, page) = (ckdiff(args), html(args));
        let human: String = run.text().lines().take_while(|line| !line.starts_with("  ")).collect();
        let human = human.split_whitespace().collect::<String>();
        let answer = text_of(&page, "answer");
        // The report for people breaks long answers between clauses.
        assert_eq!(answer.split_whitespace().collect::<String>(), human, "{args:?}");
        let body = &page[page.find("<body>").unwrap()..];
        let first = body.find("<h1>").unwrap();
        assert!(!body[..first].contains("<p"), "{args:?}: something is before the answer");
        assert_eq!(ckdiff(&[args, &["--format", "html"][..]].concat()).code, run.code, "{args:?}");
    }
}

#[test]
fn hostile_names_are_text() {
    let tensors = |names: &[String], of: &[f32]| -> Vec<Named> {
        names.iter().map(|name| (name.clone(), floats(of))).collect()
    };
    let page_of = |names: &[String]| {
        page(&compared(&tensors(names, &[1.0, 2.0]), &tensors(names, &[1.5, 2.0])))
    };
    let hostile = page_of(&hostile_names());
    check(&hostile, &["hostile names"]);
    // The same elements as for names that mean nothing.
    let harmless: Vec<String> = (0..hostile_names().len()).map(|at| format!("n{at}")).collect();
    let kinds = |page: &str| -> Vec<String> {
        let table = page.find("<section id=\"tensors\">").unwrap();
        let rows = format!("<!doctype html>{}", &page[table..page.find("</main>").unwrap()]);
        elements(&rows).into_iter().map(|element| element.name).collect()
    };
    assert_eq!(kinds(&hostile), kinds(&page_of(&harmless)));
    for control in ['\u{1b}', '\u{202e}', '\u{2028}'] {
        assert!(!hostile.contains(control), "{control:?}");
    }
    assert!(hostile.contains("&#60;script&#62;hacked = 1&#60;/script&#62;"));
    assert!(hostile.len() < 100_000, "{} bytes", hostile.len());
}

#[test]
fn texts_of_hostile_graphs_and_files_are_text() {
    for pair in ["bad_names", "bad_input_spelling"] {
        let [lhs, rhs] = ["lhs", "rhs"].map(|side| format!("pairs/{pair}/{side}.meta"));
        check(&html(&[&lhs, &rhs]), &[pair]);
    }
}

#[test]
fn a_name_that_is_not_utf8_is_shown_with_escapes() {
    let name = b"w\xff\xfe<b>";
    let diff = |value: f32| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("model");
        let tensor = floats(&[value, 1.0]);
        let mut builder = ckdiff::checkpoint::CheckpointBuilder::default();
        builder.add(name, &tensor).unwrap();
        let format = ckdiff::checkpoint::Format::by_name("v2").unwrap();
        let replace = ckdiff::checkpoint::IfExists::Refuse;
        builder.write(&path, format, replace, &ckdiff::progress::Silent).unwrap();
        (dir, ckdiff::artifact::Artifact::open(path).unwrap())
    };
    let ((_lhs, lhs), (_rhs, rhs)) = (diff(1.0), diff(2.0));
    let options = ckdiff::diff::DiffOptions::default();
    let diff = ckdiff::diff::diff(&lhs, &rhs, &options, &ckdiff::progress::Silent).unwrap();
    let page = page(&diff);
    check(&page, &["not UTF-8"]);
    assert!(page.contains(r">w\xff\xfe&#60;b&#62;</a>"));
}

#[test]
fn a_thousand_tensors_take_less_than_a_megabyte() {
    let page = page_of(1_000, 64);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert_eq!(data(&page).len(), 1_000 - 90);
    check(&page, &["a thousand tensors"]);
}

/// The data of each tensor.
fn data(page: &str) -> Vec<Value> {
    let is_data = |element: &Element| {
        let id = element.attributes.get("id").and_then(|id| id.strip_prefix('d'));
        id.is_some_and(|rest| rest.parse::<u32>().is_ok())
    };
    let blocks = elements(page).into_iter().filter(is_data);
    blocks.flat_map(|block| serde_json::from_str::<Vec<Value>>(&block.content).unwrap()).collect()
}

fn sum(counts: &Value) -> u64 {
    counts.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum()
}

#[test]
fn the_data_of_a_picture_counts_every_element() {
    let lhs = model(20, 16);
    let diff = compared(&lhs, &retrained(&lhs));
    let data = data(&page(&diff));
    let mut pictures = 0;
    for data in data.iter().filter(|data| data.get("h").is_some()) {
        let elements: u64 =
            data["d"].as_array().unwrap().iter().map(|d| d.as_u64().unwrap()).product();
        let count =
            |at: usize| data["n"][at].as_str().unwrap().replace(',', "").parse::<u64>().unwrap();
        let (differing, mismatched) = (count(0), count(1));
        assert_eq!(sum(&data["h"]["c"]), differing, "{data}");
        for side in data["v"]["c"].as_array().unwrap() {
            assert_eq!(sum(side), elements, "{data}");
        }
        let strip = &data["r"];
        let in_strip = strip.get("m").map_or(elements, sum);
        assert_eq!(in_strip, mismatched, "{data}");
        assert_eq!(strip["x"].as_str().unwrap().len() as u64, strip["n"].as_u64().unwrap());
        assert!(!data["w"].as_array().unwrap().is_empty(), "{data}");
        pictures += 1;
    }
    assert_eq!(pictures, 20);
}

#[test]
fn elements_without_a_finite_difference_are_in_the_pictures() {
    let with = |changes: &[(usize, f32)]| {
        let mut values = vec![1.0; 64];
        changes.iter().for_each(|&(at, value)| values[at] = value);
        vec![("w".to_owned(), floats(&values))]
    };
    let nan = f32::NAN;
    for (changes, left_out, largest) in [
        (&[(3, 2.0), (5, nan), (9, f32::INFINITY), (60, 1.5)][..], 2, Some("!!")),
        (&[(5, nan)], 1, Some("!")),
        (&[(3, 2.0)], 0, Some("")),
    ] {
        let data = &data(&page(&compared(&with(&[]), &with(changes))))[0];
        assert_eq!(data["h"].get("n").map_or(0, |n| n.as_u64().unwrap()), left_out, "{data}");
        assert_eq!(sum(&data["h"]["c"]) + left_out, changes.len() as u64, "{data}");
        let marks = data["r"].get("x").map(|x| x.as_str().unwrap().replace(|c| c != '!', ""));
        assert_eq!(marks.as_deref(), largest, "{data}");
    }
}

#[test]
fn a_page_is_the_same_to_the_byte_every_time() {
    for args in [RETRAINED, GRAPHS] {
        let page = html(args);
        assert_eq!(html(&[args, &["--jobs", "3"]].concat()), page, "{args:?}");
    }
}

#[test]
fn what_a_page_draws_is_not_in_the_report_for_people() {
    let dir = tempfile::tempdir().unwrap();
    let output = format!("html={}", dir.path().join("report.html").display());
    let run = ckdiff(&[RETRAINED, &["--output", &output]].concat());
    assert_eq!(run.text(), ckdiff(RETRAINED).text());
    let page = std::fs::read_to_string(dir.path().join("report.html")).unwrap();
    assert_eq!(page, html(RETRAINED));
}

#[test]
fn a_judged_report_without_histograms_has_a_page_without_pictures() {
    let dir = tempfile::tempdir().unwrap();
    let saved = dir.path().join("report.json");
    let output = format!("json={}", saved.display());
    ckdiff(&[RETRAINED, &["-q", "--output", &output]].concat());
    let page = html(&["judge", "--rules", "same-start", saved.to_str().unwrap()]);
    check(&page, &["judge"]);
    let data = data(&page);
    assert!(data.iter().any(|data| data.get("n").is_some()), "{data:?}");
    for picture in ["h", "v", "r", "a"] {
        assert!(data.iter().all(|data| data.get(picture).is_none()), "{picture}: {data:?}");
    }
}

/// The numbers in an attribute of the elements with a class.
fn numbers(page: &str, class: &str, attribute: &str) -> Vec<f64> {
    let elements = elements(page);
    let of_class =
        elements.iter().filter(|of| of.attributes.get("class").is_some_and(|c| c == class));
    let values = of_class.map(|of| of.attributes[attribute].clone());
    let number = |text: String| {
        text.trim_start_matches('M').split(' ').next().unwrap().parse::<f64>().unwrap()
    };
    values.map(number).collect()
}

#[test]
fn what_breaks_a_gate_is_drawn_outside_of_what_is_allowed() {
    let page = html(OTHER_SEED);
    let found = numbers(&page, "found", "d");
    let from = numbers(&page, "ok", "x");
    let width = numbers(&page, "ok", "width");
    assert!(found.len() > 10, "{found:?}");
    for ((found, from), width) in found.iter().zip(&from).zip(&width) {
        assert!(*found < *from || *found > from + width, "{found} in {from} + {width}");
        assert!((0.0..=120.0).contains(found) && *from >= 0.0 && from + width <= 121.0);
    }
}

#[test]
fn the_ends_of_the_scale_of_a_gate_are_written() {
    let page = html(OTHER_SEED);
    for (name, ends) in [("logits/kernel", ["-1", "1"]), ("conv1/kernel", ["-1", "1"])] {
        let row =
            page.split("<th scope=\"row\">").find(|row| row.contains(&format!(">{name}</a>")));
        let texts: Vec<&str> = row.unwrap().split("</text>").collect();
        let texts = texts[..2].iter().map(|text| text.rsplit('>').next().unwrap());
        assert_eq!(texts.collect::<Vec<_>>(), ends, "{name}");
    }
    assert!(page.contains(">200%</text>") && !page.contains(">2</text>"));
    let found = numbers(&page, "found", "d");
    assert!((found[0] - found[4]).abs() > 10.0, "{found:?}");
}

#[test]
fn what_changed_counts_tensors_that_may_be_renamed() {
    let (page, human) = (html(RETRAINED), ckdiff(RETRAINED));
    for what in ["Removed: only in lhs, weights", "Added: only in rhs, weights"] {
        let count = "1, and 2 that may be renamed";
        assert!(human.text().contains(&format!("{what} ({count})")), "{}", human.text());
        assert!(page.contains(&format!("<dt>{what} <span class=\"count\">{count}</span>")));
    }
}

#[test]
fn only_a_page_with_two_sides_names_the_baseline() {
    for args in ALL {
        assert_eq!(html(args).contains("lhs is the baseline."), args[0] != "series", "{args:?}");
    }
}

#[test]
fn the_scopes_of_a_tree_have_all_weights() {
    let lhs = model(60, 4);
    let page = page(&compared(&lhs, &retrained(&lhs)));
    let tree = &page[page.find("<ul class=\"tree\">").unwrap()..];
    let tree = &tree[..tree.find("</section>").unwrap()];
    let counted = |row: &str| -> [u64; 2] {
        let text = &row[row.find("class=\"faint\">").unwrap() + 14..];
        let words: Vec<&str> = text.split([' ', '<']).collect();
        [words[0].parse().unwrap(), words[2].parse().unwrap()]
    };
    let rows = |start: &str| -> Vec<[u64; 2]> {
        tree.lines().filter(|line| line.starts_with(start)).map(counted).collect()
    };
    let all = rows("<li><details");
    let leaves = rows("<li><span");
    let sum = |at: usize| leaves.iter().map(|counts| counts[at]).sum::<u64>();
    assert_eq!(all[0], [55, 60], "{tree}");
    assert_eq!([sum(0), sum(1)], all[0], "{tree}");
}

#[test]
fn scopes_with_nan_and_without_a_movement_have_marks_of_their_own() {
    let page = html(RETRAINED);
    let tree = &page[page.find("<ul class=\"tree\">").unwrap()..];
    for (scope, class) in [
        ("model", "nan"),
        ("model/encoder/batch_normalization", "nan"),
        ("model/dense_1", "other"),
        ("model/position", "other"),
        ("model/frozen/projection", "h0"),
        ("model/attention", "h7"),
    ] {
        let link = format!("<span class=\"sw {class}\"></span><a href=\"#scope={scope}\">");
        assert!(tree.contains(&link), "{link} in {tree}");
    }
    assert!(tree.contains("2 of 2 changed, 2 removed"), "{tree}");
}

#[test]
fn a_series_draws_each_checkpoint_and_has_a_table_of_the_same_numbers() {
    let page = html(SERIES);
    let charts = page.matches("class=\"chart\"").count();
    assert_eq!(page.matches("<summary>Table</summary>").count(), charts);
    assert!(charts >= 3, "{charts}");
    for step in (100..=1100).step_by(100) {
        let row = format!("<th scope=\"row\">step {step}</th>");
        assert_eq!(page.matches(&row).count(), charts + 1, "step {step}");
    }
    // From the first comparison up to the step before the NaN.
    let role = &page[page.find("id=\"by-role\"").unwrap()..];
    let line = &role[role.find("<path d=\"M").unwrap()..];
    let line = &line[..line.find("\"/>").unwrap()];
    assert_eq!(line.matches('L').count(), 7, "{line}");
    // The line ends where NaN begin, which a cross says, and the table.
    assert!(page.contains("<title>weights: NaN or infinity from step 1000</title>"));
    let rows = page.split("<th scope=\"row\">step 1000</th>").skip(1);
    for row in rows.map(|row| row.split("</tr>").next().unwrap()) {
        assert!(row.starts_with("<td>NaN</td>"), "{row}");
    }
    assert!(page.contains("<td>3,766%</td>"));
}

#[test]
fn a_tensor_of_any_kind_has_a_row() {
    let scalar = |value: f64| {
        Tensor::new(DType::F64, Shape::new(&[]).unwrap(), value.to_le_bytes().into()).unwrap()
    };
    let lhs = [
        ("scalar".to_owned(), scalar(1.0)),
        ("text".to_owned(), crate::support::written::strings(&["a", "<b>"])),
        ("same".to_owned(), floats(&[1.0])),
        ("shape".to_owned(), floats(&[1.0])),
        ("zero".to_owned(), floats(&[0.0, 0.0])),
        ("removed".to_owned(), floats(&[4.0])),
    ];
    let rhs = [
        ("scalar".to_owned(), scalar(2.0)),
        ("text".to_owned(), crate::support::written::strings(&["a", "<i>"])),
        ("same".to_owned(), floats(&[1.0])),
        ("shape".to_owned(), floats(&[1.0, 2.0])),
        ("zero".to_owned(), floats(&[0.0, f32::INFINITY])),
        ("added".to_owned(), floats(&[5.0])),
    ];
    let page = page(&compared(&lhs, &rhs));
    check(&page, &["kinds"]);
    for name in ["scalar", "text", "same", "shape", "zero", "removed", "added"] {
        assert_eq!(page.matches(&format!(">{name}</a></th>")).count(), 1, "{name}");
    }
}

#[test]
fn other_subjects_have_no_page() {
    let checkpoint = ckdiff::checkpoint::Checkpoint::open("tests/data/demo/model.ckpt").unwrap();
    let listing = ckdiff::checkpoint::Listing::new(&checkpoint, |_| true);
    let report = Report::Listing(&listing, None);
    let result = write(&report, Format::HTML, &ReportOptions::default(), &mut Vec::new());
    assert_eq!(result.unwrap_err().kind(), std::io::ErrorKind::Unsupported);
}
