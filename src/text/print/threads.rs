//! Prints the pieces of a message on several threads, and writes them in order.
//!
//! This thread writes, and prints too: the piece whose turn it is straight into the output, or a later one while it
//! waits. Nobody runs ahead further than a few pieces, so only a few texts are held, whatever the size of the message.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::mem;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::PrintOptions;
use super::printer::Printer;
use super::sink::Sink;
use super::split::{Unit, units};
use crate::error::{Error, Result};
use crate::message::{Losses, Message};

/// How many pieces for each thread may be printed or waiting.
const AHEAD: usize = 3;

/// Prints a message; returns what the text cannot carry.
pub(super) fn print(
    message: &Message<'_>,
    options: &PrintOptions,
    threads: usize,
    out: &mut dyn Write,
) -> Result<Losses> {
    let units = units(message, options)?;
    let work = Work {
        message,
        options,
        units: &units,
        window: AHEAD * threads,
        state: Mutex::default(),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(units.len()) {
            // Without it the others do its work.
            let _ = thread::Builder::new().spawn_scoped(scope, || work.print_ahead());
        }
        let _stop = Stop { work: &work, always: true };
        work.write(out)
    })
}

/// What all threads see.
struct Work<'a> {
    message: &'a Message<'a>,
    options: &'a PrintOptions,
    units: &'a [Unit<'a>],
    /// How many pieces may be printed or waiting.
    window: usize,
    state: Mutex<State>,
    changed: Condvar,
}

/// Stops all threads when it is dropped, if it is for a panic or `always`: nobody waits for a piece that never comes.
struct Stop<'w, 'a> {
    work: &'w Work<'a>,
    always: bool,
}

impl Drop for Stop<'_, '_> {
    fn drop(&mut self) {
        if self.always || thread::panicking() {
            self.work.lock().stopped = true;
            self.work.changed.notify_all();
        }
    }
}

#[derive(Default)]
struct State {
    /// The first piece that nobody has taken.
    next: usize,
    /// How many pieces are written.
    written: usize,
    /// Pieces printed ahead of their turn; `None` is one too large for that.
    printed: BTreeMap<usize, Option<(Vec<u8>, Losses)>>,
    /// Buffers to use again.
    free: Vec<Vec<u8>>,
    stopped: bool,
}

impl<'a> Work<'a> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State>) -> MutexGuard<'g, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next piece, if it is not too far ahead.
    fn take(&self, state: &mut State) -> Option<(usize, &'a Unit<'a>, Vec<u8>)> {
        let at = state.next;
        let unit = self.units.get(at).filter(|_| at < state.written + self.window)?;
        state.next += 1;
        Some((at, unit, state.free.pop().unwrap_or_default()))
    }

    /// Prints pieces until all are taken.
    fn print_ahead(&self) {
        let _stop = Stop { work: self, always: false };
        let mut state = self.lock();
        while !state.stopped && state.next < self.units.len() {
            state = match self.take(&mut state) {
                Some((at, unit, buffer)) => {
                    drop(state);
                    self.print_one(at, unit, buffer)
                }
                None => self.wait(state),
            };
        }
    }

    /// Prints a piece that is not due yet.
    fn print_one(&self, at: usize, unit: &Unit<'a>, buffer: Vec<u8>) -> MutexGuard<'_, State> {
        let mut printer = Printer::new(self.message.schema(), self.options, Sink::memory(buffer));
        let is_whole = printer.unit(unit).is_ok();
        let (sink, losses) = printer.finish();
        let mut state = self.lock();
        state.printed.insert(at, is_whole.then(|| (sink.into_text(), losses)));
        self.changed.notify_all();
        state
    }

    /// Writes all pieces in order.
    fn write(&self, out: &mut dyn Write) -> Result<Losses> {
        let mut printer = Printer::new(self.message.schema(), self.options, Sink::stream(out));
        let mut losses = Losses::default();
        for (at, unit) in self.units.iter().enumerate() {
            let mut state = self.lock();
            state.written = at;
            self.changed.notify_all();
            let printed = loop {
                if let Some(printed) = state.printed.remove(&at) {
                    break printed;
                }
                if state.stopped {
                    // The scope panics when it ends.
                    return Err(Error::io("print", io::Error::other("a thread panicked")));
                }
                if state.next == at {
                    state.next += 1;
                    break None;
                }
                state = match self.take(&mut state) {
                    Some((at, unit, buffer)) => {
                        drop(state);
                        self.print_one(at, unit, buffer)
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
                printer.unit(unit)?;
                losses.add(mem::take(&mut printer.losses));
            }
        }
        let (sink, _) = printer.finish();
        sink.finish()?;
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
        let work = Work {
            message: &message,
            options: &options,
            units: &units(&message, &options)?,
            window: AHEAD,
            state: Mutex::new(State { next: 1, ..State::default() }),
            changed: Condvar::new(),
        };
        thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let _stop = Stop { work: &work, always: false };
                let _locked = work.lock();
                panic!("it is meant to");
            });
            assert!(work.write(&mut Vec::new()).is_err());
            assert!(worker.join().is_err());
        });
        Ok(())
    }
}
