"""Models as people make them, and edits that people make: a script, one edit, the script again.

A module per family has functions that write a model; `table.EDITS` has a row for each edit. Each function takes the path of the
model without its extension, and returns the path that opens it.
"""

import os

# Layers of TensorFlow 1 are those of tf_keras.
os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
