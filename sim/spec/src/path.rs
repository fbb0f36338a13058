//! Where a value stands in a scenario, as `--set` writes it: `protocol.compressor.k`, `availability.zones[2]`.

use std::fmt;

use crate::Described;

/// A path, one step longer than the one it borrows.
#[derive(Clone, Copy, Debug)]
pub enum Path<'a> {
    /// The whole scenario.
    Root,
    /// A field of the value at a path; a name may hold several steps, `network.sharing`.
    Field(&'a Path<'a>, &'a str),
    /// An item of the value at a path, counted from 0.
    Index(&'a Path<'a>, usize),
    /// The value of a key of a map.
    Key(&'a Path<'a>, &'a str),
}

impl Path<'_> {
    /// The path of a field.
    #[must_use]
    pub fn field<'a>(&'a self, name: &'a str) -> Path<'a> {
        Path::Field(self, name)
    }

    /// The path of an item.
    #[must_use]
    pub fn index(&self, index: usize) -> Path<'_> {
        Path::Index(self, index)
    }

    /// The path of a key's value.
    #[must_use]
    pub fn key<'a>(&'a self, key: &'a str) -> Path<'a> {
        Path::Key(self, key)
    }

    /// The path of the one value in the parentheses of a variant: fields of a group stand there themselves.
    #[must_use]
    pub fn content<T: Described>(&self) -> Path<'_> {
        if T::GROUP { *self } else { self.index(0) }
    }

    /// The last name: `gamma` of `protocol.gamma[0]`; empty for the whole scenario.
    pub(crate) fn last_name(&self) -> &str {
        match self {
            Path::Root => "",
            Path::Field(_, name) => {
                let last = name.rsplit('.').next().unwrap_or(name);
                last.split('[').next().unwrap_or(last)
            }
            Path::Index(parent, _) | Path::Key(parent, _) => parent.last_name(),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Root => Ok(()),
            Path::Field(Path::Root, name) => f.write_str(name),
            Path::Field(parent, name) => write!(f, "{parent}.{name}"),
            Path::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Path::Key(parent, key) => write!(f, "{parent}[\"{key}\"]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_set_reads_it() {
        let (root, protocol) = (Path::Root, Path::Root.field("protocol"));
        assert_eq!(protocol.field("gamma").index(0).to_string(), "protocol.gamma[0]");
        assert_eq!(protocol.field("gamma").index(0).last_name(), "gamma");
        assert_eq!(root.field("zones").index(3).to_string(), "zones[3]");
        assert_eq!(root.field("set").key("a.b").to_string(), "set[\"a.b\"]");
        assert_eq!(protocol.content::<f64>().to_string(), "protocol[0]");
    }
}
