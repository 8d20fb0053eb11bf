//! From text to a message, piece by piece, on one thread or several.

use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::ParseOptions;
use super::encode::{Context, Encoder, Outer, PieceEncoder, Step};
use super::syntax::{Piece, Pieces, Reading, Scratch, Tokens};
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Losses, MAX_DEPTH, Message};
use crate::schema::{MessageType, Schema};
use crate::threads;

/// Parses a text as a message of type `ty`; returns what of it was dropped, if the options allow that.
///
/// The text is read and parsed in pieces, and never held as a whole.
///
/// ```
/// use ckdiff::schema::Schema;
/// use ckdiff::text::{ParseOptions, parse};
///
/// let schema = Schema::tensorflow();
/// let ty = schema.message("tensorflow.VersionDef").unwrap();
/// let text = "producer: 27  # since 2018\nbad_consumers: [5, 6]";
/// let (versions, _) = parse(schema, ty, text.as_bytes(), &ParseOptions::default())?;
/// assert_eq!(versions.bytes(), [0x08, 27, 0x1a, 2, 5, 6]);
/// # Ok::<(), ckdiff::Error>(())
/// ```
/// # Errors
/// When the text breaks the grammar or the schema: the error has line and column, and says what was expected. When
/// reading fails, or a required field is missing.
pub fn parse<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    input: impl Read + Send,
    options: &ParseOptions,
) -> Result<(Message<'s>, Losses)> {
    let threads = threads::count(options.threads);
    let reading = Reading { piece_bytes: options.piece_bytes, depth: MAX_DEPTH };
    let options = *options;
    let line = Line {
        schema,
        options,
        state: Mutex::new(State {
            pieces: Pieces::new(input, reading),
            taken: 0,
            context: vec![Outer::Message(ty)],
            outlined: 0,
            encoder: Encoder::new(schema, Outer::Message(ty), options),
            joined: 0,
            error: None,
        }),
        moved: Condvar::new(),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread is to be had, there is one less.
            let started = std::thread::Builder::new().spawn_scoped(scope, || line.work());
            if started.is_err() {
                break;
            }
        }
        line.work();
    });
    let state = line.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.error {
        Some(error) => Err(error),
        None => state.encoder.into_message(ty),
    }
}

/// The pieces of a text on their way through the threads.
///
/// Each is matched and encoded by one thread. Between the two, in order, what it leaves open is noted, since the next
/// piece means nothing without it; at the end, in order, all are joined.
struct Line<'s, R> {
    schema: &'s Schema,
    options: ParseOptions,
    state: Mutex<State<'s, R>>,
    /// Another piece has passed one of the two places.
    moved: Condvar,
}

struct State<'s, R> {
    pieces: Pieces<R>,
    /// How many pieces were taken.
    taken: usize,
    /// What is open around the piece to be outlined next.
    context: Context<'s>,
    outlined: usize,
    /// The message as a whole.
    encoder: Encoder<'s>,
    joined: usize,
    /// The first error of the text.
    error: Option<Error>,
}

impl<'s, R: Read + Send> Line<'s, R> {
    /// Takes pieces as long as there are any.
    fn work(&self) {
        let _stop = StopOnPanic(self);
        let mut scratch = Scratch::default();
        while let Some((index, piece)) = self.take() {
            let tokens = piece.tokens(std::mem::take(&mut scratch));
            let Some(context) = self.outline(index, &tokens) else { return };
            let mut encoder = PieceEncoder::new(self.schema, self.options, context);
            let steps = tokens.events(&mut encoder).and_then(|()| {
                encoder.finish().map_err(|refusal| piece.error(refusal.at, refusal.what))
            });
            if !self.join(index, &piece, steps) {
                return;
            }
            scratch = tokens.into_scratch();
        }
    }

    /// The next piece; `None` at the end.
    fn take(&self) -> Option<(usize, Piece)> {
        let mut state = self.lock();
        let piece = state.pieces.next()?;
        let index = state.taken;
        state.taken += 1;
        match piece {
            Ok(piece) => Some((index, piece)),
            Err(error) => {
                // Errors of the pieces before it come first.
                let mut state = self.wait_until(state, |state| state.joined == index);
                state.error.get_or_insert(error);
                self.moved.notify_all();
                None
            }
        }
    }

    /// What is open where the piece begins; notes what is open where it ends. `None` after an error.
    fn outline(&self, index: usize, tokens: &Tokens<'_>) -> Option<Context<'s>> {
        let mut state = self.wait_until(self.lock(), |state| state.outlined == index);
        if state.error.is_some() {
            return None;
        }
        let context = state.context.clone();
        tokens.joins(|join| {
            Encoder::follow(self.schema, self.options, &mut state.context, &join);
        });
        state.outlined += 1;
        self.moved.notify_all();
        Some(context)
    }

    /// Adds what a piece does to the message as a whole; whether to go on.
    fn join(&self, index: usize, piece: &Piece, steps: Result<Vec<Step<'_>>>) -> bool {
        let mut state = self.wait_until(self.lock(), |state| state.joined == index);
        if state.error.is_some() {
            return false;
        }
        let joined = steps.and_then(|steps| {
            steps.into_iter().try_for_each(|step| {
                let step = state.encoder.step(step);
                step.map_err(|refusal| piece.error(refusal.at, refusal.what))
            })
        });
        state.joined += 1;
        state.error = joined.err();
        self.moved.notify_all();
        state.error.is_none()
    }

    fn lock(&self) -> MutexGuard<'_, State<'s, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is this piece's turn, or there is an error.
    fn wait_until<'l>(
        &'l self,
        state: MutexGuard<'l, State<'s, R>>,
        is_time: impl Fn(&State<'s, R>) -> bool,
    ) -> MutexGuard<'l, State<'s, R>> {
        self.moved
            .wait_while(state, |state| state.error.is_none() && !is_time(state))
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the other threads end when this one panics: they would wait for its piece for ever.
struct StopOnPanic<'l, 's, R: Read + Send>(&'l Line<'s, R>);

impl<R: Read + Send> Drop for StopOnPanic<'_, '_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let stopped = ErrorKind::Unsupported("a thread has stopped".into());
            self.0.lock().error.get_or_insert(stopped.into());
            self.0.moved.notify_all();
        }
    }
}
