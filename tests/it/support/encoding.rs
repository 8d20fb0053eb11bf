//! Hand-made tables and messages, for content that TensorFlow does not write.

use ckdiff::bytes::{Crc32c, ordered_code, varint};

/// A length-delimited field.
pub(crate) fn bytes(number: u64, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    varint::write(number << 3 | 2, &mut out);
    varint::write(value.len() as u64, &mut out);
    out.extend(value);
    out
}

/// A varint field.
pub(crate) fn int(number: u64, value: i64) -> Vec<u8> {
    let mut out = Vec::new();
    varint::write(number << 3, &mut out);
    varint::write(value as u64, &mut out);
    out
}

/// A field of four bytes.
pub(crate) fn fixed32(number: u64, value: u32) -> Vec<u8> {
    let mut out = Vec::new();
    varint::write(number << 3 | 5, &mut out);
    out.extend(value.to_le_bytes());
    out
}

/// A group.
pub(crate) fn group(number: u64, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    varint::write(number << 3 | 3, &mut out);
    out.extend(content);
    varint::write(number << 3 | 4, &mut out);
    out
}

/// Varints without tags.
pub(crate) fn packed(values: &[i64]) -> Vec<u8> {
    let mut out = Vec::new();
    values.iter().for_each(|&value| varint::write(value as u64, &mut out));
    out
}

/// A `TensorShapeProto`.
pub(crate) fn shape(dims: &[i64]) -> Vec<u8> {
    dims.iter().flat_map(|&dim| bytes(2, &int(1, dim))).collect()
}

/// A `TensorSliceProto`; a length of -1 is left out.
pub(crate) fn slice(extents: &[(i64, i64)]) -> Vec<u8> {
    let extent = |&(start, len): &(i64, i64)| {
        let len = if len < 0 { Vec::new() } else { int(2, len) };
        bytes(1, &[int(1, start), len].concat())
    };
    extents.iter().flat_map(extent).collect()
}

/// The key of a slice.
pub(crate) fn slice_key(name: &str, extents: &[(i64, i64)]) -> Vec<u8> {
    let mut key = Vec::new();
    ordered_code::write_unsigned(0, &mut key);
    ordered_code::write_string(name.as_bytes(), &mut key);
    ordered_code::write_unsigned(extents.len() as u64, &mut key);
    for &(start, len) in extents {
        ordered_code::write_signed(start, &mut key);
        ordered_code::write_signed(len, &mut key);
    }
    key
}

/// The header of a V2 index.
pub(crate) fn header(shards: i64) -> Vec<u8> {
    [int(1, shards), bytes(3, &int(1, 1))].concat()
}

/// A `BundleEntryProto` of content in the first shard.
pub(crate) fn entry(dtype: i64, dims: &[i64], offset: i64, size: i64, content: &[u8]) -> Vec<u8> {
    let crc = fixed32(6, Crc32c::of(content).masked());
    [int(1, dtype), bytes(2, &shape(dims)), int(4, offset), int(5, size), crc].concat()
}

/// A key and its value.
pub(crate) type Pair = (Vec<u8>, Vec<u8>);

/// The payload of a block with these entries; keys share prefixes.
pub(crate) fn payload(entries: &[Pair]) -> Vec<u8> {
    let (mut out, mut before): (Vec<u8>, &[u8]) = (Vec::new(), &[]);
    for (key, value) in entries {
        let shared = key.iter().zip(before).take_while(|(a, b)| a == b).count();
        for len in [shared, key.len() - shared, value.len()] {
            varint::write(len as u64, &mut out);
        }
        out.extend(&key[shared..]);
        out.extend(value);
        before = key;
    }
    out.extend([0, 0, 0, 0, 1, 0, 0, 0]);
    out
}

/// A table with these blocks, each after its separator.
pub(crate) fn table_of(blocks: &[(Vec<u8>, Vec<Pair>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut index = Vec::new();
    for (separator, entries) in blocks {
        index.push((separator.clone(), block(&payload(entries), &mut out)));
    }
    finish(&index, out)
}

/// Appends the metaindex block, the index block and the footer.
fn finish(index: &[Pair], mut out: Vec<u8>) -> Vec<u8> {
    let metaindex = block(&payload(&[]), &mut out);
    let index = block(&payload(index), &mut out);
    let mut footer = [metaindex, index].concat();
    footer.resize(40, 0);
    out.extend(footer);
    out.extend(0xdb47_7524_8b80_fb57_u64.to_le_bytes());
    out
}

/// A table with one block of this payload, valid or not.
pub(crate) fn table_around(payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let handle = block(payload, &mut out);
    finish(&[(vec![0xff; 16], handle)], out)
}

/// A table with one block.
pub(crate) fn table(entries: &[Pair]) -> Vec<u8> {
    let last = entries.last().map(|(key, _)| key.clone()).unwrap_or_default();
    table_of(&[(last, entries.to_vec())])
}

/// Appends an uncompressed block and returns its handle.
fn block(payload: &[u8], out: &mut Vec<u8>) -> Vec<u8> {
    let mut handle = Vec::new();
    varint::write(out.len() as u64, &mut handle);
    varint::write(payload.len() as u64, &mut handle);
    let mut crc = Crc32c::of(payload);
    crc.update(&[0]);
    out.extend(payload);
    out.push(0);
    out.extend(crc.masked().to_le_bytes());
    handle
}

/// A V1 file of one tensor in one slice, with this `TensorProto`.
pub(crate) fn v1(name: &str, dtype: i64, dims: &[i64], tensor: &[u8]) -> Vec<u8> {
    table(&v1_entries(name, dtype, dims, tensor))
}

/// The entries of [`v1`]: the list of tensors, and the slice.
pub(crate) fn v1_entries(name: &str, dtype: i64, dims: &[i64], tensor: &[u8]) -> [Pair; 2] {
    let full = vec![(0, -1); dims.len()];
    let whole = slice(&full);
    let listed =
        [bytes(1, name.as_bytes()), bytes(2, &shape(dims)), int(3, dtype), bytes(4, &whole)]
            .concat();
    let meta = bytes(1, &[bytes(1, &listed), bytes(2, &int(1, 1))].concat());
    let saved = [bytes(1, name.as_bytes()), bytes(2, &whole), bytes(3, tensor)].concat();
    [(Vec::new(), meta), (slice_key(name, &full), bytes(2, &saved))]
}
