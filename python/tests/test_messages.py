"""Converting messages."""

from __future__ import annotations

import pytest

import ckdiff

META = "tests/data/demo/model.ckpt.meta"


def test_nothing_is_lost_between_the_forms() -> None:
    meta = ckdiff.read_message(META)
    for again in (meta.to_text(), meta.to_text(single_line=True), meta.to_json(), meta.to_json(compact=True), meta.to_binary()):
        assert bytes(ckdiff.parse_message(again, "tensorflow.MetaGraphDef")) == bytes(meta)
    assert "\n" not in meta.to_text(single_line=True).strip()
    assert str(meta) == meta.to_text() and repr(meta) == f"<ckdiff.Message tensorflow.MetaGraphDef from '{META}'>"


def test_type_and_form_are_recognized_or_stated() -> None:
    assert ckdiff.parse_message('model_checkpoint_path: "m"').type == "tensorflow.CheckpointState"
    assert ckdiff.parse_message("{}", "GraphDef", form="json").to_text() == ""
    with pytest.raises(ValueError, match="binary, text or json"):
        ckdiff.parse_message("{}", "GraphDef", form="yaml")  # type: ignore[arg-type]
    with pytest.raises(ckdiff.Error, match="GraphDef"):
        ckdiff.parse_message("", "GrafDef")
    with pytest.raises(TypeError, match="expected str, bytes or a message, found int"):
        ckdiff.parse_message(3)  # type: ignore[arg-type]


def test_an_error_in_a_text_has_its_line_and_column() -> None:
    with pytest.raises(ckdiff.Error) as raised:
        ckdiff.parse_message('node {\n  name: "a"\n  opp: "Add"\n}', "GraphDef")
    assert (raised.value.line, raised.value.column) == (3, 3)


def test_a_message_of_the_protobuf_library_is_taken() -> None:
    class Graph:
        class DESCRIPTOR:
            full_name = "tensorflow.GraphDef"

        def SerializeToString(self) -> bytes:
            return b"\n\x08\n\x01a\x12\x03Add"

    assert ckdiff.parse_message(Graph()).to_text(single_line=True).strip() == 'node { name: "a" op: "Add" }'


def test_a_checkpoint_is_no_message() -> None:
    with pytest.raises(ckdiff.Error):
        ckdiff.read_message("tests/data/demo/model.ckpt")
