//! From text to a value: RON's own parser first, and where that fails, the span tree says what is wrong.

use crate::diagnostic::Problem;
use crate::document::Document;
use crate::patched::Patched;
use crate::shape;
use crate::syntax;
use crate::tree::Tree;

/// What could be read of a text.
#[derive(Clone, Debug)]
pub struct Reading<T> {
    /// The value; `None` when syntax or shape leave no certain reading. When there are problems, each had a nearly
    /// certain fix, and the value has these fixes.
    pub value: Option<T>,
    /// What is wrong with the syntax or the shape.
    pub problems: Vec<Problem>,
}

impl<T> Reading<T> {
    fn good(value: T) -> Self {
        Reading { value: Some(value), problems: Vec::new() }
    }
}

impl Patched {
    /// The value that the text gives. Besides the dialect of this crate, standard RON's `Some((…))` is read.
    #[must_use]
    pub fn read<T: Document>(&self) -> Reading<T> {
        let written = self.text();
        if let Ok(value) = syntax::read(&written) {
            return Reading::good(value);
        }
        // Byte by byte at its position.
        let text = Tree::scan(written).without_double_parentheses();
        let mut error = match syntax::read(&text) {
            Ok(value) => return Reading::good(value),
            Err(error) => error,
        };
        let tree = Tree::scan(text);
        let (span, expected) = match &tree.flaw {
            Some(flaw) => (flaw.span.clone(), flaw.message.clone()),
            None => {
                let (reading, short) = self.shape(&tree);
                // Of a text with short spellings RON's parser judges the syntax alone.
                if !reading.problems.is_empty() {
                    return reading;
                }
                if short {
                    match syntax::judge(tree.text()) {
                        Ok(()) => return reading,
                        Err(reason) => error = reason,
                    }
                }
                (syntax::bytes(tree.text(), &error.span), syntax::explain(&error.code))
            }
        };
        let message = "the syntax is wrong".to_owned();
        let problem = Problem { origin: self.origin(span), message, expected, help: None };
        Reading { value: None, problems: vec![problem] }
    }

    /// The value that the text gives by its span tree alone, without RON's parser: the same value wherever that finds
    /// one.
    #[must_use]
    pub fn read_shape<T: Document>(&self) -> Reading<T> {
        self.shape(&Tree::scan(self.text())).0
    }

    /// What the tree gives, and whether it has short spellings.
    fn shape<T: Document>(&self, tree: &Tree) -> (Reading<T>, bool) {
        let shape::Shape { value, problems, short } = shape::read(tree);
        let located = |shape::ShapeProblem { span, message, expected, help }| Problem {
            origin: self.origin(span),
            message,
            expected,
            help,
        };
        (Reading { value, problems: problems.into_iter().map(located).collect() }, short)
    }
}
