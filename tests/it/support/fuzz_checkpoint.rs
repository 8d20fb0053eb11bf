//! What fuzz targets and seeded mutations do with the bytes of tables and checkpoints: read everything there is in them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use ckdiff::bytes::{Limits, Memory};
use ckdiff::checkpoint::Checkpoint;
use ckdiff::table::Table;
use ckdiff::tensor::TensorSource;

/// Bounds a machine under test can bear.
pub(crate) fn limits() -> Limits {
    Limits { tensor_bytes: 1 << 26, ..Limits::default() }
}

/// Walks all of a table.
pub(crate) fn open_table(bytes: &[u8]) {
    let limits = limits();
    let Ok(table) = Table::open(Arc::new(Memory(bytes.into())), &limits) else {
        return;
    };
    let damage = table.scan(&mut |_, value| match value.bytes(limits.entry_bytes) {
        Ok(_) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    });
    for error in damage {
        assert!(!error.to_string().is_empty());
    }
}

/// A tensor as it was read: type, shape, content.
pub(crate) type Read = (String, Result<(String, Vec<u8>), ckdiff::Error>);

/// Reads every tensor, in chunks of `chunk` elements; `Err` when the checkpoint does not open or is damaged itself.
pub(crate) fn read_all(path: &Path, chunk: usize) -> Result<Vec<Read>, ckdiff::Error> {
    let checkpoint = Checkpoint::open_with(path, &limits())?;
    let read = checkpoint.tensors().map(|entry| {
        let content = entry.source.as_ref().map_err(Clone::clone).and_then(|source| {
            let kind = format!("{} {}", source.dtype(), source.shape());
            if let Some(extent) = source.extent() {
                assert!(source.dtype().size().is_some(), "{extent:?}");
            }
            source.stored_checksums();
            Ok((kind, read(&**source, chunk)?))
        });
        (entry.name.printable(), content)
    });
    let read = read.collect();
    match checkpoint.damage().first() {
        Some(error) => Err(error.clone()),
        None => Ok(read),
    }
}

/// All content of a tensor, unless it is more than a test can bear.
pub(crate) fn read(source: &dyn TensorSource, chunk: usize) -> Result<Vec<u8>, ckdiff::Error> {
    let size = source.dtype().size().unwrap_or(1);
    let mut out = vec![0; size * chunk];
    let mut content = Vec::new();
    let mut stream = source.stream()?;
    loop {
        let read = stream.read(&mut out)?;
        assert!(read % size == 0 && read <= out.len(), "{read} bytes of elements of {size}");
        if read == 0 {
            assert_eq!(stream.read(&mut out)?, 0, "the end stays the end");
            return Ok(content);
        }
        content.extend_from_slice(&out[..read]);
    }
}

/// Writes a file anew. Not over an old one: file systems flush those when they are closed, which takes a millisecond.
pub(crate) fn put(path: &Path, bytes: &[u8]) {
    drop(std::fs::remove_file(path));
    std::fs::write(path, bytes).expect("the directory is writable");
}

/// Reads a V2 checkpoint of this index and this data. Returns whether it opens undamaged.
pub(crate) fn open_checkpoint_v2(dir: &Path, index: &[u8], data: &[u8]) -> bool {
    let prefix = dir.join("m");
    put(&dir.join("m.index"), index);
    put(&dir.join("m.data-00000-of-00001"), data);
    read_all(&prefix, 1000).is_ok()
}

/// Reads a V1 checkpoint of these bytes. Returns whether it opens undamaged.
pub(crate) fn open_checkpoint_v1(dir: &Path, bytes: &[u8]) -> bool {
    let path = dir.join("m");
    put(&path, bytes);
    read_all(&path, 1000).is_ok()
}

/// Reads these bytes as an index of shards, then as a safetensors file: a header up to the first zero byte, and content.
/// Returns whether one of them opens undamaged.
pub(crate) fn open_safetensors(dir: &Path, bytes: &[u8]) -> bool {
    let path = dir.join("m.safetensors.index.json");
    put(&path, bytes);
    let is_index = read_all(&path, 1000).is_ok();
    let cut = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (header, content) = (&bytes[..cut], bytes.get(cut + 1..).unwrap_or_default());
    let path = dir.join("m.safetensors");
    put(&path, &[&(cut as u64).to_le_bytes(), header, content].concat());
    read_all(&path, 1000).is_ok() || is_index
}
