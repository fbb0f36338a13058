//! The files that a study is made of, for engines that run it where they are not.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::study::load_study;
use fedbits_scenarios::{Bases, Source};

use super::definition::Study;
use crate::error::Error;
use crate::texts::{self, BasesIn};

/// Files, each with the path by which the study, a scenario or `--data` leads to it.
pub(crate) struct Inputs {
    /// The study's file, and those of the scenarios that it is laid over; none for a study of the library.
    pub(crate) texts: Vec<(PathBuf, PathBuf)>,
    /// Data files of all arms.
    pub(crate) data: Vec<(PathBuf, PathBuf)>,
}

impl Inputs {
    /// Finds the files of the study that was loaded by the name `file`.
    pub(crate) fn of(file: &str, study: &Study, folders: &DataFolders) -> Result<Self, Error> {
        let text = texts::text(file)?;
        let mut texts = Vec::new();
        if let Some(folder) = &text.folder {
            let bases = Noted { bases: BasesIn(Some(folder)), named: RefCell::default() };
            // It was loaded before; now its bases are noted.
            load_study(text.source, &bases).map_err(|problems| Error::Problems { what: "study", problems })?;
            let own = PathBuf::from(file);
            texts.extend(own.file_name().map(|name| (own.clone(), PathBuf::from(name))));
            texts.extend(bases.named.into_inner().into_iter().map(|base| (folder.join(&base), PathBuf::from(base))));
        }
        let mut data = BTreeMap::new();
        for named in study.checked.arms.iter().flat_map(|arm| arm.checked.scenario.files()) {
            let found = folders.find_all(named).map_err(|missing| Error::Input(missing.to_string()))?;
            // A name may be a pattern: its files differ in their last part.
            data.extend(found.into_iter().map(|path| {
                let to = path.file_name().map(|name| PathBuf::from(named).with_file_name(name));
                (path, to.unwrap_or_else(|| PathBuf::from(named)))
            }));
        }
        Ok(Self { texts, data: data.into_iter().collect() })
    }
}

/// Bases, and which of their files were read.
struct Noted<'f> {
    bases: BasesIn<'f>,
    named: RefCell<Vec<String>>,
}

impl Bases for Noted<'_> {
    fn text(&self, base: &str) -> Result<Source, String> {
        let mut named = self.named.borrow_mut();
        if base.ends_with(".ron") && !named.iter().any(|known| known == base) {
            named.push(base.to_owned());
        }
        self.bases.text(base)
    }

    fn has_file(&self, path: &str) -> bool {
        self.bases.has_file(path)
    }
}
