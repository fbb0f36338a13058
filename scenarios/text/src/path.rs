//! Paths into a document: `server.ports`, `means[0][1]`, `arms[1].set["server.ports"]`.

/// One step of a path.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum PathStep {
    /// `.name`
    Field(String),
    /// `[3]`
    Index(usize),
    /// `["key"]`
    Key(String),
}

/// Reads a path; `None` when it is not one.
pub(crate) fn parse(path: &str) -> Option<Vec<PathStep>> {
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

fn field(rest: &str) -> Option<(PathStep, &str)> {
    let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
    (end > 0).then(|| (PathStep::Field(rest[..end].to_owned()), &rest[end..]))
}

fn bracket(inner: &str) -> Option<(PathStep, &str)> {
    if let Some(quoted) = inner.strip_prefix('"') {
        let (key, after) = quoted.split_once("\"]")?;
        return Some((PathStep::Key(key.to_owned()), after));
    }
    let (index, after) = inner.split_once(']')?;
    Some((PathStep::Index(index.parse().ok()?), after))
}

/// The path as text.
pub(crate) fn show(steps: &[PathStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PathStep::Field(name) if text.is_empty() => text.push_str(name),
            PathStep::Field(name) => text.extend([".", name]),
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
            PathStep::Key(key) => text.push_str(&format!("[\"{key}\"]")),
        }
    }
    text
}
