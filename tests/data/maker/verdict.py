"""TensorFlow's verdicts on the damaged checkpoints.

Some checkpoints abort or hang the process that opens them, so each is opened in a child process.
"""

import json
import os
import re
import resource
import signal
import subprocess
import sys

import numpy as np
import tensorflow as tf

from . import hostile


def of_cases():
    """{case: verdict}, from a fresh process: children must be forked before TensorFlow has threads."""
    command = [sys.executable, "make_fixtures.py", "--verdict"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main():
    """Prints {case: verdict} as JSON."""
    json.dump({name: _in_child(f"hostile/{name}") for name in hostile.cases()}, sys.stdout)


def _in_child(prefix):
    """The verdict of a child process, or its exit status."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
        signal.alarm(20)
        os.write(writing, json.dumps(_verdict(prefix)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return "hangs" if os.WTERMSIG(status) == signal.SIGALRM else "aborts the process"
    return json.loads(said)


def _verdict(prefix):
    """An error of opening, or for each tensor "right", "wrong" or an error."""
    try:
        reader = tf.train.load_checkpoint(prefix)
        names = sorted(reader.get_variable_to_shape_map())
    except Exception as error:  # TensorFlow raises many kinds, RuntimeError among them
        return _short(error)
    return {name: _tensor_verdict(reader, name) for name in names}


def _tensor_verdict(reader, name):
    good = {tensor.name.decode(): tensor for tensor in (*hostile.TENSORS, hostile.SLICED)}
    try:
        value = np.asarray(reader.get_tensor(name))
    except Exception as error:
        return _short(error)
    if name not in good or value.shape != good[name].shape:
        return "wrong"
    expected = good[name].content
    found = tuple(value.ravel().tolist()) if value.dtype == object else value.tobytes()
    return "right" if found == expected else "wrong"


def _short(error):
    text = re.sub(r"^Unable to read file.*header entry\)?:? ?", "", " ".join(str(error).split()))
    return f"{type(error).__name__}: {text[:120]}"
