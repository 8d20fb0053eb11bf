//! Calls of functions in the library of a graph.
//!
//! ```text
//! StatefulPartitionedCall, PartitionedCall: the function in `f`; any other op by the name of a function: that function
//! ```
//! As in TensorFlow, a call runs the results of the function, its control results, and its stateful nodes.

use super::frame::{Frame, FrameInput};
use super::session::Session;
use super::value::Value;
use crate::error::{Error, Result};

/// The largest depth of calls; savers of TensorFlow need one or two.
const MAX_DEPTH: usize = 64;

/// Calls the function `name`, and returns its results.
pub(super) fn call<'m>(
    session: &mut Session<'_, 'm>,
    name: &'m str,
    arguments: Vec<Value>,
) -> Result<Vec<Value>> {
    if session.functions.depth >= MAX_DEPTH {
        let expected = format!("at most {MAX_DEPTH}");
        let found = MAX_DEPTH + 1;
        return Err(Error::unexpected("depth of calls", found, expected));
    }
    let body = session.functions.body(name)?;
    if arguments.len() != body.arguments {
        let name = crate::error::shortened(name);
        let expected = format!("{}, as the function {name} accepts", body.arguments);
        return Err(Error::unexpected("number of arguments", arguments.len(), expected));
    }
    let arguments =
        arguments.into_iter().map(|value| session.argument(value)).collect::<Result<_>>();
    session.steps(body.work)?;
    let mut frame = Frame::new(&body.graph, FrameInput::Arguments(arguments?));
    session.functions.depth += 1;
    let run = frame.run(session, &body.targets);
    session.functions.depth -= 1;
    run?;
    let results = body.targets.iter().take(body.results);
    let missing = || Error::not_found("a result of the function is missing");
    results.map(|id| frame.output(*id, 0).cloned().ok_or_else(missing)).collect()
}
