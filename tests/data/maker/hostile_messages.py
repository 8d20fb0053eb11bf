"""Text, JSON and binary that a parser may get wrong, in `hostile_messages/`, and the results of other parsers."""

import base64
import os
import pathlib
import shutil
import subprocess
from dataclasses import dataclass

from google.protobuf import json_format, text_format
from google.protobuf.message import DecodeError

from . import messages, oracle

FOLDER = "hostile_messages"
NODE, ATTR, TENSOR = "tensorflow.NodeDef", "tensorflow.AttrValue", "tensorflow.TensorProto"
SHAPE, STATE, GRAPH = "tensorflow.TensorShapeProto", "tensorflow.CheckpointState", "tensorflow.GraphDef"
META, VERSIONS, ANY = "tensorflow.MetaGraphDef", "tensorflow.VersionDef", "google.protobuf.Any"
COLLECTION = "tensorflow.CollectionDef"


@dataclass(frozen=True)
class Case:
    """One input; `refused` decides if the parsers disagree."""

    message: str
    content: bytes
    why: str
    refused: object = None


def text(message, content, why, refused=None):
    """A case of text format."""
    return Case(message, content.encode() if isinstance(content, str) else content, why, refused)


TEXT = {
    "empty": text(NODE, "", "nothing is an empty message"),
    "only_comment": text(NODE, "# nothing", "a comment without a line feed"),
    "unterminated_string": text(NODE, 'name: "x', "a string runs into the end"),
    "string_over_lines": text(NODE, 'name: "x\ny"', "a line feed within a string"),
    "mixed_quotes": text(NODE, "name: \"x'", "a string begins with one quote and ends with the other"),
    "adjacent_strings": text(NODE, "name: \"a\" 'b'\n# between\n\"c\"", "strings side by side are one"),
    "unclosed_message": text(GRAPH, 'node { name: "x"', "no closing bracket"),
    "closed_twice": text(GRAPH, 'node { name: "x" } }', "a closing bracket too many"),
    "brackets_differ": text(GRAPH, 'node { name: "x" >', "opened by one kind of bracket, closed by the other"),
    "angle_brackets": text(GRAPH, 'node < name: "x" >', "angle brackets are brackets"),
    "nul_outside": text(NODE, b'name: "x"\0op: "y"', "NUL between fields"),
    "nul_in_string": text(NODE, b'name: "x\0y"', "NUL within a string", True),
    "bom": text(NODE, b'\xef\xbb\xbfname: "x"', "a byte order mark"),
    "utf16": text(NODE, 'name: "x"'.encode("utf-16"), "UTF-16"),
    "not_utf8_in_string": text(NODE, b'name: "\xff\xfe"', "bytes that are not UTF-8 in a string field", True),
    "not_utf8_in_bytes": text(ATTR, b's: "\xff\xfe"', "bytes that are not UTF-8 unescaped in a bytes field", False),
    "not_utf8_in_comment": text(NODE, b'# \xff\nname: "x"', "bytes that are not UTF-8 in a comment", False),
    "not_utf8_outside": text(NODE, b'name\xff: "x"', "bytes that are not UTF-8 in the name of a field"),
    "not_utf8_escaped": text(NODE, r'name: "\377"', "an escape makes a string that is not UTF-8", True),
    "surrogate_escaped": text(NODE, r'name: "\355\240\200"', "escapes make the UTF-8 of a surrogate", True),
    "unicode_escape": text(NODE, r'name: "\u00ef\U0001f642"', "Unicode escapes"),
    "unicode_escape_pair": text(NODE, r'name: "\ud83d\ude42"', "a surrogate pair in two escapes", False),
    "unicode_escape_half": text(NODE, r'name: "\ud83d"', "half of a surrogate pair"),
    "unicode_escape_beyond": text(NODE, r'name: "\U00110000"', "an escape beyond U+10FFFF", True),
    "unicode_escape_short": text(NODE, r'name: "\u12"', "a Unicode escape of two digits"),
    "octal_escapes": text(ATTR, r's: "\0\18\1234\08"', "octal escapes of one to three digits"),
    "octal_too_big": text(ATTR, r's: "\400"', "an octal escape beyond 255", True),
    "hex_escapes": text(ATTR, r's: "\x1\x1g\xfF"', "hexadecimal escapes of one and two digits"),
    "hex_capital": text(ATTR, r's: "\Xa"', "a hexadecimal escape with a capital X", True),
    "hex_three_digits": text(ATTR, r's: "\x123"', "a third digit belongs to the string"),
    "hex_no_digit": text(ATTR, r's: "\xg"', "a hexadecimal escape without a digit"),
    "unknown_escape": text(ATTR, r's: "\q"', "an escape that means nothing", True),
    "escape_at_end": text(ATTR, 's: "\\', "a backslash at the end"),
    "simple_escapes": text(ATTR, r's: "\a\b\f\n\r\t\v\\\'\"\?"', "every escape of one letter", False),
    "int32_too_big": text(VERSIONS, "producer: 2147483648", "2^31 in an int32"),
    "int32_least": text(VERSIONS, "producer: -2147483648", "-2^31 in an int32"),
    "int64_too_small": text(ATTR, "i: -9223372036854775809", "-2^63 - 1 in an int64"),
    "int64_hex": text(ATTR, "i: -0x7fffffffffffffff", "a hexadecimal number"),
    "int64_octal": text(ATTR, "i: 0777", "an octal number"),
    "int64_bad_octal": text(ATTR, "i: 089", "an octal number with a nine"),
    "int64_float": text(ATTR, "i: 1.0", "a point in an integer"),
    "int64_plus": text(ATTR, "i: +1", "a plus sign", True),
    "uint64_negative": text(TENSOR, "uint64_val: -1", "a negative number in an unsigned field"),
    "minus_apart": text(ATTR, "i: - 1", "blank after the minus sign", False),
    "minus_twice": text(ATTR, "i: --1", "two minus signs"),
    "float_forms": text(TENSOR, "float_val: [1, 1.5f, .5, 5., 1e3, -1E-3F, inf, -Infinity, nan, -nan, 1e999]",
                        "every form of a number in a float", False),
    "float_hex": text(ATTR, "f: 0x10", "a hexadecimal number in a float"),
    "float_suffix": text(ATTR, "f: 1.5d", "a suffix that is none"),
    "float_exponent": text(ATTR, "f: 1e", "an exponent without digits"),
    "float_octal": text(ATTR, "f: 012", "an octal number in a float"),
    "float_overflow": text(ATTR, "f: 1e39", "beyond float32 becomes infinity"),
    "bool_forms": text(TENSOR, "bool_val: [true, True, t, 1, 0, false, False, f]", "every form of a bool"),
    "bool_yes": text(ATTR, "b: yes", "not a bool"),
    "bool_two": text(ATTR, "b: 2", "a number that is no bool"),
    "enum_unknown_name": text(ATTR, "type: DT_NONE_SUCH", "a name that the enum does not have"),
    "enum_unknown_number": text(ATTR, "type: 7777", "a number that the enum does not have"),
    "enum_too_big": text(ATTR, "type: 2147483648", "an enum beyond int32"),
    "enum_quoted": text(ATTR, 'type: "DT_FLOAT"', "the name of an enum in quotes"),
    "twice_scalar": text(NODE, 'name: "x" name: "y"', "a singular field twice"),
    "twice_message": text(ATTR, "shape { } shape { unknown_rank: true }", "a singular message twice"),
    "twice_oneof": text(ATTR, "i: 1 f: 2", "two fields of a oneof"),
    "twice_key": text(NODE, 'attr { key: "a" value { i: 1 } } attr { key: "a" value { i: 2 } }',
                      "a key of a map twice: the last one holds"),
    "map_without_key": text(NODE, "attr { value { i: 1 } }", "an entry without a key"),
    "map_without_value": text(NODE, 'attr { key: "a" }', "an entry without a value"),
    "map_as_list": text(NODE, 'attr: [{ key: "a" }, { key: "b" value { } }]', "a list of entries"),
    "unknown_field": text(NODE, 'name: "x" no_such_field: 1', "a field that the message does not have"),
    "unknown_message": text(NODE, "no_such_field { a: 1 }", "a message field that the message does not have"),
    "field_number": text(NODE, '1: "x"', "a number for a name"),
    "name_in_capitals": text(NODE, 'NAME: "x"', "names have a case"),
    "json_name": text(TENSOR, "tensorContent: \"x\"", "the JSON name of a field"),
    "extension": text(NODE, "[tensorflow.none_such]: 1", "an extension that does not exist"),
    "no_colon_scalar": text(NODE, 'name "x"', "a scalar field without a colon"),
    "no_colon_list": text(NODE, 'input ["x"]', "a list of scalars without a colon"),
    "colon_message": text(GRAPH, "versions: { producer: 1 }", "a colon before a message"),
    "colon_twice": text(NODE, 'name:: "x"', "two colons"),
    "list_empty": text(NODE, "input: []", "an empty list"),
    "list_of_singular": text(NODE, 'name: ["x"]', "a list for a singular field", True),
    "list_trailing_comma": text(NODE, 'input: ["x",]', "a comma after the last element"),
    "list_no_comma": text(TENSOR, "int_val: [1 2]", "a list without commas"),
    "list_unclosed": text(TENSOR, "int_val: [1, 2", "a list without an end"),
    "list_of_messages": text(GRAPH, 'node [{ name: "x" }, < name: "y" >]', "a list of messages"),
    "list_in_list": text(TENSOR, "int_val: [[1]]", "a list in a list"),
    "separators": text(NODE, 'name: "x"; op: "y", device: "z";', "commas and semicolons after fields"),
    "separators_twice": text(NODE, 'name: "x";; op: "y"', "two semicolons"),
    "separator_first": text(NODE, '; name: "x"', "a semicolon before the first field"),
    "no_blank": text(VERSIONS, "producer:1min_consumer:2", "a number runs into a name"),
    "no_blank_string": text(NODE, 'name:"x"op:"y"', "no blank between fields"),
    "comment_ends_in_cr": text(NODE, '# comment\rname: "x"', "a carriage return does not end a comment"),
    "c_comment": text(NODE, '/* comment */ name: "x"', "a comment of another language"),
    "any_expanded": text(ANY, '[type.googleapis.com/tensorflow.AssetFileDef] { filename: "x" }', "an Any with its content", False),
    "any_other_prefix": text(ANY, '[example.com/a/tensorflow.AssetFileDef] { filename: "x" }',
                             "another host in the type of an Any", False),
    "any_unknown": text(ANY, "[type.googleapis.com/example.None] { a: 1 }", "an Any of an unknown type"),
    "any_not_any": text(NODE, "[type.googleapis.com/tensorflow.AssetFileDef] { }", "expanded, but not an Any"),
    "any_and_value": text(ANY, '[type.googleapis.com/tensorflow.AssetFileDef] { } value: "x"', "an Any expanded and not", True),
    "any_plain": text(ANY, 'type_url: "type.googleapis.com/example.None" value: "\\010"', "an Any not expanded"),
    "other_message": text(META, 'name: "x" op: "Const"', "a NodeDef where a MetaGraphDef is wanted"),
    "value_missing": text(NODE, "name:", "no value"),
    "binary": text(NODE, b"\n\x01x\x12\x01y", "binary where text is wanted"),
    "json_document": text(NODE, '{"name": "x"}', "JSON where text is wanted"),
}  # fmt: skip


def js(message, content, why, refused=None):
    """A case of JSON."""
    return Case(message, content.encode() if isinstance(content, str) else content, why, refused)


JSON = {
    "empty": js(NODE, "", "nothing"),
    "null": js(NODE, "null", "null for a message"),
    "array": js(NODE, "[]", "an array for a message", True),
    "null_fields": js(NODE, '{"name": null, "attr": null, "input": null}', "null is an absent field"),
    "null_in_list": js(NODE, '{"input": ["x", null]}', "null in a list"),
    "null_in_map": js(NODE, '{"attr": {"a": null}}', "null in a map"),
    "trailing_comma": js(NODE, '{"name": "x",}', "a comma after the last member"),
    "trailing_text": js(NODE, '{"name": "x"} x', "more after the document"),
    "single_quotes": js(NODE, "{'name': 'x'}", "single quotes"),
    "comment": js(NODE, '{"name": "x" /* y */}', "a comment"),
    "bom": js(NODE, b'\xef\xbb\xbf{"name": "x"}', "a byte order mark"),
    "not_utf8": js(NODE, b'{"name": "\xff"}', "not UTF-8"),
    "control_character": js(NODE, b'{"name": "a\nb"}', "a line feed within a string", True),
    "nul_escaped": js(NODE, r'{"name": "a\u0000b"}', "NUL by an escape"),
    "lone_surrogate": js(NODE, r'{"name": "\ud83d"}', "half of a surrogate pair"),
    "surrogate_pair": js(NODE, r'{"name": "\ud83d\ude42"}', "a surrogate pair"),
    "bad_escape": js(NODE, r'{"name": "\q"}', "an escape that means nothing"),
    "unknown_member": js(NODE, '{"name": "x", "noSuchField": 1}', "a field that the message does not have"),
    "snake_case": js(TENSOR, '{"version_number": 3, "int_val": [1]}', "names as in the .proto file"),
    "twice": js(NODE, '{"name": "x", "name": "y"}', "a member twice"),
    "twice_both_names": js(TENSOR, '{"versionNumber": 3, "version_number": 4}', "a field by both its names", True),
    "twice_key": js(NODE, '{"attr": {"a": {"i": 1}, "a": {"i": 2}}}', "a key of a map twice", True),
    "twice_oneof": js(ATTR, '{"i": 1, "f": 2}', "two fields of a oneof"),
    "twice_oneof_null": js(ATTR, '{"i": 1, "f": null}', "two fields of a oneof, one of them null"),
    "string_for_list": js(NODE, '{"input": "x"}', "a string for a list"),
    "list_for_string": js(NODE, '{"name": ["x"]}', "a list for a string"),
    "number_for_string": js(NODE, '{"name": 1}', "a number for a string"),
    "int32_forms": js(TENSOR, '{"intVal": [1, "2", 3.0, 4e0, "5"]}', "forms of an integer", False),
    "int32_too_big": js(TENSOR, '{"intVal": [2147483648]}', "2^31 in an int32"),
    "int32_fraction": js(TENSOR, '{"intVal": [1.5]}', "a fraction in an integer"),
    "int32_blank": js(TENSOR, '{"intVal": [" 1"]}', "a blank in a quoted integer", True),
    "int32_true": js(TENSOR, '{"intVal": [true]}', "a bool for an integer"),
    "int32_hex": js(TENSOR, '{"intVal": ["0x10"]}', "a hexadecimal number"),
    "int64_quoted": js(ATTR, '{"i": "-9223372036854775808"}', "the least int64"),
    "int64_bare": js(ATTR, '{"i": 9223372036854775807}', "the greatest int64 as a number"),
    "int64_too_big": js(ATTR, '{"i": "9223372036854775808"}', "2^63 in an int64"),
    "uint64_negative": js(TENSOR, '{"uint64Val": ["-1"]}', "a negative number in an unsigned field"),
    "leading_zero": js(ATTR, '{"i": 01}', "a leading zero"),
    "leading_plus": js(ATTR, '{"i": +1}', "a plus sign"),
    "float_forms": js(TENSOR, '{"floatVal": [1, -0.0, 1e3, "1.5", "NaN", "Infinity", "-Infinity"]}', "forms of a float"),
    "float_bare_nan": js(TENSOR, '{"floatVal": [NaN]}', "NaN without quotes"),
    "float_nan_other": js(TENSOR, '{"floatVal": ["nan"]}', "NaN in small letters", True),
    "float_overflow": js(TENSOR, '{"floatVal": [1e39]}', "beyond float32"),
    "double_overflow": js(TENSOR, '{"doubleVal": [1e999]}', "beyond float64", True),
    "bool_quoted": js(ATTR, '{"b": "true"}', "a bool in quotes"),
    "bool_number": js(ATTR, '{"b": 1}', "a number for a bool"),
    "enum_number": js(ATTR, '{"type": 1}', "the number of an enum"),
    "enum_unknown_number": js(ATTR, '{"type": 7777}', "a number that the enum does not have"),
    "enum_unknown_name": js(ATTR, '{"type": "DT_NONE_SUCH"}', "a name that the enum does not have"),
    "bytes_url_alphabet": js(ATTR, '{"s": "-_-_"}', "base64 of the URL alphabet"),
    "bytes_no_padding": js(ATTR, '{"s": "YQ"}', "base64 without padding"),
    "bytes_not_base64": js(ATTR, '{"s": "a*b="}', "not base64", True),
    "bytes_one_letter": js(ATTR, '{"s": "a"}', "one letter of base64"),
    "any_type_last": js(ANY, '{"filename": "x", "@type": "type.googleapis.com/tensorflow.AssetFileDef"}', "the type of an Any after its fields"),
    "any_no_type": js(ANY, '{"filename": "x"}', "an Any without its type"),
    "any_unknown": js(ANY, '{"@type": "type.googleapis.com/example.None"}', "an Any of an unknown type"),
    "any_wrapper": js(ANY, '{"@type": "type.googleapis.com/google.protobuf.Int64Value", "value": "7"}', "an Any of a wrapper"),
    "map_uint32_key": js("tensorflow.FunctionDef", '{"resourceArgUniqueId": {"7": 1, "4294967295": 2}}', "integers as keys"),
    "map_bad_key": js("tensorflow.FunctionDef", '{"resourceArgUniqueId": {"-1": 1}}', "a negative key"),
    "text_document": js(NODE, 'name: "x"', "text where JSON is wanted"),
}  # fmt: skip


def binary(message, hexadecimal, why, refused=None):
    """A case of the wire format."""
    return Case(message, bytes.fromhex(hexadecimal), why, refused)


BINARY = {
    "empty": binary(NODE, "", "nothing is an empty message"),
    "tag_zero": binary(NODE, "00", "field number 0"),
    "tag_cut": binary(NODE, "80", "a tag without an end"),
    "tag_too_big": binary(NODE, "8080808010 00", "a field number beyond 2^29 - 1"),
    "tag_padded": binary(NODE, "8a808000 01 78", "a tag in more bytes than it needs", False),
    "varint_ten_bytes": binary(ATTR, "18 ffffffffffffffffff01", "-1 in ten bytes"),
    "varint_padded": binary(ATTR, "18 818080808080808000", "1 in nine bytes"),
    "varint_overflow": binary(ATTR, "18 ffffffffffffffffff7f", "bits beyond the 64th are lost"),
    "varint_eleven_bytes": binary(ATTR, "18 ffffffffffffffffffff01", "eleven bytes"),
    "varint_cut": binary(ATTR, "18 ffff", "a varint without an end"),
    "int32_truncated": binary(VERSIONS, "08 ffffffff1f", "33 bits in an int32 lose the upper ones"),
    "bool_two": binary(ATTR, "28 02", "2 in a bool is true"),
    "enum_negative": binary(ATTR, "30 ffffffffffffffffff01", "-1 in an enum"),
    "length_past_end": binary(NODE, "0a 05 7879", "a length past the end"),
    "length_huge": binary(NODE, "0a ffffffffffffffffff01", "a length of 2^64 - 1"),
    "length_2gib": binary(NODE, "0a 8080808008", "a length of 2 GiB"),
    "length_past_parent": binary(GRAPH, "0a 04 0a 05 7878 7979", "a length past the end of the message around it"),
    "string_not_utf8": binary(NODE, "0a 02 fffe", "a string that is not UTF-8", True),
    "string_surrogate": binary(NODE, "0a 03 eda080", "the UTF-8 of a surrogate", True),
    "string_overlong": binary(NODE, "0a 02 c080", "NUL in two bytes", True),
    "key_not_utf8": binary(NODE, "2a 04 0a 02 fffe", "a key that is not UTF-8", True),
    "bytes_not_utf8": binary(ATTR, "12 02 fffe", "bytes that are not UTF-8"),
    "wire_type_other": binary(NODE, "08 01", "a varint for a string is an unknown field"),
    "wire_type_six": binary(NODE, "0e 01", "wire type 6"),
    "wire_type_seven": binary(NODE, "0f 01", "wire type 7"),
    "group_unknown": binary(NODE, "a306 0801 a406", "a group is an unknown field"),
    "group_open": binary(NODE, "a306 0801", "a group without an end"),
    "group_end_alone": binary(NODE, "a406", "the end of a group without its start"),
    "group_end_other": binary(NODE, "a306 0801 ac06", "the end of another group"),
    "group_end_in_message": binary(GRAPH, "a306 0a 02 a406 a406", "the end of a group within a string is none"),
    "packed": binary(TENSOR, "3a 03 010203", "packed integers"),
    "unpacked": binary(TENSOR, "38 01 38 02", "the same not packed"),
    "packed_mixed": binary(TENSOR, "38 01 3a 02 0203 38 04", "packed and not, mixed"),
    "packed_cut": binary(TENSOR, "3a 02 01ff", "a packed varint runs past its end"),
    "packed_floats_ragged": binary(TENSOR, "2a 05 0000803f00", "packed floats of five bytes"),
    "packed_empty": binary(TENSOR, "3a 00", "no packed integers"),
    "fixed32_cut": binary(ATTR, "25 0000", "a float of two bytes"),
    "map_duplicate": binary(NODE, "2a 07 0a 01 61 12 02 1801 2a 07 0a 01 61 12 02 1802", "a key twice: the last one holds"),
    "map_no_key": binary(NODE, "2a 04 12 02 1801", "an entry without a key"),
    "map_no_value": binary(NODE, "2a 03 0a 01 61", "an entry without a value"),
    "map_value_twice": binary(NODE, "2a 0b 0a 01 61 12 02 1801 12 02 1802", "a value twice in an entry: merged"),
    "map_unknown_in_entry": binary(NODE, "2a 09 0a 01 61 12 02 1801 18 05", "an unknown field in an entry: Python makes the whole entry unknown, C++ only the field"),
    "oneof_twice": binary(ATTR, "18 01 25 0000803f", "two fields of a oneof: the last one holds"),
    "oneof_message_twice": binary(ATTR, "3a 02 1801 3a 04 12 02 0805", "a message of a oneof twice: merged"),
    "scalar_twice": binary(NODE, "0a 01 78 0a 01 79", "a singular field twice: the last one holds"),
    "message_twice": binary(GRAPH, "22 02 0801 22 02 1002", "a singular message twice: merged"),
    "fields_out_of_order": binary(NODE, "12 01 79 0a 01 78", "fields in another order"),
    "unknown_all": binary(NODE, "a006 9601 a906 0102030405060708 b206 03 616263 c506 01020304", "unknown fields of every wire type"),
    "reserved_field": binary("tensorflow.QueueRunnerDef", "38 01", "a field that is not defined"),
    "text": binary(NODE, b'name: "x"'.hex(), "text where binary is wanted"),
    "trailing_zero": binary(NODE, "0a 01 78 00", "a zero byte at the end"),
}  # fmt: skip

DISPUTED = ("map_unknown_in_entry",)
"""Cases that both parsers accept but read differently: the oracle has no canonical bytes."""
FORMATS = {"text": ("pbtxt", TEXT), "json": ("json", JSON), "binary": ("pb", BINARY)}


def write():
    """Writes all cases and oracle/hostile_messages.json; stops at an undecided disagreement."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    defined_in = messages.files()
    found, undecided = [], []
    for form, (suffix, cases) in FORMATS.items():
        for name, case in cases.items():
            path = f"{FOLDER}/{name}.{suffix}"
            pathlib.Path(path).write_bytes(case.content)
            verdicts = {"python": _python(form, case)}
            if form != "json":
                verdicts["protoc"] = _protoc(form, case, defined_in[case.message])
            refusals = {"error" in verdict for verdict in verdicts.values()}
            given = [v["canonical_b64"] for v in verdicts.values() if "canonical_b64" in v]
            if (len(refusals) > 1 or len(set(given)) > 1) and case.refused is None:
                undecided.append(f"{path}: {verdicts}")
            refused = refusals.pop() if case.refused is None else case.refused
            entry = {"path": path, "format": form, "message": case.message, "refused": refused}
            keep = not refused and given and name not in DISPUTED
            expected = [v for v in verdicts.values() if "canonical_b64" in v][-1] if keep else {}
            found.append({**entry, **expected, "why": case.why, **verdicts})
    if undecided:
        raise SystemExit("undecided:\n" + "\n".join(undecided))
    oracle.write("oracle/hostile_messages.json", found, 1)


def _python(form, case):
    """The result of Python's parser, after decoding the file as TensorFlow does."""
    message = messages.new(case.message)
    try:
        if form == "binary":
            message.ParseFromString(case.content)
        elif form == "text":
            text_format.Parse(case.content.decode(), message)
        else:
            json_format.Parse(case.content.decode(), message)
    except (DecodeError, UnicodeError, text_format.ParseError, json_format.ParseError) as error:
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())}"[:160]}
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        return {"error": f"not foreseen, {type(error).__name__}: {' '.join(str(error).split())}"[:160]}
    return _accepted(message)


def _protoc(form, case, file):
    way = "encode" if form == "text" else "decode"
    command = ["protoc", f"-I{messages.PROTO}", f"--{way}={case.message}", file]
    done = subprocess.run(command, input=case.content, capture_output=True, check=False)
    if done.returncode:
        return {"error": " ".join(done.stderr.decode(errors="replace").split())[:160]}
    if form == "binary":
        return {}
    message = messages.new(case.message)
    try:
        message.ParseFromString(done.stdout)
    except DecodeError:
        return {"error": "accepted, but what it writes cannot be read"}
    return _accepted(message)


def _accepted(message):
    form = base64.b64encode(messages.canonical(message)).decode()
    return {"canonical_b64": form, **messages.if_other(message)}
