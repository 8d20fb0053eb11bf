//! Why a path is no checkpoint that we read: what it is instead, or what was looked for and what is near.

use std::path::Path;

use crate::bytes::{File, ReadAt, suggestion};
use crate::error::{Error, ErrorKind, Result};

use super::{format, v2};

/// Names what `path` is, when it is something we know of but do not read as a checkpoint.
pub(super) fn known(path: &Path) -> Option<Error> {
    if let Some(error) = remote(path) {
        return Some(error.in_file(path));
    }
    let kind = if path.is_dir() { of_directory(path)? } else { of_file(path, &head(path).ok()?)? };
    Some(Error::from(ErrorKind::Unsupported(kind)).in_file(path))
}

/// Says that `path` is on another machine, where it is.
pub(super) fn remote(path: &Path) -> Option<Error> {
    let text = path.to_string_lossy();
    let (scheme, _) = text.split_once("://").filter(|_| !path.exists())?;
    let kind = format!("{scheme}:// paths are remote; ckdiff reads local files only");
    Some(ErrorKind::Unsupported(kind).into())
}

/// Says that nothing is at `path`, or that what is there is no checkpoint.
pub(super) fn nothing(path: &Path) -> Error {
    if path.is_dir() {
        let inside = inside(path);
        let kind = format!("there is no state file `checkpoint` to name the latest one; {inside}");
        return Error::from(ErrorKind::NotFound(kind)).in_file(path);
    }
    if path.exists() {
        let kind = "this is no checkpoint: it does not end as a table does (is it cut short?), and has no \
                    .index beside it"
            .into();
        return Error::from(ErrorKind::Unsupported(kind)).in_file(path);
    }
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let names = format::checkpoints_in(dir);
    let near = suggestion::closest(name.as_bytes(), names.iter().map(String::as_bytes), 5);
    let near: Vec<&str> = near.iter().filter_map(|name| std::str::from_utf8(name).ok()).collect();
    let hint = if !dir.is_dir() {
        format!("; there is no directory {}", dir.display())
    } else if v2::has_data(path) {
        "; its data is there, and cannot be read without".into()
    } else if !near.is_empty() {
        format!("; near it: {}", near.join(", "))
    } else {
        String::new()
    };
    let kind = format!("no checkpoint is there: neither {name}.index nor a file {name}{hint}");
    Error::from(ErrorKind::NotFound(kind)).in_file(path)
}

/// Which checkpoints are in a directory.
pub(super) fn inside(path: &Path) -> String {
    let names = format::checkpoints_in(path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names.len() {
        0 => "no checkpoint is in it".into(),
        _ => format!("in it: {}", listed(&names)),
    }
}

fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown = names.get(..SHOWN).unwrap_or(names).join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn head(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut head = vec![0; file.len().min(1024) as usize];
    file.read_at(0, &mut head)?;
    Ok(head)
}

/// What a file is that holds neither a checkpoint nor a message, by its first bytes.
pub(crate) fn foreign(path: &Path, head: &[u8]) -> Option<String> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let name = name.unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let compressed = |with: &str| Some(format!("this is compressed with {with}; unpack it first"));
    let what = match head {
        [0x89, b'H', b'D', b'F', ..] => "a Keras HDF5 file",
        [b'P', b'K', 3 | 5, 4 | 6, ..] => match extension {
            "keras" => "a Keras archive",
            "npz" => "a NumPy archive",
            "pt" | "pth" | "bin" | "ckpt" => "a PyTorch file",
            _ => "a zip archive",
        },
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => "a NumPy array",
        [0x80, 2..=5, ..] => "a pickle, as PyTorch writes",
        [_, _, _, _, _, _, 0, 0, b'{', b'"', ..] => "a safetensors file",
        [0x1f, 0x8b, 8, ..] => return compressed("gzip"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => return compressed("zstd"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => return compressed("xz"),
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', ..] => return compressed("bzip2"),
        _ if head.starts_with(b"version https://git-lfs.github.com/spec/") => {
            let kind = "this is a Git LFS pointer, not the file itself; `git lfs pull` fetches it";
            return Some(kind.into());
        }
        _ if name == "saved_model.cpb" => "a SavedModel in chunks",
        _ => return None,
    };
    Some(unread(what))
}

fn of_directory(path: &Path) -> Option<String> {
    let inside = |name: &str| path.join(name).exists();
    if inside("saved_model.cpb") {
        return Some(unread("a SavedModel in chunks (saved_model.cpb)"));
    }
    if inside("saved_model.pb") || inside("saved_model.pbtxt") {
        return Some("this is a SavedModel; its checkpoint is variables/variables in it".into());
    }
    None
}

fn unread(what: &str) -> String {
    format!("this is {what}; ckdiff does not read those yet")
}

/// What a file is by its first bytes and, where those leave it open, its name.
pub(super) fn of_file(path: &Path, head: &[u8]) -> Option<String> {
    if let Some(foreign) = foreign(path, head) {
        return Some(foreign);
    }
    if path.file_name().is_some_and(|name| name == "saved_model.pb") {
        return Some("this is a SavedModel's graph; its checkpoint is variables/variables".into());
    }
    is_text(head).then(|| of_text(head))
}

fn of_text(head: &[u8]) -> String {
    let text = String::from_utf8_lossy(head);
    let named = text.trim_start().strip_prefix("model_checkpoint_path:").map(|rest| {
        let value = rest.lines().next().unwrap_or("").trim();
        value.trim_matches(|c| c == '"' || c == '\'').to_owned()
    });
    match named {
        Some(name) => {
            format!("this is the state file of a directory of checkpoints; the latest is {name}")
        }
        None => "this is text, no checkpoint".into(),
    }
}

/// Whether `head` is text: no control characters, and UTF-8 but for a cut last character.
fn is_text(head: &[u8]) -> bool {
    let valid = match std::str::from_utf8(head) {
        Ok(_) => head.len(),
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Err(_) => return false,
    };
    let control = |&byte: &u8| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t');
    valid > 0 && !head.iter().any(|byte| control(byte) || *byte == 0x7f)
}
