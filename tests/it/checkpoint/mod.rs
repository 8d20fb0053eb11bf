//! Checkpoints: reading, writing, rotation, damage.

mod crafted;
mod crash;
// Properties of every format.
mod formats;
mod hostile;
mod publishing;
mod rotation;
mod safetensors;
mod state;
// Checkpoints that TensorFlow and other libraries wrote.
mod tensorflow;
// Checkpoints that ckdiff wrote, byte for byte what TensorFlow writes.
mod written;
