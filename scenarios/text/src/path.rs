//! Paths into a document: `server.ports`, `means[0][1]`, `arms[1].set["server.ports"]`.

/// One step of a path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Step {
    /// `.name`
    Field(String),
    /// `[3]`
    Index(usize),
    /// `["key"]`
    Key(String),
}

/// Reads a path; `None` when it is not one.
pub(crate) fn parse(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('[') {
            Some(inner) => bracket(inner)?,
            None => field(if steps.is_empty() { rest } else { rest.strip_prefix('.')? })?,
        };
        steps.push(step);
        rest = after;
    }
    (!steps.is_empty()).then_some(steps)
}

fn field(rest: &str) -> Option<(Step, &str)> {
    let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
    (end > 0).then(|| (Step::Field(rest[..end].to_owned()), &rest[end..]))
}

fn bracket(inner: &str) -> Option<(Step, &str)> {
    if let Some(quoted) = inner.strip_prefix('"') {
        let (key, after) = quoted.split_once("\"]")?;
        return Some((Step::Key(key.to_owned()), after));
    }
    let (index, after) = inner.split_once(']')?;
    Some((Step::Index(index.parse().ok()?), after))
}

/// The path as text.
pub(crate) fn show(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text.extend([".", name]),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) => text.push_str(&format!("[\"{key}\"]")),
        }
    }
    text
}
