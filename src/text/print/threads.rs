//! Prints the segments of a message on several threads, and writes them in order.
//!
//! The calling thread writes. It also prints: the next segment directly to the output, or a later one while it waits.
//! The threads print only a few segments ahead, so only a few texts are in memory, for a message of any size.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::PrintOptions;
use super::buffer::TextBuffer;
use super::printer::Printer;
use super::split::{Segment, segments};
use crate::error::{Error, Result};
use crate::message::{Losses, Message};

/// The number of segments per thread that may be printed ahead.
const AHEAD: usize = 3;

/// Prints a message; returns what the text cannot represent.
pub(super) fn print(
    message: &Message<'_>,
    options: &PrintOptions,
    threads: usize,
    out: &mut dyn Write,
) -> Result<Losses> {
    let segments = segments(message, options)?;
    let queue = PrintQueue {
        message,
        options,
        segments: &segments,
        window: AHEAD * threads,
        state: Mutex::default(),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(segments.len()) {
            // If no thread can be started, the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, || queue.print_ahead());
        }
        let _stop = Stop { queue: &queue, always: true };
        queue.write(out)
    })
}

/// The state that the threads share.
struct PrintQueue<'a> {
    message: &'a Message<'a>,
    options: &'a PrintOptions,
    segments: &'a [Segment<'a>],
    /// The number of segments that may be printed ahead.
    window: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// Stops all threads when it is dropped in a panic, or `always`: no thread waits for a segment that never comes.
struct Stop<'w, 'a> {
    queue: &'w PrintQueue<'a>,
    always: bool,
}

impl Drop for Stop<'_, '_> {
    fn drop(&mut self) {
        if self.always || thread::panicking() {
            self.queue.lock().stopped = true;
            self.queue.changed.notify_all();
        }
    }
}

#[derive(Default)]
struct State {
    /// The first segment that no thread has taken.
    next: usize,
    /// The number of segments that are written.
    written: usize,
    /// Segments that were printed ahead; `None` for one that is too large for a buffer.
    printed: BTreeMap<usize, Option<(Vec<u8>, Losses)>>,
    /// Buffers to reuse.
    free: Vec<Vec<u8>>,
    stopped: bool,
}

impl<'a> PrintQueue<'a> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State>) -> MutexGuard<'g, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next segment, if it is not too far ahead.
    fn take(&self, state: &mut State) -> Option<(usize, &'a Segment<'a>, Vec<u8>)> {
        let at = state.next;
        let segment = self.segments.get(at).filter(|_| at < state.written + self.window)?;
        state.next += 1;
        Some((at, segment, state.free.pop().unwrap_or_default()))
    }

    /// Prints segments until all are taken.
    fn print_ahead(&self) {
        let _stop = Stop { queue: self, always: false };
        let mut state = self.lock();
        while !state.stopped && state.next < self.segments.len() {
            state = match self.take(&mut state) {
                Some((at, segment, buffer)) => {
                    drop(state);
                    self.print_one(at, segment, buffer)
                }
                None => self.wait(state),
            };
        }
    }

    /// Prints a segment ahead.
    fn print_one(
        &self,
        at: usize,
        segment: &Segment<'a>,
        buffer: Vec<u8>,
    ) -> MutexGuard<'_, State> {
        let mut printer =
            Printer::new(self.message.schema(), self.options, TextBuffer::memory(buffer));
        let is_whole = printer.segment(segment).is_ok();
        let (buffer, losses) = printer.finish();
        let mut state = self.lock();
        state.printed.insert(at, is_whole.then(|| (buffer.into_text(), losses)));
        self.changed.notify_all();
        state
    }

    /// Writes all segments in order.
    fn write(&self, out: &mut dyn Write) -> Result<Losses> {
        let mut printer =
            Printer::new(self.message.schema(), self.options, TextBuffer::stream(out));
        let mut losses = Losses::default();
        for (at, segment) in self.segments.iter().enumerate() {
            let mut state = self.lock();
            state.written = at;
            self.changed.notify_all();
            let printed = loop {
                if let Some(printed) = state.printed.remove(&at) {
                    break printed;
                }
                if state.stopped {
                    // The panic continues when the scope ends.
                    return Err(Error::io("print", io::Error::other("a thread panicked")));
                }
                if state.next == at {
                    state.next += 1;
                    break None;
                }
                state = match self.take(&mut state) {
                    Some((at, segment, buffer)) => {
                        drop(state);
                        self.print_one(at, segment, buffer)
                    }
                    None => self.wait(state),
                };
            };
            drop(state);
            if let Some((text, lost)) = printed {
                printer.out.write_through(&text)?;
                losses.add(lost);
                self.lock().free.push(text);
            } else {
                printer.segment(segment)?;
                losses.add(mem::take(&mut printer.losses));
            }
        }
        let (buffer, _) = printer.finish();
        buffer.finish()?;
        Ok(losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    #[test]
    fn a_thread_that_panics_takes_its_piece_with_it_and_nobody_waits() -> Result<()> {
        let schema = Schema::tensorflow();
        let Some(ty) = schema.message("tensorflow.VersionDef") else { return Ok(()) };
        let message = Message::decode(schema, ty, vec![8, 27])?;
        let options = PrintOptions::default();
        let queue = PrintQueue {
            message: &message,
            options: &options,
            segments: &segments(&message, &options)?,
            window: AHEAD,
            state: Mutex::new(State { next: 1, ..State::default() }),
            changed: Condvar::new(),
        };
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let _stop = Stop { queue: &queue, always: false };
                let _locked = queue.lock();
                panic!("it is meant to");
            });
            assert!(queue.write(&mut Vec::new()).is_err());
            assert!(worker.join().is_err());
        });
        Ok(())
    }
}
