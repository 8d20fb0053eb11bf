//! Relative paths, computed from names alone as by Python's `os.path.relpath`.

use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Result};

/// The path from the directory `start` to `path`. Relative paths start at the working directory.
///
/// # Errors
/// If the working directory does not exist.
pub(super) fn path(path: &Path, start: &Path) -> Result<PathBuf> {
    let (path, start) = (normal(path)?, normal(start)?);
    let shared = path.iter().zip(&start).take_while(|(a, b)| a == b).count();
    let up = start.iter().skip(shared).map(|_| Path::new(".."));
    let relative: PathBuf = up.chain(path.iter().skip(shared).map(PathBuf::as_path)).collect();
    Ok(if relative.as_os_str().is_empty() { PathBuf::from(".") } else { relative })
}

/// The components of a path from the root, with `..` resolved.
fn normal(path: &Path) -> Result<Vec<PathBuf>> {
    let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let absolute = std::path::absolute(here)
        .map_err(|error| Error::io("find the working directory for", error).in_file(path))?;
    let mut steps = Vec::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => {
                steps.pop();
            }
            Component::Normal(name) => steps.push(PathBuf::from(name)),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_python() {
        for (to, from, expected) in [
            ("/a/b/c", "/a", "b/c"),
            ("/a", "/a/b", ".."),
            ("/a", "/a", "."),
            ("/a/../b/./c", "/b/d", "../c"),
            ("x/model", "x", "model"),
            ("model", "", "model"),
            ("../model", "x", "../../model"),
        ] {
            let found = path(Path::new(to), Path::new(from)).unwrap();
            assert_eq!(found, Path::new(expected), "{to} from {from}");
        }
    }
}
