//! Where the values were written by which a checked scenario cannot be prepared.

use fedbits_text::{Diagnostics, Element, Origin, Problem, Tree};

use crate::document::located;
use crate::loader::{Checked, Positions};
use crate::prepare::PrepareError;

impl Checked {
    /// The problems that showed only when the run was prepared, at their positions in the text.
    #[must_use]
    pub fn problems(&self, error: &PrepareError) -> Diagnostics {
        let Positions { sources, patched } = &self.positions;
        let tree = Tree::scan(patched.text());
        let at = |path: &str, message: &str, expected: &str| Problem {
            origin: patched.origin(tree.span(path)),
            message: message.to_owned(),
            expected: expected.to_owned(),
            help: None,
        };
        let problems = match error {
            PrepareError::MissingFile(missing) => {
                let name = tree.find_texts(&missing.path).into_iter().next().unwrap_or_else(|| tree.span(""));
                let (message, help) = (missing.message(), Some(missing.help()));
                let expected = "expected a file that is there".to_owned();
                vec![Problem { origin: patched.origin(name), message, expected, help }]
            }
            PrepareError::Misfits(misfits) | PrepareError::TooLarge(misfits) => located(patched, misfits),
            PrepareError::Unread { .. } => vec![at("data", &error.to_string(), "expected a file that can be read")],
            PrepareError::Data(reason) => {
                let expected = "these data cannot be used".to_owned();
                vec![Problem { origin: self.origin_of_data(&tree), message: reason.clone(), expected, help: None }]
            }
            PrepareError::Column { message, written } => {
                let says = |element: &Element<'_>| {
                    element.string().as_ref() == Some(written) || element.text()[element.span()] == **written
                };
                // A file may be called like a column.
                let fields = tree.root().field("data").map(Element::fields).unwrap_or_default();
                let named = fields.into_iter().filter(|(name, _)| patched.text()[name.clone()] != *"path");
                let column = named.flat_map(|(_, value)| value.leaves()).find(says);
                let span = column.map_or_else(|| tree.span("data"), Element::span);
                let expected = "expected a column of the file".to_owned();
                vec![Problem { origin: patched.origin(span), message: message.clone(), expected, help: None }]
            }
            PrepareError::Model(reason) => vec![at("model", reason, "this model cannot be made")],
            PrepareError::Protocol(reason) => vec![at("protocol", &reason.to_string(), "this protocol cannot be made")],
        };
        Diagnostics::new(problems, sources.to_vec())
    }

    /// Where the data were written; the name of their file where that alone was changed.
    fn origin_of_data(&self, tree: &Tree) -> Origin {
        let patched = &self.positions.patched;
        let whole = patched.origin(tree.span("data"));
        let names = self.scenario.data.files().into_iter().flat_map(|name| tree.find_texts(name));
        names.map(|name| patched.origin(name)).find(|name| name.source != whole.source).unwrap_or(whole)
    }
}
