//! The file that `new` writes.

use std::path::{Path, PathBuf};

use fedbits_record::{RecordError, write_new};
use fedbits_spec::shell;

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::listener::Listener;

pub(super) struct Target {
    pub(super) path: PathBuf,
    pub(super) stem: String,
}

impl Target {
    pub(super) fn of(name: &str) -> Result<Self, Failure> {
        let name = name.trim_end_matches(".ron");
        let stem = Path::new(name).file_name().filter(|_| !name.ends_with('/'));
        let stem = stem.ok_or_else(|| Failure::Input(format!("`{name}` is not a name for a scenario")))?;
        let path = Path::new(name);
        if path.extension().is_some() && path.is_file() {
            let stem = Path::new(&stem).with_extension("");
            let help = format!("`fedbits new {} --data {name}` writes a scenario for a table", stem.display());
            return Err(Failure::Input(format!("{name} is a file: expected a name for the scenario; {help}")));
        }
        if name.contains(char::is_control) {
            let expected = "expected no line breaks and other control characters";
            return Err(Failure::Input(format!("{name:?} is not a name for a scenario: {expected}")));
        }
        Ok(Self { path: PathBuf::from(format!("{name}.ron")), stem: stem.to_string_lossy().into_owned() })
    }

    /// The folder in which data files are looked for first.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// An error when there is such a file already, or no folder for it.
    pub(super) fn check_free(&self) -> Result<(), Failure> {
        if self.path.symlink_metadata().is_ok() { Err(self.exists()) } else { output::check_parent(&self.path) }
    }

    fn exists(&self) -> Failure {
        Failure::Input(format!("{} exists: choose another name", self.path.display()))
    }

    pub(super) fn write(&self, text: &str, console: &Console) -> Result<(), Failure> {
        let path = &self.path;
        output::check_parent(path)?;
        write_new(path, text.as_bytes()).map_err(|error| match error {
            RecordError::Io { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists => self.exists(),
            error => error.into(),
        })?;
        let shown = path.display().to_string();
        // A word that begins with a dash is an option.
        let shown = if shown.starts_with('-') { format!("./{shown}") } else { shown };
        console.message(&format!("wrote {shown}; now: fedbits check {}", shell::word(&shown)));
        Ok(())
    }
}
