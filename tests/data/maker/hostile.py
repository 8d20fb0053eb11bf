"""Damaged checkpoints, each derived from a small good one.

`good` holds a float32[4], b float32[2, 3], c string[2], d int64; `good_slices` holds a and
s float32[4, 2] in two slices; `good_v1` holds the tensors of `good` in the old format. Every
case changes one thing. A case lists the tensors that no reader may return (`broken`), and whether the
checkpoint must still open and return the others (`opens`). If it need not open, a reader may
open it; then each other tensor is as in the good checkpoint, or an error.
"""

import struct
from dataclasses import dataclass, field

import numpy as np
from tensorflow.core.protobuf import tensor_bundle_pb2
from tensorflow.core.util import saved_tensor_slice_pb2

from . import table
from .bundle import grid, save_v1, save_v2
from .rewritten import read_file, write_file
from .tensors import known, strings

Entry = tensor_bundle_pb2.BundleEntryProto
Header = tensor_bundle_pb2.BundleHeaderProto
Saved = saved_tensor_slice_pb2.SavedTensorSlices

TENSORS = (
    known("a", np.array([1, 2, 3, 4], np.float32)),
    known("b", np.array([[0.5, 1.5, 2.5], [-0.5, -1.5, -2.5]], np.float32)),
    strings("c", ["hello", "world!"]),
    known("d", np.int64(7)),
)
SLICED = known("s", np.arange(8, dtype=np.float32).reshape(4, 2))
EVERYTHING = "abcd"
INT64_MAX = (1 << 63) - 1


@dataclass
class Bundle:
    """A V2 checkpoint taken apart: index entries by key, and the only data shard."""

    entries: dict
    data: bytes

    @classmethod
    def read(cls, prefix):
        """Takes a good checkpoint apart."""
        entries = dict(table.read(read_file(prefix + ".index")))
        return cls(entries, read_file(prefix + ".data-00000-of-00001"))

    def index(self, entries=None):
        """The index file for these entries, in the order given."""
        return table.build((self.entries if entries is None else entries).items())

    def edited(self, key, **fields):
        """The index file after a change of fields in one entry; `shape` is a list of sizes."""
        return self.index({**self.entries, key: edit(self.entries[key], **fields)})

    def with_header(self, edit_header):
        """The index file after a change of its header."""
        header = Header.FromString(self.entries[b""])
        edit_header(header)
        return self.index({**self.entries, b"": header.SerializeToString(deterministic=True)})


def edit(value, **fields):
    """A BundleEntryProto with other fields."""
    found = Entry.FromString(value)
    shape = fields.pop("shape", None)
    for name, content in fields.items():
        setattr(found, name, content)
    if shape is not None:
        del found.shape.dim[:]
        for size in shape:
            found.shape.dim.add(size=size)
    return found.SerializeToString(deterministic=True)


@dataclass
class Case:
    """One damaged checkpoint: its files by suffix, and the results that a reader may return."""

    what: str
    files: dict
    broken: str = EVERYTHING
    opens: bool = False


@dataclass
class Cases:
    """All cases by name."""

    good: Bundle
    found: dict = field(default_factory=dict)

    def v2(self, name, what, index, data=None, broken=EVERYTHING, opens=False, base=None):
        """A V2 case; None for `index` leaves the file out, False for `data` likewise."""
        files = {} if index is None else {".index": index}
        if data is not False:
            files[".data-00000-of-00001"] = (base or self.good).data if data is None else data
        self.found[name] = Case(what, files, broken, opens)

    def tensor(self, name, what, key, **fields):
        """A V2 case in which the index entry of one tensor is wrong."""
        self.v2(name, what, self.good.edited(key.encode(), **fields), broken=key, opens=True)

    def v1(self, name, what, entries, broken=EVERYTHING, opens=False):
        """A V1 case, from table entries."""
        self.found["v1_" + name] = Case(what, {"": table.build(entries)}, broken, opens)


def hostile():
    """Writes the good originals and every damaged one; oracle/hostile.json describes the latter."""
    save_v2("hostile/good", TENSORS)
    save_v1("hostile/good_v1", TENSORS)
    parts, specs = grid(SLICED, [(2, 2), (2,)])
    save_v2("hostile/good_slices", [TENSORS[0], *parts], ["", *specs])
    for name, case in cases().items():
        for suffix, data in case.files.items():
            write_file(f"hostile/{name}{suffix}", data)
    return {
        "hostile/good": list(TENSORS),
        "hostile/good_v1": list(TENSORS),
        "hostile/good_slices": [TENSORS[0], SLICED],
    }


def cases():
    """Every case, from the good checkpoints on disk."""
    all_cases = Cases(Bundle.read("hostile/good"))
    for add in (
        whole_files, flipped_bits, shards_and_places, shapes_and_types, headers, keys, slices,
        blocks, compression, handles, string_tensors, old_format,
    ):  # fmt: skip
        add(all_cases)
    return all_cases.found


def flip(data, position, bit=0):
    """The bytes with one bit changed."""
    out = bytearray(data)
    out[position] ^= 1 << bit
    return bytes(out)


def place(bundle, key):
    """(offset, size) of a tensor in the data shard."""
    found = Entry.FromString(bundle.entries[key])
    return found.offset, found.size


# --- files --------------------------------------------------------------------------------------


def whole_files(to):
    """The index is missing, or is not an index."""
    index = to.good.index()
    to.v2("index_missing", "there is data, but no index", None)
    to.v2("index_empty", "the index has no bytes", b"")
    to.v2("index_text", "the index is a text file", b"This is not a table file. " * 4)
    to.v2("index_magic", "another magic number", flip(index, -1))
    to.v2("index_truncated", "the second half of the index is missing", index[: len(index) // 2])
    to.v2("index_footer_only", "nothing but a footer", index[-48:])
    to.v2("index_tail", "bytes after the footer", index + b"tail")


def flipped_bits(to):
    """One bit is flipped."""
    index = to.good.index()
    (_, _), (offset, size) = table.handles(index)
    first, length, _ = table.read_handle(table.read_block(index[offset : offset + size])[0][1])
    to.v2("bit_data_block", "a bit in a data block", flip(index, first + length // 2))
    to.v2("bit_data_block_crc", "a bit in a data block's checksum", flip(index, first + length + 2))
    to.v2("bit_index_block", "a bit in the index block", flip(index, offset + 1))
    to.v2(
        "bit_index_block_crc", "a bit in the index block's checksum", flip(index, offset + size + 2)
    )
    to.v2("bit_block_type", "a bit in a data block's type", flip(index, first + length))
    to.v2("bit_footer", "a bit in the index block's handle", flip(index, len(index) - 46, 3))
    start, _ = place(to.good, b"b")
    to.v2("bit_data", "a bit in tensor b", index, flip(to.good.data, start + 5), "b", True)
    start, size = place(to.good, b"c")
    to.v2(
        "bit_string",
        "a bit in the text of c",
        index,
        flip(to.good.data, start + size - 1),
        "c",
        True,
    )
    to.tensor("entry_crc", "the checksum of b is another", "b", crc32c=0x12345678)


def shards_and_places(to):
    """The data is not at the offset in the index."""
    index, data = to.good.index(), to.good.data
    to.v2("shard_missing", "there is no data file", index, False, opens=True)
    to.v2("shard_empty", "the data file has no bytes", index, b"", opens=True)
    cut, _ = place(to.good, b"c")
    to.v2("shard_short", "the data file ends before c", index, data[:cut], "cd", True)
    to.tensor("shard_id_out_of_range", "b is in shard 5 of 1", "b", shard_id=5)
    to.tensor("shard_id_negative", "b is in shard -1", "b", shard_id=-1)
    to.tensor("offset_past_end", "b starts after the end", "b", offset=100_000)
    to.tensor("offset_max", "b ends after 2^63", "b", offset=INT64_MAX)
    to.tensor("offset_negative", "b starts at -8", "b", offset=-8)
    to.tensor(
        "size_past_end",
        "b has [2, 30000] elements, more than there are",
        "b",
        size=240_000,
        shape=[2, 30_000],
    )
    to.tensor("size_negative", "b has -24 bytes", "b", size=-24)
    to.tensor("size_not_shape", "b has 20 bytes for 24", "b", size=20)
    to.tensor("size_zero", "b has no bytes for 24", "b", size=0)


def shapes_and_types(to):
    """An entry has an impossible shape or type."""
    to.tensor("dim_negative", "b is [2, -3]", "b", shape=[2, -3])
    to.tensor("dim_min", "b is [-2^63, 3]", "b", shape=[-INT64_MAX - 1, 3])
    to.tensor("shape_overflow", "b is [2^32, 2^32], 2^64 elements", "b", shape=[1 << 32, 1 << 32])
    to.tensor(
        "shape_wraps",
        "b is [2^62, 4, 6]: its bytes are 0 modulo 2^64",
        "b",
        shape=[1 << 62, 4, 6],
        size=0,
    )
    to.tensor("shape_absurd", "b is [2^40, 2^40]", "b", shape=[1 << 40, 1 << 40])
    to.tensor("shape_huge", "b is [2^40], and its size agrees", "b", shape=[1 << 40], size=1 << 42)
    to.tensor("shape_rank", "b has 300 dimensions of 1", "b", shape=[1] * 300, size=4)
    to.tensor("dtype_unknown", "b is of type 99", "b", dtype=99)
    to.tensor("dtype_ref", "b is of type 101, a reference", "b", dtype=101)
    to.tensor("dtype_invalid", "b is of type 0", "b", dtype=0)
    unknown = Entry.FromString(to.good.entries[b"b"])
    unknown.shape.Clear()
    unknown.shape.unknown_rank = True
    index = to.good.index({**to.good.entries, b"b": unknown.SerializeToString()})
    to.v2("shape_unknown", "b has an unknown rank", index, broken="b", opens=True)


def headers(to):
    """The first entry does not describe the bundle."""
    good = to.good

    def with_shards(count):
        return good.with_header(lambda header: setattr(header, "num_shards", count))

    without = {key: value for key, value in good.entries.items() if key}
    to.v2("header_missing", "there is no header", good.index(without))
    to.v2(
        "header_unparsable",
        "the header is no message",
        good.index({**good.entries, b"": b"\xff\xff\xff"}),
    )
    consumer = good.with_header(lambda header: setattr(header.version, "min_consumer", 99))
    to.v2("header_min_consumer", "only readers of version 99 may read it", consumer)
    bad = good.with_header(lambda header: header.version.bad_consumers.append(1))
    to.v2("header_bad_consumers", "readers of version 1 may not read it", bad)
    to.v2("header_shards_max", "it says 2^31-1 shards", with_shards((1 << 31) - 1))
    to.v2("header_shards_negative", "it says -1 shards", with_shards(-1))
    to.v2("header_endianness", "its byte order is 7", good.with_header(_odd_endianness))


def _odd_endianness(header):
    header.MergeFromString(b"\x10\x07")


# --- the table ----------------------------------------------------------------------------------


def keys(to):
    """Keys are not sorted and unique, or values are not entries."""
    good = to.good
    entries = list(good.entries.items())
    swapped = [entries[0], entries[2], entries[1], *entries[3:]]
    to.v2("keys_unsorted", "b comes before a", table.build(swapped))
    to.v2("keys_duplicate", "b is listed twice", table.build(entries[:3] + entries[2:]))
    nonsense = {**good.entries, b"b": b"\x0a\xff\xff\xff\xff\x0fno message"}
    to.v2(
        "entry_unparsable",
        "the entry of b is no message",
        good.index(nonsense),
        broken="b",
        opens=True,
    )
    nothing = {**good.entries, b"b": b""}
    to.v2("entry_empty", "the entry of b has no bytes", good.index(nothing), broken="b", opens=True)


def one_block(payload, kind=table.RAW):
    """An index whose only data block has this payload."""
    return table.assemble([(b"e", payload, kind)])


def blocks(to):
    """A block's entries do not add up (its checksum does)."""
    first = table.entry(0, b"", to.good.entries[b""])
    value = to.good.entries[b"a"]
    end = table.restart_array([0])
    payload = table.block(to.good.entries.items())

    def add(name, what, broken_payload, broken=EVERYTHING):
        to.v2(name, what, one_block(broken_payload), broken=broken)

    add(
        "block_shared_too_long",
        "a key shares 9 bytes with an empty one",
        first + table.entry(9, b"a", value) + end,
    )
    header = table.varint(0) + table.varint(5000) + table.varint(len(value))
    add("block_key_past_end", "a key of 5000 bytes", first + header + b"a" + value + end)
    header = table.varint(0) + table.varint(1) + table.varint(5000)
    add("block_value_past_end", "a value of 5000 bytes", first + header + b"a" + value + end)
    header = table.varint(0) + table.varint(1) + table.varint((1 << 64) - 1)
    add("block_value_max", "a value of 2^64-1 bytes", first + header + b"a" + value + end)
    add("block_varint_endless", "a length of 16 bytes", first + b"\xff" * 16 + end)
    add("block_entry_cut", "an entry of one byte", first + b"\0" + end)
    restarts = payload[:-8]
    add(
        "block_restarts_absurd",
        "2^32-1 restart points",
        restarts + table.restart_array([0], (1 << 32) - 1),
    )
    add("block_restarts_many", "10000 restart points", restarts + table.restart_array([0], 10_000))
    add(
        "block_restart_past_end",
        "a restart point at 5000",
        restarts + table.restart_array([5000]),
        broken="",
    )
    add(
        "block_restarts_none", "no restart points", restarts + table.restart_array([], 0), broken=""
    )
    add("block_too_short", "a block of 2 bytes", b"\0\0")
    add("block_empty", "a block without entries", table.block([]))


def compression(to):
    """A compressed block does not decompress as declared."""
    payload = table.block(to.good.entries.items())
    packed = table.snappy(payload)
    body = packed[len(table.varint(len(payload))) :]

    def add(name, what, content, kind=table.SNAPPY):
        to.v2(name, what, one_block(content, kind))

    add("snappy_bomb", "20 bytes that claim to be 2^31", table.varint(1 << 31) + b"\x42" * 15)
    add("snappy_bomb_copies", "600 bytes of copies that claim to be 12801", _snappy_copies(200))
    add("snappy_length", "100 bytes more than there are", table.varint(len(payload) + 100) + body)
    add(
        "snappy_length_short",
        "10 bytes fewer than there are",
        table.varint(len(payload) - 10) + body,
    )
    add(
        "snappy_copy_before_start",
        "a copy from before the start",
        table.varint(8) + b"\x00a\x1a\x50\x00",
    )
    add("snappy_copy_offset_zero", "a copy from offset 0", table.varint(8) + b"\x00a\x1a\x00\x00")
    add("snappy_truncated", "the second half is missing", packed[: len(packed) // 2])
    add("snappy_garbage", "not snappy at all", b"\xff" * 40)
    add("compression_unknown", "type 7", payload, 7)


def _snappy_copies(count):
    """One literal byte, then copies of 64 bytes: valid snappy, but not a block."""
    return table.varint(1 + 64 * count) + b"\x00\x00" + b"\xfe\x01\x00" * count


def handles(to):
    """A block is not at its handle's offset."""
    payload = table.block(to.good.entries.items())
    sealed = table.sealed(payload)
    right = [(b"e", table.handle(0, len(payload)))]

    def with_index(entries):
        return table.finish(bytearray(sealed), entries)

    good = with_index(right)
    (meta_offset, meta_size), (offset, size) = table.handles(good)
    metaindex = table.handle(meta_offset, meta_size)

    def with_footer(index_handle):
        return good[:-48] + table.footer(metaindex, index_handle)

    itself = with_index([(b"e", table.handle(offset, size))])
    to.v2("handle_self", "the index block lists itself as a data block", itself)
    to.v2(
        "handle_past_end",
        "a data block after the end",
        with_index([(b"e", table.handle(100_000, 50))]),
    )
    to.v2(
        "handle_size_max",
        "a data block of 2^63-1 bytes",
        with_index([(b"e", table.handle(0, INT64_MAX))]),
    )
    to.v2(
        "handle_overflow",
        "offset + size is 2^64 + 4",
        with_index([(b"e", table.handle((1 << 64) - 1, 5))]),
    )
    to.v2(
        "handle_unparsable",
        "a handle that is one endless number",
        with_index([(b"e", b"\xff" * 5)]),
    )
    to.v2("handle_twice", "the same data block twice", with_index([*right, (b"f", right[0][1])]))
    to.v2(
        "index_handle_past_end",
        "the index block after the end",
        with_footer(table.handle(100_000, size)),
    )
    to.v2(
        "index_handle_data",
        "the index block is the data block",
        with_footer(table.handle(0, len(payload))),
    )
    to.v2(
        "index_handle_over_footer",
        "the index block reaches into the footer",
        with_footer(table.handle(offset, size + 40)),
    )
    to.v2(
        "index_handle_max",
        "an index block of 2^63-1 bytes",
        with_footer(table.handle(offset, INT64_MAX)),
    )


# --- slices and strings -------------------------------------------------------------------------


def slices(to):
    """The slices of s do not add up to s."""
    good = Bundle.read("hostile/good_slices")
    top, bottom = (
        table.slice_key(b"s", extents) for extents in (((0, 2), (0, 2)), ((2, 2), (0, 2)))
    )
    assert top in good.entries and bottom in good.entries, "a slice key is not as expected"

    def parent(*extents, **fields):
        found = Entry.FromString(edit(good.entries[b"s"], **fields))
        del found.slices[:]
        for extent in extents:
            entry = found.slices.add()
            for start, length in extent:
                entry.extent.add(start=start, length=length)
        return {b"s": found.SerializeToString(deterministic=True)}

    def add(name, what, changes, drop=()):
        entries = {
            key: value for key, value in {**good.entries, **changes}.items() if key not in drop
        }
        index = good.index(dict(sorted(entries.items())))
        to.v2("slices_" + name, what, index, broken="s", opens=True, base=good)

    upper, lower = ((0, 2), (0, 2)), ((2, 2), (0, 2))
    columns = (0, 2)

    def moved(extents, key=bottom, **fields):
        return {table.slice_key(b"s", extents): edit(good.entries[key], **fields)}

    add("entry_missing", "the second slice has no entry", {}, [bottom])
    add("hole", "only rows 0 and 1 are listed", parent(upper), [bottom])
    narrow = ((2, 1), columns)
    add(
        "hole_row",
        "row 3 is in no slice",
        {
            **parent(upper, narrow),
            **moved(narrow, shape=[1, 2], size=8, crc32c=_crc(good, bottom, 8)),
        },
        [bottom],
    )
    over = ((1, 2), columns)
    add(
        "overlap",
        "row 1 is in two slices, row 3 in none",
        {**parent(upper, over), **moved(over)},
        [bottom],
    )
    add(
        "overlap_full", "all is covered, row 1 twice", {**parent(upper, lower, over), **moved(over)}
    )
    outside = ((3, 2), columns)
    add(
        "outside", "a slice of rows 3 and 4", {**parent(upper, outside), **moved(outside)}, [bottom]
    )
    negative = ((-1, 2), columns)
    add(
        "negative",
        "a slice that starts at -1",
        {**parent(upper, negative), **moved(negative)},
        [bottom],
    )
    add("rank", "a slice with one extent of two", parent(upper, ((2, 2),)))
    add(
        "entry_shape",
        "the entry of a slice is [2, 3]",
        {bottom: edit(good.entries[bottom], shape=[2, 3])},
    )
    add(
        "entry_dtype",
        "the entry of a slice is int32",
        {bottom: edit(good.entries[bottom], dtype=3)},
    )
    add("twice", "the first slice is listed twice", parent(upper, upper, lower))
    add("shape_absurd", "s is [2^40, 2^40]", parent(upper, lower, shape=[1 << 40, 1 << 40]))
    add("nested", "a slice has slices itself", {bottom: parent(lower)[b"s"]})


def _crc(bundle, key, size):
    offset, _ = place(bundle, key)
    return table.masked_crc(bundle.data[offset : offset + size])


def string_tensors(to):
    """The lengths of the string tensor c are wrong; all other checksums match."""

    def add(name, what, lengths, text=b"helloworld!", crc=0, **fields):
        payload = _string_payload(lengths, text, crc)
        offset, _ = place(to.good, b"c")
        data = to.good.data[:offset] + payload
        entries = dict(to.good.entries)
        entries[b"c"] = edit(
            entries[b"c"], size=len(payload), crc32c=_string_crc(payload, lengths), **fields
        )
        entries[b"d"] = edit(entries[b"d"], offset=len(data))
        data += to.good.data[place(to.good, b"d")[0] :]
        to.v2("string_" + name, what, to.good.index(entries), data, "c", True)

    add("length_absurd", "the second string has 2^60 bytes", [5, 1 << 60])
    add("length_max", "the second string has 2^64-1 bytes", [5, (1 << 64) - 1])
    add("lengths_overflow", "the lengths add up to 2^64 + 11", [(1 << 63) + 5, (1 << 63) + 6])
    add("length_past_end", "the second string has a byte too many", [5, 7])
    add("lengths_short", "a byte of the text belongs to no string", [5, 5])
    add("length_crc", "the checksum of the lengths is another", [5, 6], crc=1)
    add("count_short", "two lengths for three strings", [5, 6], shape=[3])
    add("count_absurd", "two lengths for 2^40 strings", [5, 6], shape=[1 << 40])
    add("length_endless", "a length of 16 bytes", [5, (1 << 112) - 1], text=b"")


def _string_payload(lengths, text, crc):
    stored = struct.pack("<I", table.mask(_lengths_crc(lengths)) ^ crc)
    return b"".join(table.varint(length) for length in lengths) + stored + text


def _lengths_crc(lengths):
    crc = 0
    for length in lengths:
        width = 4 if length < 1 << 32 else 8
        crc = table.crc32c((length & (1 << 64) - 1).to_bytes(8, "little")[:width], crc)
    return crc


def _string_crc(payload, lengths):
    head = sum(len(table.varint(length)) for length in lengths)
    return table.mask(table.crc32c(payload[head:], _lengths_crc(lengths)))


# --- V1 -----------------------------------------------------------------------------------------


def old_format(to):
    """Damage to a V1 file."""
    good = dict(table.read(read_file("hostile/good_v1")))
    keys_ = {found.data.name: key for key, found in _saved(good).items() if key}
    a_key, b_key = keys_["a"], keys_["b"]

    def data(key, change):
        return {**good, key: _changed(good[key], change)}.items()

    def meta(change):
        return data(b"", change)

    def tensor(found, name="b"):
        return next(item for item in found.meta.tensor if item.name == name)

    def few(found):
        del found.data.data.float_val[4:]

    def other_type(found):
        values = list(found.data.data.float_val)
        found.data.data.ClearField("float_val")
        found.data.data.int_val.extend(int(value) for value in values)

    def halved(found):
        extent = tensor(found).slice[0].extent[0]
        extent.start, extent.length = 0, 1

    def without_tensors(found):
        found.meta.ClearField("tensor")

    missing = {key: value for key, value in good.items() if key}
    to.v1("meta_missing", "there is no list of tensors", missing.items())
    to.v1(
        "meta_unparsable",
        "the list of tensors is no message",
        {**good, b"": b"\xff\xff\xff"}.items(),
    )
    to.v1("meta_empty", "the list of tensors is an empty message", {**good, b"": b""}.items())
    to.v1("meta_lists_none", "no tensor is listed", meta(without_tensors))
    to.v1(
        "meta_min_consumer",
        "only readers of version 99 may read it",
        meta(lambda found: setattr(found.meta.versions, "min_consumer", 99)),
    )
    to.v1(
        "meta_duplicate",
        "b is listed twice, with two shapes",
        meta(lambda found: _listed_twice(found, tensor)),
        "b",
    )
    slice_missing = {key: value for key, value in good.items() if key != b_key}
    to.v1("slice_missing", "b has no data", slice_missing.items(), "b", True)
    to.v1(
        "slice_unparsable",
        "the data of b is no message",
        {**good, b_key: b"\xff\xff\xff"}.items(),
        "b",
        True,
    )
    to.v1("slice_hole", "only the first row of b is listed", meta(halved), "b", True)
    to.v1(
        "slice_of_another",
        "the data of b is that of a",
        {**good, b_key: good[a_key]}.items(),
        "b",
        True,
    )
    to.v1("values_few", "b has 4 values for 6", data(b_key, few), "b", True)
    to.v1(
        "values_many",
        "b has 7 values for 6",
        data(b_key, lambda found: found.data.data.float_val.append(9)),
        "b",
        True,
    )
    to.v1(
        "values_none",
        "b has no values",
        data(b_key, lambda found: found.data.data.ClearField("float_val")),
        "b",
        True,
    )
    to.v1(
        "values_of_another_type", "b has its values in int_val", data(b_key, other_type), "b", True
    )
    to.v1(
        "shape_absurd",
        "b is [2^40, 2^40]",
        meta(lambda found: _reshape(tensor(found), [1 << 40, 1 << 40])),
        "b",
        True,
    )
    to.v1(
        "shape_huge",
        "b is [2^31, 3], and nothing else says so",
        meta(lambda found: _reshape(tensor(found), [1 << 31, 3])),
        "b",
        True,
    )
    to.v1(
        "shape_negative",
        "b is [-2, 3]",
        meta(lambda found: _reshape(tensor(found), [-2, 3])),
        "b",
        True,
    )
    to.v1(
        "shape_other", "b is [3, 3]", meta(lambda found: _reshape(tensor(found), [3, 3])), "b", True
    )
    to.v1(
        "dtype_unknown",
        "b is of type 99",
        meta(lambda found: setattr(tensor(found), "type", 99)),
        "b",
        True,
    )
    to.v1(
        "dtype_other",
        "b is listed as int64",
        meta(lambda found: setattr(tensor(found), "type", 9)),
        "b",
        True,
    )
    file = read_file("hostile/good_v1")
    to.found["v1_truncated"] = Case(
        "the second half of the file is missing", {"": file[: len(file) // 2]}
    )
    to.found["v1_bit"] = Case("a bit in a data block", {"": flip(file, 100)})


def _saved(entries):
    return {key: Saved.FromString(value) for key, value in entries.items()}


def _changed(value, change):
    found = Saved.FromString(value)
    change(found)
    return found.SerializeToString(deterministic=True)


def _reshape(listed, shape):
    del listed.shape.dim[:]
    for size in shape:
        listed.shape.dim.add(size=size)


def _listed_twice(found, tensor):
    other = found.meta.tensor.add()
    other.CopyFrom(tensor(found))
    _reshape(other, [3, 2])


MAKERS = {"hostile": hostile}
