//! What a person sees first of a retraining: what moved, in which order, by which names.

use std::fmt::Write;

use ckdiff::artifact::Artifact;
use ckdiff::diff::{Diff, DiffOptions, Rename, Status, diff};
use ckdiff::progress::Silent;
use ckdiff::report::{Format, Report, ReportOptions, Verbosity, write};
use ckdiff::summary::{SortKey, rename_rules};
use ckdiff::tensor::{DType, Name, Shape, Tensor};

use crate::support::command::{assert_valid, ckdiff};
use crate::support::written::{checkpoint, floats, strings, vector};

type Named = (String, Tensor);

fn compared(lhs: &[Named], rhs: &[Named]) -> Diff {
    let dir = tempfile::tempdir().unwrap();
    let open = |name, tensors| Artifact::open(checkpoint(dir.path(), name, tensors)).unwrap();
    diff(&open("lhs", lhs), &open("rhs", rhs), &DiffOptions::default(), &Silent).unwrap()
}

fn human(diff: &Diff, looks: &ReportOptions) -> String {
    let mut out = Vec::new();
    write(&Report::Diff(diff, None), Format::HUMAN, looks, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The report on a terminal of this width.
fn on_terminal(diff: &Diff, columns: usize) -> String {
    human(diff, &ReportOptions { columns: Some(columns), ..ReportOptions::default() })
}

/// The lines of a section after its header.
fn section<'r>(report: &'r str, title: &str) -> Vec<&'r str> {
    let start = report.lines().skip_while(|line| !line.starts_with(title));
    start.skip(2).take_while(|line| !line.is_empty()).collect()
}

/// A model of twelve layers; `moved` is how far the kernel of each layer moved, relative to its norm.
fn layers(moved: impl Fn(usize) -> f32) -> Vec<Named> {
    let mut tensors = vec![("model/embeddings/table".to_owned(), floats(&[1.0, 2.0]))];
    for layer in 0..12 {
        let scope = format!("model/encoder/layer_{layer}/attention/output/dense");
        tensors.push((format!("{scope}/kernel"), floats(&[3.0 * (1.0 + moved(layer)), 0.0])));
        tensors.push((format!("{scope}/bias"), floats(&[1.0])));
    }
    tensors
}

#[test]
fn layers_of_one_kind_are_told_together_and_outliers_apart() {
    let retrained = layers(|layer| if layer == 7 { 0.5 } else { 0.01 });
    let diff = compared(&layers(|_| 0.0), &retrained);
    let report = on_terminal(&diff, 120);
    let rows = section(&report, "Different values");
    assert_eq!(rows.len(), 2, "{report}");
    assert!(
        rows[0].starts_with("  model/encoder/layer_7/attention/output/dense/kernel "),
        "{report}"
    );
    let folded = "  model/encoder/layer_{0..6,8..11}/attention/output/dense/kernel (11) ";
    assert!(rows[1].starts_with(folded), "{report}");
    assert!(rows[1].contains("    1%  "), "the common rel l2: {report}");
    // A program that reads the report finds every tensor.
    let piped = human(&diff, &ReportOptions { max_rows: usize::MAX, ..ReportOptions::default() });
    for layer in 0..12 {
        let name = format!("  model/encoder/layer_{layer}/attention/output/dense/kernel ");
        assert!(piped.contains(&name), "{name}: {piped}");
    }
}

#[test]
fn a_row_for_several_tensors_says_which_one_differs_most() {
    let diff = compared(&layers(|_| 0.0), &layers(|layer| 0.01 + 0.001 * layer as f32));
    let report = on_terminal(&diff, 120);
    let rows = section(&report, "Different values");
    assert_eq!(rows.len(), 1, "{report}");
    assert!(rows[0].contains(" {11} [0] "), "{report}");
    assert!(rows[0].contains("3 → 3.06"), "{report}");
}

#[test]
fn names_are_whole_in_any_width() {
    let diff = compared(&layers(|_| 0.0), &layers(|layer| [0.01, 0.5, 0.02][layer % 3]));
    for columns in [60, 100, 200] {
        let report = on_terminal(&diff, columns);
        assert!(report.contains("attention/output/dense/kernel"), "{columns} columns: {report}");
        for line in section(&report, "Different values") {
            let is_name = line.trim().ends_with(')') || line.trim().ends_with("kernel");
            assert!(is_name || line.chars().count() <= columns, "{columns} columns: {report}");
            assert!(!line.contains('…'), "{columns} columns: {report}");
        }
    }
}

#[test]
fn a_scope_that_all_names_share_is_written_once_where_columns_are_few() {
    let diff = compared(&layers(|_| 0.0), &layers(|layer| [0.01, 0.5, 0.02][layer % 3]));
    let report = on_terminal(&diff, 80);
    assert!(report.contains("\n  tensor in model/encoder/"), "{report}");
    assert!(!on_terminal(&diff, 200).contains("tensor in"));
}

#[test]
fn the_most_important_comes_first() {
    let lhs = [
        ("a/noise".to_owned(), floats(&[1000.0, 1.0])),
        ("b/moved".to_owned(), floats(&[1.0, 1.0])),
        ("c/left_zero".to_owned(), floats(&[0.0, 0.0])),
        ("d/broken".to_owned(), floats(&[1.0, 1.0])),
        ("e/shape".to_owned(), floats(&[1.0])),
        ("f/removed".to_owned(), floats(&[7.0])),
    ];
    let rhs = [
        // A large relative difference of one small element.
        ("a/noise".to_owned(), floats(&[1000.0, 3.0])),
        ("b/moved".to_owned(), floats(&[1.5, 1.0])),
        ("c/left_zero".to_owned(), floats(&[0.0, 1e-6])),
        ("d/broken".to_owned(), floats(&[1.0, f32::NAN])),
        ("e/shape".to_owned(), floats(&[1.0, 2.0])),
        ("g/added".to_owned(), floats(&[8.0, 8.0])),
    ];
    let diff = compared(&lhs, &rhs);
    let order = |sort| {
        let report = human(&diff, &ReportOptions { sort, ..ReportOptions::default() });
        let rows = report.lines().filter(|line| line.starts_with("  ") && line.contains('/'));
        let names = rows.filter_map(|line| line.split_whitespace().next());
        let names = names.filter(|name| name.chars().nth(1) == Some('/') && !name.ends_with(','));
        names.skip_while(|name| *name != "e/shape").map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        order(SortKey::RelL2),
        "e/shape d/broken f/removed g/added c/left_zero b/moved a/noise"
    );
    let last = |sort| order(sort).split(' ').skip(4).collect::<Vec<_>>().join(" ");
    assert_eq!(last(SortKey::MaxAbs), "a/noise b/moved c/left_zero");
    assert_eq!(last(SortKey::MaxRel), "a/noise b/moved c/left_zero");
    assert_eq!(last(SortKey::Changed), "a/noise b/moved c/left_zero");
    assert_eq!(last(SortKey::Name), "a/noise b/moved c/left_zero");
}

#[test]
fn a_row_is_about_one_element() {
    // The largest relative difference is that of the second element, the largest difference that of the first.
    let lhs = [("w".to_owned(), floats(&[100.0, 0.001]))];
    let rhs = [("w".to_owned(), floats(&[101.0, 0.003]))];
    let report = human(&compared(&lhs, &rhs), &ReportOptions::default());
    let mut lines = report.lines().skip_while(|line| !line.starts_with("  tensor"));
    let header: Vec<&str> =
        lines.next().unwrap().split("  ").filter(|cell| !cell.is_empty()).collect();
    assert_eq!(
        header.iter().map(|cell| cell.trim()).collect::<Vec<_>>(),
        ["tensor", "rel l2", "changed", "max abs", "at", "lhs → rhs"]
    );
    let row: Vec<&str> =
        lines.next().unwrap().split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert_eq!(row, ["w", "1%", "all 2", "1", "[0]", "100 → 101"]);
}

#[test]
fn truth_values_and_strings_are_shown() {
    let long = "x".repeat(1000);
    let lhs = [
        ("flag".to_owned(), vector(DType::Bool, vec![0])),
        ("long".to_owned(), strings(&[&format!("{long}cat{long}")])),
        ("names".to_owned(), strings(&["the", "cat", "sat"])),
    ];
    let rhs = [
        ("flag".to_owned(), vector(DType::Bool, vec![1])),
        ("long".to_owned(), strings(&[&format!("{long}dog{long}")])),
        ("names".to_owned(), strings(&["the", "dog", "sat"])),
    ];
    let report = human(&compared(&lhs, &rhs), &ReportOptions::default());
    for text in ["false → true", "[1]  \"cat\" → \"dog\"", "\"…xxxxxxxxcatxx", "\"…xxxxxxxxdogxx"]
    {
        assert!(report.contains(text), "{text}: {report}");
    }
    let dir = tempfile::tempdir().unwrap();
    let path = |name, tensors: &[Named]| checkpoint(dir.path(), name, tensors);
    let (lhs, rhs) = (path("lhs", &lhs), path("rhs", &rhs));
    let json = ckdiff(&[lhs.to_str().unwrap(), rhs.to_str().unwrap(), "--format=json"]).json();
    assert_valid(&json);
    let mismatch = &json["tensors"][2]["mismatches"][0];
    assert_eq!(*mismatch, serde_json::json!({"index": [1], "lhs": "cat", "rhs": "dog"}));
}

#[test]
fn the_answer_counts_norms_and_not_tensors() {
    // The bias moved by ten times its norm, and the kernel, which is nearly all of the model, by 1%.
    let lhs = [("bias".to_owned(), floats(&[0.01])), ("kernel".to_owned(), floats(&[30.0, 40.0]))];
    let rhs = [("bias".to_owned(), floats(&[0.11])), ("kernel".to_owned(), floats(&[30.3, 40.4]))];
    let report = human(&compared(&lhs, &rhs), &ReportOptions::default());
    let answer = "Different: 2 of 2 tensors changed; the tensors moved by 1.02% (rel l2: ‖rhs − lhs‖ / ‖lhs‖).";
    assert_eq!(report.lines().next(), Some(answer));
}

#[test]
fn details_are_as_many_as_asked_for() {
    let diff = compared(&layers(|_| 0.0), &layers(|layer| if layer < 6 { 0.01 } else { 0.0 }));
    let with = |verbosity| human(&diff, &ReportOptions { verbosity, ..ReportOptions::default() });
    let names = with(Verbosity::Names);
    let mut expected = String::new();
    for layer in 0..6 {
        writeln!(expected, "model/encoder/layer_{layer}/attention/output/dense/kernel").unwrap();
    }
    assert_eq!(names, expected);
    let scopes = with(Verbosity::Scopes);
    assert_eq!(
        section(&scopes, "Scopes")[0].split_whitespace().next(),
        Some("model/encoder/layer_0/attention/output/dense")
    );
    assert!(scopes.contains("model/embeddings"), "{scopes}");
    assert!(!scopes.contains("Different values"), "{scopes}");
    let everything = with(Verbosity::Everything);
    for text in [
        "\nMore statistics\n",
        "\nIdentical (19 tensors)\n",
        "  model/embeddings/table\n",
        "cosine",
    ] {
        assert!(everything.contains(text), "{text}: {everything}");
    }
}

/// The report of two checkpoints of the corpus.
fn report(args: &[&str]) -> String {
    let pair = ["retrain/baseline.ckpt", "retrain/retrained.ckpt"];
    ckdiff(&[&pair[..], args].concat()).text().to_owned()
}

#[test]
fn histograms_and_other_tolerances_are_for_people_too() {
    let text = report(&["--histogram", "--tolerance=0,1e-3", "--include=model/encoder/dense/*"]);
    assert!(text.contains("\nUnder other tolerances\n"), "{text}");
    assert!(text.contains("  --atol 0 --rtol 0.001   0 of 2                       0\n"), "{text}");
    assert!(text.contains("\nDifferences by power of two\n"), "{text}");
    assert!(text.contains('█') && text.contains("2^-"), "{text}");
    assert!(text.contains("\nValues of each side\n"), "{text}");
    assert!(text.contains("KS distance"), "{text}");
}

#[test]
fn elements_are_listed_on_request() {
    let text = report(&["--elements=model/attention/*=2"]);
    assert!(
        text.contains("\nElements of model/attention/kernel (2 of 1,024 that differ)\n  [0, 0]  "),
        "{text}"
    );
    let listed = "\nElements of model/attention/mask (2 of 3 that differ)\n  [3, 5]  1 → 0\n  [3, 6]  0 → 1\n";
    assert!(text.contains(listed), "{text}");
    let within = report(&["--elements=model/attention/mask=all", "--atol=0.5"]);
    assert!(within.contains("(3 of 3 that differ)"), "{within}");
    let closer = report(&["--elements=model/attention/mask=all", "--atol=1"]);
    assert!(!closer.contains("Elements of"), "{closer}");
}

#[test]
fn every_list_gets_a_part_of_the_rows() {
    let many = |scope: &str, value: f32| -> Vec<Named> {
        (0..40).map(|at| (format!("{scope}_{at}/w"), floats(&[value + at as f32]))).collect()
    };
    let lhs = [many("gone", 0.0), many("kept", 0.0)].concat();
    let rhs = [many("new", 1000.0), many("kept", 1.0)].concat();
    let report = human(&compared(&lhs, &rhs), &ReportOptions::default());
    for scope in ["gone_", "new_", "kept_"] {
        let rows = report
            .lines()
            .filter(|line| line.starts_with(&format!("  {scope}")) && line.contains("/w "));
        assert!(rows.count() >= 5, "{scope}: {report}");
    }
}

#[test]
fn a_keras_variable_has_its_full_name_and_meets_its_export() {
    let text = ckdiff(&["roles/keras/before-1", "roles/keras/after-2"]);
    assert!(text.text().contains("\n  sequential/hidden/kernel "), "{}", text.text());
    let pair = ["roles/keras/after-2", "roles/keras/exported", "--only=tensors"];
    let exported =
        ckdiff(&[&pair[..], &["--exclude=adam/**", "--exclude=save_counter/**"]].concat());
    let answer = "Same: all 4 compared tensors are identical.\n  4 of 15 tensors compared (11 left out by --exclude)\n";
    assert!(exported.text().starts_with(answer), "{}", exported.text());
    assert_eq!(exported.stderr, "");
    let json = ckdiff(&[&pair[..], &["--format=json"]].concat()).json();
    let tensors = json["tensors"].as_array().unwrap();
    let found =
        tensors.iter().find(|tensor| tensor["full_name"] == "sequential/logits/bias").unwrap();
    assert_eq!(found["status"], "identical");
    assert_eq!(found["name"], "variables/3/.ATTRIBUTES/VARIABLE_VALUE");
    assert_eq!(
        found["renamed_from"],
        "optimizer/_trainable_variables/3/.ATTRIBUTES/VARIABLE_VALUE"
    );
}

#[test]
fn optimizers_are_known_by_the_names_that_they_give() {
    let json =
        ckdiff(&["roles/named/model.ckpt", "roles/named/model.ckpt", "--format=json"]).json();
    let of = |role: &str| -> Vec<String> {
        let tensors = json["tensors"].as_array().unwrap().iter();
        let of_role = tensors.filter(|tensor| tensor["role"] == role);
        of_role.map(|tensor| tensor["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        of("weight"),
        ["Adam/embedding", "bert/dense/kernel", "dense/kernel", "other/adam_m", "t5/wi/kernel"]
    );
    assert_eq!(
        of("optimizer"),
        [
            "Adam/learning_rate",
            "Adam/m/dense/kernel",
            "bert/dense/kernel/adam_m",
            "bert/dense/kernel/adam_v",
            "t5/wi/kernel_slot_vc",
            "t5/wi/kernel_slot_vr",
            "training/Adam/dense/kernel/v",
        ]
    );
    assert_eq!(of("counter"), ["Adam/iter"]);
}

#[test]
fn each_cosmetic_change_is_told_on_request() {
    let pair = ["pairs/all_cosmetic/lhs.meta", "pairs/all_cosmetic/rhs.meta"];
    let text = ckdiff(&[&pair[..], &["-v"]].concat());
    assert!(
        text.text().starts_with("Same: only 91 cosmetic changes in the graph.\n"),
        "{}",
        text.text()
    );
    assert!(text.text().contains("\nCosmetic changes (91)\n"), "{}", text.text());
    assert_eq!(section(text.text(), "Cosmetic changes").len().min(50), 50, "{}", text.text());
}

#[test]
fn the_answer_tells_how_all_changed_tensors_changed() {
    let answer = |lhs: &[Named], rhs: &[Named]| {
        let report = human(&compared(lhs, rhs), &ReportOptions::default());
        report.lines().next().unwrap().to_owned()
    };
    let kernel = |tensor| ("model/kernel".to_owned(), tensor);
    let bias = |value: f32| ("model/bias".to_owned(), floats(&[value]));
    let [before, other] = [[1.0, 2.0], [1.0, 3.0]].map(|values| kernel(floats(&values)));
    let double = kernel(vector(DType::F64, [1.0f64, 2.0].map(f64::to_le_bytes).concat()));
    let longer = kernel(floats(&[1.0, 2.0, 3.0]));

    let weights = |value: f32| ("model/weights".to_owned(), floats(&[value]));

    let cases: [(Vec<Named>, Vec<Named>, &str); 10] = [
        (
            vec![before.clone()],
            vec![double.clone()],
            "1 of 1 tensor changed dtype (float32 → float64)",
        ),
        (vec![before.clone()], vec![longer.clone()], "1 of 1 tensor changed shape"),
        (vec![before.clone(), bias(1.0)], vec![bias(1.0)], "1 of 2 tensors removed"),
        (vec![bias(1.0)], vec![before.clone(), bias(1.0)], "1 of 2 tensors added"),
        (
            vec![before.clone(), bias(1.0)],
            vec![weights(5.0), bias(1.0)],
            "2 of 3 tensors added or removed",
        ),
        (
            vec![weights(7.0), bias(1.0)],
            vec![kernel(floats(&[7.0])), bias(1.0)],
            "1 tensor seems renamed, with equal values; the other one is identical",
        ),
        (
            vec![before.clone(), bias(1.0)],
            vec![weights(5.0)],
            "no tensor name in common: 2 only in lhs, 1 only in rhs",
        ),
        (
            vec![weights(7.0)],
            vec![kernel(floats(&[7.0]))],
            "1 tensor seems renamed, with equal values",
        ),
        // New values are what one expects; of several manners the counts below tell.
        (vec![before.clone()], vec![other], "1 of 1 tensor changed;"),
        (vec![before, bias(1.0)], vec![double, bias(2.0)], "2 of 2 tensors changed;"),
    ];
    for (lhs, rhs, expected) in cases {
        let answer = answer(&lhs, &rhs);
        let text = answer.strip_prefix("Different: ").unwrap();
        assert!(text.starts_with(expected), "{expected}: {answer}");
        assert!(
            expected.ends_with(';') || text[expected.len()..].starts_with([';', '.']),
            "{expected}: {answer}"
        );
    }
}

#[test]
fn broken_tensors_come_first() {
    let kernel = |scope: &str, value: f32| (format!("model/{scope}/kernel"), floats(&[value, 1.0]));
    let lhs = [kernel("a", 1.0), kernel("b", 1.0), kernel("c", 1.0), kernel("d", 1.0)];
    let rhs = [kernel("a", 9.0), kernel("b", f32::NAN), kernel("c", f32::NAN), kernel("d", 1.0)];
    let diff = compared(&lhs, &rhs);
    let report = on_terminal(&diff, 200);
    let mut lines = report.lines();
    let answer = lines.next().unwrap();
    assert!(
        answer.starts_with(
            "Different: NEW NaN in 2 tensors; 3 of 4 tensors changed; the tensors moved by "
        ),
        "{report}"
    );
    assert!(answer.contains(" where finite ("), "{report}");
    let scopes = lines.next().unwrap();
    assert!(
        scopes.starts_with("  model/b 1 of 1, 0%") || scopes.starts_with("  model/b 1 of 1, new"),
        "{report}"
    );
    assert!(scopes.ends_with(" · unchanged: model/d"), "{report}");
    let stat =
        human(&diff, &ReportOptions { verbosity: Verbosity::Scopes, ..ReportOptions::default() });
    let row = stat.lines().find(|line| line.starts_with("  model/b")).unwrap();
    assert!(row.trim_end().ends_with(" 1"), "the number of tensors with NaN: {stat}");
}

#[test]
fn a_change_of_shape_and_another_optimizer_are_in_the_answer() {
    let named = |name: &str, values: &[f32]| (name.to_owned(), floats(values));
    let lhs = [
        named("embedding", &[1.0]),
        named("kernel", &[1.0, 2.0]),
        named("kernel/Adam", &[0.1, 0.2]),
        named("kernel/Adam_1", &[0.1, 0.3]),
    ];
    let rhs = [
        named("embedding", &[1.0, 2.0]),
        named("kernel", &[1.0, 2.5]),
        named("kernel/Momentum", &[0.1, 0.4]),
    ];
    let answer = on_terminal(&compared(&lhs, &rhs), 200);
    let answer = answer.lines().next().unwrap();
    assert!(answer.starts_with("Different: 2 of 2 weights changed, 1 in shape; "), "{answer}");
    assert!(answer.ends_with("; optimizer tensors: 2 removed, 1 added."), "{answer}");
}

#[test]
fn an_optimizer_moves_without_its_scalars_and_counters_not_at_all() {
    let scalar = |name: &str, value: f32| {
        let tensor =
            Tensor::new(DType::F32, Shape::new(&[]).unwrap(), value.to_le_bytes().to_vec())
                .unwrap();
        (name.to_owned(), tensor)
    };
    let step = |value: i64| {
        let tensor =
            Tensor::new(DType::I64, Shape::new(&[]).unwrap(), value.to_le_bytes().to_vec())
                .unwrap();
        ("global_step".to_owned(), tensor)
    };
    let side = |slot: f32, power: f32, steps: i64| {
        [
            ("kernel".to_owned(), floats(&[1.0])),
            ("kernel/Adam".to_owned(), floats(&[slot])),
            scalar("beta1_power", power),
            step(steps),
        ]
    };
    let report =
        human(&compared(&side(0.001, 0.9, 30), &side(0.002, 0.8, 50)), &ReportOptions::default());
    assert!(
        report.contains(
            "\n  weights: 0 of 1 changed · optimizer: 2 of 2, 100% · counters: 1 of 1, 30 → 50\n"
        ),
        "{report}"
    );
}

#[test]
fn the_maximum_of_a_row_is_that_of_all_its_tensors() {
    // The tensor that moved most as a whole is not the one with the largest relative difference.
    let side = |moved: [f32; 2], small: f32| -> Vec<Named> {
        (0..3)
            .map(|layer| {
                let values = if layer == 0 { [moved[0], moved[1]] } else { [100.0, small] };
                (format!("layer_{layer}/kernel"), floats(&values))
            })
            .collect()
    };
    let diff = compared(&side([1.0, 1.0], 0.01), &side([1.01, 1.01], 0.5));
    let options =
        ReportOptions { columns: Some(120), sort: SortKey::MaxRel, ..ReportOptions::default() };
    let report = human(&diff, &options);
    let rows = section(&report, "Different values");
    assert_eq!(rows.len(), 1, "{report}");
    assert!(rows[0].contains("  49  "), "{report}");
}

#[test]
fn both_values_keep_their_signs_and_differ_in_any_width() {
    let complex = |parts: [f64; 2]| {
        ("z".to_owned(), vector(DType::Complex128, parts.map(f64::to_le_bytes).concat()))
    };
    let lhs = [complex([-1.234_567_891_234e-12, 9.876_543_212_345_67e-12])];
    let rhs = [complex([-1.234_567_891_234e-12, -9.876_543_212_345_67e-12])];
    for columns in [40, 50, 60, 70, 100] {
        let report = on_terminal(&compared(&lhs, &rhs), columns);
        let row =
            report.lines().find(|line| line.contains(" → ") && line.contains("e-12")).unwrap();
        let (before, after) = row.split_once(" → ").unwrap();
        let before = before.split_whitespace().last().unwrap();
        assert!(before.starts_with('-') && after.starts_with('-'), "{columns}: {report}");
        assert_ne!(before, after.trim(), "{columns}: {report}");
    }
}

#[test]
fn many_suggested_renames_take_no_time() {
    const MANY: usize = 20_000;
    let mut diff = compared(&layers(|_| 0.0), &layers(|_| 0.0));
    let template = diff.tensors[0].clone();
    diff.tensors.clear();
    for at in 0..MANY {
        let mut removed = template.clone();
        removed.name = Name::from(&format!("k{at}"));
        (removed.status, removed.rhs) = (Status::Removed, None);
        diff.renames
            .push(Rename { from: removed.name.clone(), to: Name::from(&format!("p{at}/k{at}")) });
        diff.tensors.push(removed);
    }
    diff.tensors.sort_by(|a, b| a.name.cmp(&b.name));
    let start = std::time::Instant::now();
    assert_eq!(rename_rules(&diff).len(), MANY);
    // Each pair looked at every name: minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
