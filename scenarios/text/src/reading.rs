//! From text to a value: the span tree gives it, or says what is wrong; RON's own parser judges the syntax.

use crate::diagnostic::Problem;
use crate::document::Document;
use crate::patched::Patched;
use crate::shape::{self, Shape, ShapeProblem};
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

impl Patched {
    /// The value that the text gives. Besides the dialect of this crate, standard RON's `Some((…))` is read.
    #[must_use]
    pub fn read<T: Document>(&self) -> Reading<T> {
        let tree = Tree::scan(self.text());
        let shape = match &tree.flaw {
            Some(_) => Shape { value: None, problems: Vec::new() },
            None => shape::read(&tree),
        };
        if shape.problems.is_empty()
            && let Err((span, expected)) = tree.judged()
        {
            let message = "the syntax is wrong".to_owned();
            let problem = Problem { origin: self.origin(span), message, expected, help: None };
            return Reading { value: None, problems: vec![problem] };
        }
        let located = |ShapeProblem { span, message, expected, help }| Problem {
            origin: self.origin(span),
            message,
            expected,
            help,
        };
        Reading { value: shape.value, problems: shape.problems.into_iter().map(located).collect() }
    }
}

impl Tree {
    /// Where the text is not RON, and what was expected there.
    fn judged(&self) -> Result<(), (std::ops::Range<usize>, String)> {
        match &self.flaw {
            Some(flaw) => Err((flaw.span.clone(), flaw.message.clone())),
            None => syntax::judge(self.text()),
        }
    }
}
