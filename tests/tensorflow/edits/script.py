"""What can be edited in a script that builds a model of Keras."""

import dataclasses


@dataclasses.dataclass
class KerasScript:
    """Edits that are the same for every version of Keras."""

    times: int = 1
    saves: int = 1
    policy: str = "float32"
    named: bool = False
    first: str = "hidden0"
    front: bool = False
    inserted: bool = False
    units: int = 32
    activation: str = "relu"
    rate: float = 0.2

    @property
    def names(self):
        """The names of the dense layers."""
        return [self.first, "hidden1", "logits"] if self.named else [None] * 3
