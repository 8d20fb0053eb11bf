"""The sorted table behind `.index` files and V1 checkpoints, small and slow.

Only what the fixtures need: reading a table that TensorFlow wrote, and building tables that
TensorFlow would not write (big-endian, snappy, damaged). Layout as in LevelDB:

    [data block]* [metaindex block] [index block] [footer: 48 bytes]
    block := entries, restart offsets (u32 LE), their count (u32 LE); then type byte, masked crc32c
"""

import struct

MAGIC = 0xDB4775248B80FB57
RAW, SNAPPY = 0, 1


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _crc_table()


def crc32c(data, crc=0):
    """Castagnoli checksum of `data`, continued from `crc`."""
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def mask(crc):
    """The stored form of a checksum."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def masked_crc(data):
    """The stored checksum of `data`."""
    return mask(crc32c(data))


def varint(value):
    """LEB128 of a value that is not negative."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data, pos):
    """Returns (value, position after it)."""
    value = shift = 0
    while True:
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, pos


def handle(offset, size):
    """A block handle; `size` leaves out the five trailer bytes."""
    return varint(offset) + varint(size)


def entry(shared, suffix, value):
    """One block entry: lengths, key suffix, value."""
    return varint(shared) + varint(len(suffix)) + varint(len(value)) + suffix + value


def _shared_length(a, b):
    length = 0
    while length < min(len(a), len(b)) and a[length] == b[length]:
        length += 1
    return length


def block(entries, interval=16):
    """The payload of a block with a restart point at every `interval`-th entry."""
    out, restarts, last = bytearray(), [], b""
    for number, (key, value) in enumerate(entries):
        shared = _shared_length(last, key)
        if number % interval == 0:
            restarts.append(len(out))
            shared = 0
        out += entry(shared, key[shared:], value)
        last = key
    return bytes(out) + restart_array(restarts or [0])


def restart_array(offsets, count=None):
    """The end of a block payload; `count` overrides the number of offsets."""
    stored = len(offsets) if count is None else count
    return struct.pack(f"<{len(offsets)}I", *offsets) + struct.pack("<I", stored)


def sealed(payload, kind=RAW):
    """A block with its trailer."""
    return payload + bytes([kind]) + struct.pack("<I", masked_crc(payload + bytes([kind])))


def footer(metaindex, index):
    """The last 48 bytes, from two block handles."""
    return (metaindex + index).ljust(40, b"\0") + struct.pack("<Q", MAGIC)


def assemble(blocks, separators=None):
    """A whole table from data blocks given as (last key, payload, kind)."""
    out, index = bytearray(), []
    for last, payload, kind in blocks:
        index.append((last, handle(len(out), len(payload))))
        out += sealed(payload, kind)
    return finish(out, index if separators is None else separators(index))


def finish(out, index_entries, compress=None):
    """Appends metaindex, index and footer to data blocks already in `out`."""
    pieces = []
    for payload in (block([]), block(index_entries, interval=1)):
        stored, kind = compress(payload) if compress else (payload, RAW)
        pieces.append(handle(len(out), len(stored)))
        out += sealed(stored, kind)
    return bytes(out) + footer(*pieces)


def build(entries):
    """A table with one uncompressed data block."""
    entries = list(entries)
    return assemble([(entries[-1][0], block(entries), RAW)])


def build_snappy(entries, entries_per_block):
    """A table of several blocks, all of them compressed."""
    out, index = bytearray(), []
    for start in range(0, len(entries), entries_per_block):
        part = entries[start : start + entries_per_block]
        payload = snappy(block(part))
        index.append((part[-1][0], handle(len(out), len(payload))))
        out += sealed(payload, SNAPPY)
    return finish(out, index, lambda payload: (snappy(payload), SNAPPY))


def read_block(payload):
    """The (key, value) entries of a block payload."""
    end = len(payload) - 4 - 4 * struct.unpack("<I", payload[-4:])[0]
    pos, key, entries = 0, b"", []
    while pos < end:
        shared, pos = read_varint(payload, pos)
        unshared, pos = read_varint(payload, pos)
        length, pos = read_varint(payload, pos)
        key = key[:shared] + payload[pos : pos + unshared]
        pos += unshared
        entries.append((key, payload[pos : pos + length]))
        pos += length
    return entries


def read_handle(data, pos=0):
    """Returns (offset, size, position after it)."""
    offset, pos = read_varint(data, pos)
    size, pos = read_varint(data, pos)
    return offset, size, pos


def handles(table):
    """(offset, size) of the metaindex and of the index block."""
    end = table[-48:]
    meta_offset, meta_size, pos = read_handle(end)
    offset, size, _ = read_handle(end, pos)
    return (meta_offset, meta_size), (offset, size)


def read(table):
    """All entries of an uncompressed table, checksums checked."""
    _, (offset, size) = handles(table)
    entries = []
    for _, value in read_block(table[offset : offset + size]):
        start, length, _ = read_handle(value)
        payload, trailer = table[start : start + length], table[start + length :][:5]
        assert trailer == sealed(payload)[-5:], "not an intact, uncompressed block"
        entries += read_block(payload)
    return entries


def snappy(data):
    """Snappy: literals, and copies with two-byte offsets where four bytes repeat."""
    assert len(data) < 65536, "two-byte offsets would not reach"
    out, seen, start, pos = bytearray(varint(len(data))), {}, 0, 0
    while pos + 4 <= len(data):
        found = seen.get(data[pos : pos + 4])
        seen[data[pos : pos + 4]] = pos
        if found is None:
            pos += 1
            continue
        length = 4
        while (
            length < 64 and pos + length < len(data) and data[found + length] == data[pos + length]
        ):
            length += 1
        out += _literal(data[start:pos])
        out += bytes([(length - 1) << 2 | 2]) + struct.pack("<H", pos - found)
        pos += length
        start = pos
    return bytes(out + _literal(data[start:]))


def _literal(data):
    if not data:
        return b""
    if len(data) <= 60:
        return bytes([(len(data) - 1) << 2]) + data
    return bytes([61 << 2]) + struct.pack("<H", len(data) - 1) + data


def slice_key(name, extents):
    """The key of a slice: ordered code of 0, name, rank, then start and length of each dimension."""
    escaped = b"".join({0: b"\0\xff", 255: b"\xff\0"}.get(byte, bytes([byte])) for byte in name)
    out = b"\0" + escaped + b"\0\x01" + (bytes([1, len(extents)]) if extents else b"\0")
    for number in (number for extent in extents for number in extent):
        assert -64 <= number < 64, "only the one-byte form is written here"
        out += bytes([number & 0xFF ^ 0x80])
    return out
