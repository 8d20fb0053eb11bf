"""Reads ckdiff's reports for CI with the programs that read them there.

Usage: python check.py CKDIFF SCHEMA, the command and Jenkins' junit-10.xsd. It needs junitparser, lxml, PyYAML and pre-commit, and
cmark-gfm on the path.

JUnit is read by junitparser, and validated by the schema. Markdown is rendered by cmark-gfm: every table is a table, every row has
as many cells as its header, and no name becomes a link, an element or a format. Annotations are read as
`ActionCommand.TryParseV2` and `TryParse` of GitHub's runner do. Checkpoints with hostile names are written by the command, with
`save-as --rename`. The files for CI in `docs/ci` are read by the programs that they are for, as far as these can be had.
"""

import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import junitparser
import yaml
from lxml import etree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data"

NAMES = [
    "<script>alert(1)</script>", "</details>]]>", "a|b", "a\\|b\\", "a`b``c", "x\x1b[31mred", "new\nline\r\n::error::x", "##[error]x",
    "::error::x", "@everyone #1 !2 :smile: www.x.org https://x.org", "a\"b'c&amp;", "\uffff\u202e", "50%25%0A",
    "[link](https://x.org) ![i](x)", "  two  spaces ", "*b* _i_ ~~s~~ $m$", "-->", "\\x41", "[1]: https://x.org", "n" * 10_000,
]

# Without rules, with rules that hold or do not, within a tolerance, damage, graphs, and a report that must be cut.
RUNS = [
    ["demo/model.ckpt", "demo/model.ckpt"],
    ["demo/v1format.ckpt", "demo/model.ckpt"],
    ["retrain/baseline.ckpt", "retrain/retrained.ckpt"],
    ["--rtol", "1", "retrain/baseline.ckpt", "retrain/retrained.ckpt"],
    ["hostile/good", "hostile/bit_data"],
    ["names/odd.ckpt", "demo/model.ckpt"],
    ["names/odd.ckpt", "names/odd.ckpt"],
    ["graphs/control_flow_v1.meta", "graphs/control_flow_v2.meta"],
    ["--strict", "--verbose", "graphs/control_flow_v1.meta", "graphs/control_flow_v2.meta"],
    ["--rules", "same-start", "training/seeds/1", "training/faulty/warm/frozen"],
    ["--rules", "same-start", "--show-passed", "training/seeds/1", "training/warm/5"],
    ["--rules", "same-start", "hostile/good", "hostile/bit_data"],
]


def run(ckdiff, *args, code=(0, 1, 2)):
    done = subprocess.run([ckdiff, *args], cwd=DATA, capture_output=True)
    assert done.returncode in code, (args, done.stderr.decode())
    return done


def hostile_pair(ckdiff, directory):
    """Two checkpoints with a tensor for each hostile name, which differ in every value."""
    tensors = "".join(f"{i:02}" for i in range(len(NAMES)))
    assert len(tensors) == 2 * len(NAMES)
    # safetensors is the simplest file to write: a header of JSON, and bytes.
    paths = []
    for side, value in (("lhs", b"\0\0\x80?"), ("rhs]]>|`<b>", b"\0\0\0@")):
        entries = {f"t{i:02}": {"dtype": "F32", "shape": [1], "data_offsets": [4 * i, 4 * i + 4]} for i in range(len(NAMES))}
        header = json.dumps(entries).encode()
        path = directory / f"{side}.safetensors"
        path.write_bytes(len(header).to_bytes(8, "little") + header + value * len(NAMES))
        renames = [f"--rename=^t{i:02}$={name.replace('$', '$$')}" for i, name in enumerate(NAMES) if "=" not in name]
        out = directory / side
        run(ckdiff, "save-as", "--format", "v2", *renames, str(path), str(out), code=(0,))
        paths.append(str(out))
    return paths


def check_junit(report, schema, code):
    tree = etree.fromstring(report)
    schema.assertValid(tree.getroottree())
    parsed = junitparser.JUnitXml.fromstring(report)
    suites = list(parsed)
    for suite in suites:
        outcomes = [type(result).__name__ for case in suite for result in case.result]
        counts = [outcomes.count(name) for name in ("Failure", "Error", "Skipped")]
        assert [suite.failures, suite.errors, suite.skipped] == counts, (suite.name, outcomes)
        assert suite.tests == len(list(suite)) == len({(case.classname, case.name) for case in suite})
    assert parsed.tests == sum(suite.tests for suite in suites)
    assert code == (2 if parsed.errors else 1 if parsed.failures else 0), code
    cases = [case for suite in suites for case in suite]
    for case in cases:
        assert all(result.message == result.text.split("\n")[0] and result.type.startswith("ckdiff.") for result in case.result)
    return len(cases)


class Page(html.parser.HTMLParser):
    """The tables of a rendered page, and everything in it that a name must not become."""

    WANTED = {"h3", "p", "ul", "li", "code", "pre", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "strong"}

    def __init__(self):
        super().__init__()
        self.open, self.tables, self.texts = [], [], []

    def handle_starttag(self, tag, attrs):
        assert tag in self.WANTED, (tag, attrs)
        assert all(key in ("align", "lang", "class") for key, _ in attrs), attrs
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append(0)
        elif tag in ("td", "th"):
            self.tables[-1][-1] += 1

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.open)

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))


def check_markdown(report):
    assert len(report) <= 60_000, len(report)
    options = ["--unsafe", *(word for name in ("table", "autolink", "strikethrough", "tasklist", "footnotes") for word in ("--extension", name))]
    rendered = subprocess.run(["cmark-gfm", *options], input=report, capture_output=True, check=True).stdout.decode()
    page = Page()
    page.feed(rendered)
    assert not page.open, page.open
    # GitHub looks for mentions and references in text outside of code.
    prose = [text for tag, text in page.texts if tag not in ("code", "pre")]
    assert not any(re.search(r"[@#][\w-]|://|www\.\w", text) for text in prose), prose
    assert not any(line.startswith("|") or "<details" in line for text in prose for line in text.splitlines()), prose
    written = report.decode()
    assert len(page.tables) == written.count("\n| :--"), "a table is not rendered as one"
    rows = 0
    for table in page.tables:
        assert len(set(table)) == 1, table
        rows += len(table)
    assert rows + len(page.tables) == sum(line.startswith("|") for line in written.splitlines()), "a row is not rendered as one"
    return "".join(text for tag, text in page.texts if tag == "code")


# Reports of other commands, which have no annotations.
OTHERS = [
    ["verify", "demo/model.ckpt", "hostile/bit_data", "demo/gone", "fit/default_saver"],
    ["verify", "names/odd.ckpt"],
    ["series", "training/steps"],
    ["series", "training/diverging"],
    ["series", "--first", "nan", "training/diverging"],
]


COMMANDS = {"error", "warning", "notice", "debug", "add-mask", "group", "endgroup", "stop-commands", "set-env", "add-path"}


def unescaped(text, *escapes):
    for escape, token in (("%0D", "\r"), ("%0A", "\n"), *escapes, ("%25", "%")):
        text = text.replace(escape, token)
    return text


def parse_v2(line):
    line = line.lstrip()
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, properties = line[2:end].partition(" ")
    if name not in COMMANDS:
        return None
    pairs = (property.split("=", 1) for property in properties.strip().split(",") if property)
    properties = {pair[0]: unescaped(pair[1], ("%3A", ":"), ("%2C", ",")) for pair in pairs if len(pair) == 2}
    return name, properties, unescaped(line[end + 2:])


def check_github(report, rhs):
    counts = dict.fromkeys(("error", "warning", "notice"), 0)
    # .NET ends lines at CR and LF.
    for line in re.split(r"\r\n|\r|\n", report.decode())[:-1]:
        command = parse_v2(line)
        assert command, line
        name, properties, message = command
        assert set(properties) <= {"file", "line", "title"} and message, line
        assert properties["file"] == rhs or "line" in properties, line
        counts[name] += 1
    assert counts["notice"] == 1 and max(counts.values()) <= 10, counts


def check_log(report):
    """Markdown that is printed in a log holds no command either, of the form at any place of a line too."""
    for line in report.decode().splitlines():
        assert not parse_v2(line) and not re.search(r"##\[\w", line), line


def check_files(directory):
    for path in (*(ROOT / "docs" / "ci").iterdir(), ROOT / ".pre-commit-hooks.yaml"):
        assert yaml.safe_load(path.read_text()), path
    pre_commit = [sys.executable, "-m", "pre_commit"]
    subprocess.run([*pre_commit, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")], check=True, cwd=directory)
    subprocess.run([*pre_commit, "validate-config", str(ROOT / "docs/ci/pre-commit-config.yaml")], check=True, cwd=directory)


def main():
    ckdiff, schema = str(pathlib.Path(sys.argv[1]).resolve()), etree.XMLSchema(etree.parse(sys.argv[2]))
    cases = 0
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        check_files(directory)
        hostile = hostile_pair(ckdiff, directory)
        for args in [*RUNS, hostile, ["--rules", "same-start", *hostile], ["--rules", "exact", *hostile]]:
            outputs = {name: directory / f"report.{name}" for name in ("junit", "markdown", "github", "json")}
            code = run(ckdiff, "-q", *(f"--output={name}={path}" for name, path in outputs.items()), *args).returncode
            reports = {name: path.read_bytes() for name, path in outputs.items()}
            cases += check_junit(reports["junit"], schema, code)
            shown = check_markdown(reports["markdown"])
            check_log(reports["markdown"])
            check_github(reports["github"], json.loads(reports["json"])["rhs"]["path"])
            if args == hostile:
                for name in ("<script>alert(1)</script>", "a|b", "a\\|b\\", "a`b``c", "[link](https://x.org) ![i](x)", "x\\u{1b}[31mred"):
                    assert name in shown, (name, shown)
        for args in OTHERS:
            outputs = {name: directory / f"report.{name}" for name in ("junit", "markdown")}
            code = run(ckdiff, *args, "-q", *(f"--output={name}={path}" for name, path in outputs.items())).returncode
            cases += check_junit(outputs["junit"].read_bytes(), schema, code)
            check_markdown(outputs["markdown"].read_bytes())
    print(f"{len(RUNS) + 3} comparisons and {len(OTHERS)} others, {cases} cases: JUnit, Markdown and annotations are read as they should be")


main()
