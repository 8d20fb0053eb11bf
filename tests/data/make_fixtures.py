"""Writes every fixture and oracle in this directory anew, with real TensorFlow.

Usage: python make_fixtures.py [--messages | --pairs | --fit | --roles | --frozen | --rotation]

README.md says what each fixture is and which packages this needs. Two runs write the same bytes.
"""

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",  # TensorFlow writes some Python sets in hash order
    "PYTHONDONTWRITEBYTECODE": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
}


def pin_environment():
    """Starts again where an environment variable that matters is not as it must be."""
    if any(os.environ.get(name) != value for name, value in ENVIRONMENT.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ENVIRONMENT})


def main():
    """Writes all fixtures into the directory of this file."""
    os.chdir(HERE)
    from maker import adversarial, bundle, fit, frozen, good, hostile, messages, oracle, pairs, rewritten, roles, rotation, verdict

    if sys.argv[1:] == ["--verdicts"]:
        return verdict.main()
    if sys.argv[1:] == ["--messages"]:
        return messages.main()
    if sys.argv[1:] == ["--pairs"]:
        return pairs.main()
    if sys.argv[1:] == ["--fit"]:
        return fit.main()
    if sys.argv[1:] == ["--roles"]:
        return roles.main()
    if sys.argv[1:] == ["--frozen"]:
        return frozen.main()
    if sys.argv[1:] == ["--rotation"]:
        return rotation.main()
    shutil.rmtree("oracle", ignore_errors=True)
    expected = {}
    parts = (good, rewritten, hostile, adversarial)
    makers = {directory: make for part in parts for directory, make in part.MAKERS.items()}
    for directory, make in makers.items():
        expected.update(oracle.fresh(directory, make))
    for prefix, tensors in expected.items():
        bundle.check(prefix, tensors)
    oracle.write_tensors(expected)
    oracle.write("oracle/compare.json", adversarial.expected())
    oracle.write_hostile(hostile.cases(), verdict.of_cases())
    for part in ("--messages", "--pairs", "--fit", "--roles", "--frozen", "--rotation"):
        subprocess.run([sys.executable, "make_fixtures.py", part], check=True)


if __name__ == "__main__":
    pin_environment()
    main()
