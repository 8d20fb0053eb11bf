//! Runs of fuzz targets and seeded mutations on tables and checkpoints: everything in them is read.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use ckdiff::Limits;
use ckdiff::bytes::Memory;
use ckdiff::checkpoint::Checkpoint;
use ckdiff::table::Table;
use ckdiff::tensor::TensorSource;

/// Limits that any test machine can bear.
pub(crate) fn limits() -> Limits {
    Limits { tensor_bytes: 1 << 26, ..Limits::default() }
}

/// Reads all entries of a table.
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

/// The dtype, shape and content of a tensor.
pub(crate) type Read = (String, Result<(String, Vec<u8>), ckdiff::Error>);

/// Reads every tensor in chunks of `chunk` elements; an error if the checkpoint does not open or reports damage.
pub(crate) fn read_all(path: &Path, chunk: usize) -> Result<Vec<Read>, ckdiff::Error> {
    let (read, damage) = read_listed(path, chunk)?;
    damage.map_or(Ok(read), Err)
}

/// Reads every tensor that is listed, in chunks of `chunk` elements, and the first damage to the list.
///
/// # Errors
/// If the checkpoint does not open.
pub(crate) fn read_listed(
    path: &Path,
    chunk: usize,
) -> Result<(Vec<Read>, Option<ckdiff::Error>), ckdiff::Error> {
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
    Ok((read.collect(), checkpoint.damage().first().cloned()))
}

/// Reads the content of a tensor, unless it is larger than the limit of a test.
pub(crate) fn read(source: &dyn TensorSource, chunk: usize) -> Result<Vec<u8>, ckdiff::Error> {
    let size = source.dtype().size().unwrap_or(1);
    let mut out = vec![0; size * chunk];
    let mut content = Vec::new();
    let mut stream = source.stream()?;
    loop {
        let read = stream.read(&mut out)?;
        assert!(
            read % size == 0 && read <= out.len(),
            "{read} bytes read of elements of {size} bytes"
        );
        if read == 0 {
            assert_eq!(stream.read(&mut out)?, 0, "a stream that has ended stays at its end");
            return Ok(content);
        }
        content.extend_from_slice(&out[..read]);
    }
}

/// Writes a new file after removing the old one: file systems flush an overwritten file, which takes a millisecond.
pub(crate) fn put(path: &Path, bytes: &[u8]) {
    drop(std::fs::remove_file(path));
    std::fs::write(path, bytes).expect("the directory is writable");
}

/// Reads a V2 checkpoint with this index and data. Returns whether it opens undamaged.
pub(crate) fn open_checkpoint_v2(dir: &Path, index: &[u8], data: &[u8]) -> bool {
    let prefix = dir.join("m");
    put(&dir.join("m.index"), index);
    put(&dir.join("m.data-00000-of-00001"), data);
    read_all(&prefix, 1000).is_ok()
}

/// Reads a V1 checkpoint with these bytes. Returns whether it opens undamaged.
pub(crate) fn open_checkpoint_v1(dir: &Path, bytes: &[u8]) -> bool {
    let path = dir.join("m");
    put(&path, bytes);
    read_all(&path, 1000).is_ok()
}

/// Reads `bytes` as an index of shards, then as a safetensors file: a header up to the first zero byte, then content.
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
