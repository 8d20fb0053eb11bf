//! Machines without a GPU: no Vulkan loader, no driver, or an invalid driver file.
//!
//! A Vulkan loader reads its environment once, so each environment gets its own process: this test binary, with one test.

use std::fs;
use std::path::Path;

use ckdiff::compare::{AdapterKind, Device, adapters};

use crate::support::command::{command, finish};
use crate::support::process::{run_alone, test_process};

/// Set in environments that have no adapter.
const NO_ADAPTER: &str = "CKDIFF_NO_ADAPTER";

#[test]
fn every_listed_adapter_opens_and_no_other() {
    let adapters = adapters();
    if std::env::var_os(NO_ADAPTER).is_some() {
        assert_eq!(adapters, []);
    }
    for adapter in &adapters {
        assert!(adapter.most_bytes >= 1 << 20, "{adapter:?}");
        let device = Device::gpu(Some(&adapter.name.to_uppercase())).unwrap();
        assert_eq!(format!("{device:?}"), format!("Device({})", adapter.name));
    }
    let error =
        |name| Device::gpu(name).map(|device| format!("{device:?}")).unwrap_err().to_string();
    let unknown = error(Some("no such GPU"));
    for adapter in &adapters {
        assert!(unknown.contains(&adapter.name), "{unknown}");
    }
    if adapters.iter().all(|adapter| adapter.kind == AdapterKind::Software) {
        let said = error(None);
        let expected =
            if cfg!(feature = "gpu") { "there is no GPU" } else { "without GPU support" };
        assert!(said.contains(expected), "{said}");
        // A software adapter is correct but slow, so it is used only if named.
        assert_eq!(said.contains("must be named"), !adapters.is_empty(), "{said}");
    }
}

/// Variables of an environment without an adapter.
fn surroundings(directory: &Path) -> Vec<(&'static str, Vec<(&'static str, String)>)> {
    let path = |name: &str| directory.join(name).display().to_string();
    for library in ["libvulkan.so", "libvulkan.so.1"] {
        fs::write(path(library), "").unwrap();
    }
    fs::write(path("broken.json"), "{\"file_format_version\": \"1.0.0\", \"ICD\": ").unwrap();
    let no_library = r#"{"file_format_version":"1.0.0","ICD":{"library_path":"nowhere.so","api_version":"1.3.0"}}"#;
    fs::write(path("no_library.json"), no_library).unwrap();
    // The older and the newer name of the same variable.
    let driver = |file: String| vec![("VK_DRIVER_FILES", file.clone()), ("VK_ICD_FILENAMES", file)];
    vec![
        ("no loader", vec![("LD_LIBRARY_PATH", directory.display().to_string())]),
        ("no driver", driver("/nonexistent".into())),
        ("a broken driver file", driver(path("broken.json"))),
        ("a driver file without its library", driver(path("no_library.json"))),
    ]
}

#[cfg(target_os = "linux")]
#[test]
fn no_adapters_are_found_without_loader_or_driver() {
    let directory = tempfile::tempdir().unwrap();
    for (_, variables) in surroundings(directory.path()) {
        let mut test = test_process(module_path!(), "every_listed_adapter_opens_and_no_other");
        test.env(NO_ADAPTER, "1").envs(variables);
        run_alone(test);
    }
}

#[test]
fn without_loader_or_driver_the_command_runs_on_the_cpu() {
    let directory = tempfile::tempdir().unwrap();
    let pair = ["compare/lhs.ckpt", "compare/rhs.ckpt", "--rtol=1e-3", "--format=json"];
    let on = |device: &str, variables: Vec<(&str, String)>| {
        let mut command = command(&pair);
        command.arg(format!("--device={device}")).envs(variables);
        finish(command)
    };
    let expected = on("cpu", Vec::new());
    assert_eq!((expected.code, expected.stderr.as_str()), (1, ""));
    for (what, variables) in surroundings(directory.path()) {
        let run = on("auto", variables);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{what}");
        assert_eq!(run.stdout, expected.stdout, "{what}");
    }
}
