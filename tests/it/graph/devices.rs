//! Comparisons of devices by meaning: another spelling of the same device is a cosmetic change.

use std::fs;

use crate::support::command::{Run, ckdiff};

/// Equivalent spellings in TensorFlow 2.21, by `DeviceSpec.from_string`, or by the placer if Python refuses one of them.
const SAME: &[(&str, &str)] = &[
    ("/gpu:0", "/device:GPU:0"),
    ("/GPU:0", "/gpu:0"),
    ("/cpu:*", "/device:CPU:*"),
    ("/job:ps/task:0", "/task:0/job:ps"),
    ("/job:ps/task:0", "/job:ps/task:00"),
    ("/job:ps/replica:0/task:1/cpu:0", "/device:CPU:0/task:1/replica:0/job:ps"),
    ("/job:worker", "/job:worker/task:*"),
    ("/job:a/job:b", "/job:b"),
    ("/device:GPU", "/device:GPU:*"),
];

/// Different or invalid devices. The placer does not accept `/device:gpu:0` as a GPU, although Python does.
const OTHER: &[(&str, &str)] = &[
    ("/gpu:0", "/gpu:1"),
    ("/cpu:0", "/gpu:0"),
    ("/job:ps/task:0", "/job:ps"),
    ("/job:ps", "/job:PS"),
    ("/device:gpu:0", "/device:GPU:0"),
    ("gpu", "GPU"),
    ("/gpu:x", "/GPU:x"),
    ("/gpu:0", ""),
];

fn diff(form: impl Fn(&str) -> String, (lhs, rhs): (&str, &str)) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    fs::write(path("lhs.pbtxt"), form(lhs)).unwrap();
    fs::write(path("rhs.pbtxt"), form(rhs)).unwrap();
    ckdiff(&[&path("lhs.pbtxt"), &path("rhs.pbtxt"), "--format=json"])
}

/// A graph with a node, a graph with a node in a function, and a SavedModel with a variable.
const PLACES: [fn(&str) -> String; 3] = [
    |device| format!("node {{ name: 'n' op: 'NoOp' device: '{device}' }}"),
    |device| {
        format!(
            "library {{ function {{ signature {{ name: 'f' }}
             node_def {{ name: 'n' op: 'NoOp' device: '{device}' }} }} }}"
        )
    },
    |device| {
        format!(
            "meta_graphs {{ object_graph_def {{ nodes {{ children {{ node_id: 1 local_name: 'v' }} }}
             nodes {{ variable {{ dtype: DT_FLOAT device: '{device}' }} }} }} }}"
        )
    },
];

#[test]
fn two_spellings_of_one_device_are_cosmetic() {
    for place in PLACES {
        for &(lhs, rhs) in SAME {
            for pair in [(lhs, rhs), (rhs, lhs)] {
                let run = diff(place, pair);
                let report = run.json();
                let changes = report["changes"].as_array().unwrap();
                assert_eq!((run.code, changes.len()), (0, 1), "{pair:?}: {changes:?}");
                assert_eq!(changes[0]["weight"], "cosmetic", "{pair:?}");
                assert!(changes[0]["path"].as_str().unwrap().ends_with(".device"), "{changes:?}");
            }
        }
    }
}

#[test]
fn another_device_is_semantic_and_so_is_an_invalid_one() {
    for place in PLACES {
        for &pair in OTHER {
            let run = diff(place, pair);
            let report = run.json();
            assert_eq!(run.code, 1, "{pair:?}: {report:#}");
            assert_eq!(report["summary"]["graph"]["semantic"], 1, "{pair:?}");
        }
    }
}
