//! Reads a value from the span tree, and says what has the wrong shape: unknown names, missing fields, values of the
//! wrong type. Where a slip is nearly certain it reads on with the name that was meant, so that one run finds several
//! problems. It knows a type by its `Deserialize` only.

mod notes;
mod reader;
mod value;

pub(crate) use self::notes::ShapeProblem;
use self::notes::{Log, Notes};
use self::value::Value;
use crate::document::Document;
use crate::tree::Tree;

/// With this many problems a text is not read once more for those behind a field that cannot be read.
const ENOUGH: usize = 50;

/// What was read of a tree.
pub(crate) struct Shape<T> {
    /// The value, when every problem had a nearly certain fix, and then with these fixes.
    pub(crate) value: Option<T>,
    pub(crate) problems: Vec<ShapeProblem>,
}

/// Reads a value from the tree of its text. A field whose value cannot be read at all is left out, and the rest is read
/// again without it, so that problems behind it are found too.
pub(crate) fn read<T: Document>(tree: &Tree) -> Shape<T> {
    let mut notes = Notes::new(T::value_help, T::places);
    loop {
        let read = T::deserialize(Value::new(tree.text(), &tree.root, &notes)).ok();
        let Log { problems, seen, guessed, unreadable } = notes.log.take();
        match unreadable {
            Some(start) if problems.len() < ENOUGH && notes.left_out.insert(start) => {
                let mut log = notes.log.borrow_mut();
                (log.problems, log.seen) = (problems, seen);
            }
            _ => {
                let certain = !guessed && notes.left_out.is_empty();
                return Shape { value: read.filter(|_| certain), problems };
            }
        }
    }
}
