//! Parses a text as a message, piece by piece, on one thread or several.

use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::ParseOptions;
use super::encode::{Container, Context, Encoder, PieceEncoder, Step};
use super::syntax::{Piece, PieceOptions, Pieces, Scratch, Tokens};
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Losses, MAX_DEPTH, Message};
use crate::schema::{MessageType, Schema};
use crate::threads;

/// Parses a text as a message of type `ty`; also returns what was dropped, if the options allow that.
///
/// The text is read in pieces and never in memory as a whole.
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
/// If the text does not match the grammar or the schema: the error has line and column, and says what was expected. If
/// reading fails, or a required field is missing.
pub fn parse<'s>(
    schema: &'s Schema,
    ty: &'s MessageType,
    input: impl Read + Send,
    options: &ParseOptions,
) -> Result<(Message<'s>, Losses)> {
    let threads = threads::count(options.threads);
    let pieces = PieceOptions { piece_bytes: options.piece_bytes, depth: MAX_DEPTH };
    let options = *options;
    let pipeline = Pipeline {
        schema,
        options,
        state: Mutex::new(State {
            pieces: Pieces::new(input, pieces),
            taken: 0,
            context: vec![Container::Message(ty)],
            outlined: 0,
            encoder: Encoder::new(schema, Container::Message(ty), options),
            joined: 0,
            error: None,
        }),
        moved: Condvar::new(),
    };
    threads::on_threads(threads, threads, || pipeline.work());
    let state = pipeline.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match state.error {
        Some(error) => Err(error),
        None => state.encoder.into_message(ty),
    }
}

/// The pieces of a text and the threads that parse them.
///
/// One thread matches and encodes each piece. Two steps are done in the order of the text: after matching, a piece is
/// outlined (its unbalanced brackets are recorded as the context of the next piece), and after encoding it is joined
/// to the message.
struct Pipeline<'s, R> {
    schema: &'s Schema,
    options: ParseOptions,
    state: Mutex<State<'s, R>>,
    /// Signals that another piece was outlined or joined.
    moved: Condvar,
}

struct State<'s, R> {
    pieces: Pieces<R>,
    /// The number of pieces that threads have taken.
    taken: usize,
    /// The open messages and lists around the piece to be outlined next.
    context: Context<'s>,
    outlined: usize,
    /// The encoder of the whole message.
    encoder: Encoder<'s>,
    joined: usize,
    /// The first error of the text.
    error: Option<Error>,
}

impl<'s, R: Read + Send> Pipeline<'s, R> {
    /// Parses pieces until none is left.
    fn work(&self) {
        let _stop = StopOnPanic(self);
        let mut scratch = Scratch::default();
        while let Some((index, piece)) = self.take() {
            let tokens = piece.tokens(std::mem::take(&mut scratch));
            let Some(context) = self.outline(index, &tokens) else { return };
            let mut encoder = PieceEncoder::new(self.schema, self.options, context);
            let steps = tokens.events(&mut encoder).and_then(|()| {
                encoder.finish().map_err(|refusal| piece.error(refusal.at, refusal.message))
            });
            if !self.join(index, &piece, steps) {
                return;
            }
            scratch = tokens.into_scratch();
        }
    }

    /// The next piece and its index; `None` at the end.
    fn take(&self) -> Option<(usize, Piece)> {
        let mut state = self.lock();
        let piece = state.pieces.next()?;
        let index = state.taken;
        state.taken += 1;
        match piece {
            Ok(piece) => Some((index, piece)),
            Err(error) => {
                // Errors of earlier pieces come first.
                let mut state = self.wait_until(state, |state| state.joined == index);
                state.error.get_or_insert(error);
                self.moved.notify_all();
                None
            }
        }
    }

    /// Returns the open messages and lists where the piece begins, and notes those where it ends. `None` after an error.
    fn outline(&self, index: usize, tokens: &Tokens<'_>) -> Option<Context<'s>> {
        let mut state = self.wait_until(self.lock(), |state| state.outlined == index);
        if state.error.is_some() {
            return None;
        }
        let context = state.context.clone();
        tokens.unbalanced(|bracket| {
            Encoder::follow(self.schema, self.options, &mut state.context, &bracket);
        });
        state.outlined += 1;
        self.moved.notify_all();
        Some(context)
    }

    /// Adds a piece to the whole message; returns whether to continue.
    fn join(&self, index: usize, piece: &Piece, steps: Result<Vec<Step<'_>>>) -> bool {
        let mut state = self.wait_until(self.lock(), |state| state.joined == index);
        if state.error.is_some() {
            return false;
        }
        let joined = steps.and_then(|steps| {
            steps.into_iter().try_for_each(|step| {
                let step = state.encoder.step(step);
                step.map_err(|refusal| piece.error(refusal.at, refusal.message))
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

    /// Waits for this piece's turn, or for an error.
    fn wait_until<'p>(
        &'p self,
        state: MutexGuard<'p, State<'s, R>>,
        is_time: impl Fn(&State<'s, R>) -> bool,
    ) -> MutexGuard<'p, State<'s, R>> {
        self.moved
            .wait_while(state, |state| state.error.is_none() && !is_time(state))
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the other threads if this one panics: they would wait for its piece forever.
struct StopOnPanic<'p, 's, R: Read + Send>(&'p Pipeline<'s, R>);

impl<R: Read + Send> Drop for StopOnPanic<'_, '_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let stopped = ErrorKind::Unsupported("a thread has stopped".into());
            self.0.lock().error.get_or_insert(stopped.into());
            self.0.moved.notify_all();
        }
    }
}
