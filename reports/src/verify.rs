//! Whether a figure is what given runs give: it says how it was made and of which runs, so it is made again and
//! compared.

use crate::data::{Arm, Collected, collect, open_folders};
use crate::error::ReportError;
use crate::options::{Format, ReportOptions};
use crate::origin::{Origin, digest};
use crate::page::{self, PageBook};
use crate::registry::Figures;
use fedbits_record::results::Results;
use std::path::{Path, PathBuf};

/// What a comparison of a figure with runs found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FigureVerdict {
    /// The file is what the runs give, to the last byte; how many they are.
    Same(usize),
    /// The figure was made of other runs.
    OtherRuns {
        /// Number and digest of the figure's runs.
        figure: (usize, String),
        /// Number and digest of the runs given.
        given: (usize, String),
    },
    /// The runs given have other arms than the figure; the names of both.
    OtherArms {
        /// Arms of the figure, as it calls them.
        figure: Vec<String>,
        /// Arms of the runs given.
        given: Vec<String>,
    },
    /// It was made of the same runs under another name of their scenario, which stands in it.
    OtherScenario {
        /// The scenario that the figure names.
        figure: String,
        /// That of the runs given; none of runs of several folders.
        given: Option<String>,
    },
    /// It names these runs, but the file is not what they give: the file or a record was changed, or the figure was
    /// made by another version (which is named).
    Changed {
        /// Version of the program that made the figure, if it is not this one.
        version: Option<String>,
    },
}

/// [`Figures::verify`] with the kinds of this crate.
///
/// # Errors
/// [`ReportError`].
pub fn verify(figure: &Path, runs: &[PathBuf]) -> Result<FigureVerdict, ReportError> {
    let runs = open_folders(runs)?;
    Figures::builtin().verify(figure, &runs.iter().collect::<Vec<_>>())
}

impl Figures {
    /// Compares the figure or table in a file with what the runs of the folders that it was made of give.
    ///
    /// # Errors
    /// [`ReportError::NoFigure`] for a file that carries no origin; otherwise as for [`Figures::report`].
    pub fn verify(&self, figure: &Path, runs: &[&Results]) -> Result<FigureVerdict, ReportError> {
        let io = |source| ReportError::Io { path: figure.to_path_buf(), source };
        let bytes = fedbits_spec::files::read(figure).map_err(io)?;
        match PageBook::read(&bytes) {
            Some(book) => self.verify_book(figure, &book, &bytes, runs),
            None => self.verify_file(figure, &bytes, runs),
        }
    }

    /// Compares each page of a file with the runs of the folder that gives it, and the file with its pages.
    fn verify_book(
        &self,
        figure: &Path,
        book: &PageBook,
        bytes: &[u8],
        runs: &[&Results],
    ) -> Result<FigureVerdict, ReportError> {
        let mut count = 0;
        for (name, page) in &book.pages {
            let folder = runs.iter().find(|folder| folder.plan().name == *name);
            let folder = folder.ok_or_else(|| ReportError::NoFigure {
                path: figure.to_path_buf(),
                why: format!("it has a page of the scenario `{name}`: expected a folder of its runs, too"),
            })?;
            match self.verify_file(figure, page.as_bytes(), &[folder])? {
                FigureVerdict::Same(runs) => count += runs,
                verdict => return Ok(verdict),
            }
        }
        match book.to_html()?.as_bytes() == bytes {
            true => Ok(FigureVerdict::Same(count)),
            false => Ok(FigureVerdict::Changed { version: None }),
        }
    }

    fn verify_file(&self, figure: &Path, bytes: &[u8], runs: &[&Results]) -> Result<FigureVerdict, ReportError> {
        let no_figure = |why: String| ReportError::NoFigure { path: figure.to_path_buf(), why };
        let origin = Origin::read(bytes).ok_or_else(|| {
            no_figure(
                "this file carries no line `fedbits-report …`: it is not a figure or table of this program".to_owned(),
            )
        })?;
        let ending = figure.extension().map(|ending| ending.to_string_lossy().into_owned()).unwrap_or_default();
        let format = match ending.as_str() {
            "csv" => Some(Format::Svg),
            name => Format::from_name(name),
        };
        let Some(format) = format else {
            return Err(no_figure(format!(
                "figures and tables end in svg, png, pdf, tex, html or csv, not in `{ending}`"
            )));
        };
        let options = origin.options(format).ok_or_else(|| no_figure("it names a style that is unknown".to_owned()))?;
        let options = ReportOptions { engine: page::engine_in(bytes), ..options };
        let Some(collected) = of_arms(collect(runs)?, &origin.arms) else {
            let given = collect(runs)?.arms.into_iter().map(|arm| arm.name).collect();
            return Ok(FigureVerdict::OtherArms { figure: origin.arms, given });
        };
        let given = (collected.arms.iter().map(|arm| arm.runs.len()).sum(), digest(&collected.arms));
        if given.1 != origin.digest {
            return Ok(FigureVerdict::OtherRuns { figure: (origin.runs, origin.digest), given });
        }
        let name = format!("{}.{ending}", origin.name);
        let mut orders = vec![runs.to_vec(), as_named(runs, bytes)?, runs.iter().rev().copied().collect()];
        let folders = |order: &[&Results]| order.iter().map(|folder| folder.directory().to_owned()).collect::<Vec<_>>();
        orders.dedup_by_key(|order| folders(order));
        for order in orders {
            let Some(collected) = of_arms(collect(&order)?, &origin.arms) else { continue };
            let made = self.files(&collected, &options, |file| file == name)?;
            if made.first().is_some_and(|(_, made)| *made == bytes) {
                return Ok(FigureVerdict::Same(given.0));
            }
        }
        let scenario = collected.planned.map(|planned| planned.plan.name.clone());
        if let Some(figure) = origin.study.filter(|figure| scenario.as_ref() != Some(figure)) {
            return Ok(FigureVerdict::OtherScenario { figure, given: scenario });
        }
        let version = (origin.version != env!("CARGO_PKG_VERSION")).then_some(origin.version);
        Ok(FigureVerdict::Changed { version })
    }
}

/// The arms of these names alone, in their order; none where one is missing. Others may lie beside them by now.
fn of_arms(collected: Collected, names: &[String]) -> Option<Collected> {
    let named = |name: &String| collected.arms.iter().find(|arm| arm.name == *name).cloned();
    let arms = names.iter().map(named).collect::<Option<Vec<Arm>>>()?;
    Some(Collected { arms, ..collected })
}

/// The folders in the order in which the file of a figure names their runs, or of many runs their arms, by digest:
/// looks and labels may follow the order that it was made in.
fn as_named<'r>(folders: &[&'r Results], figure: &[u8]) -> Result<Vec<&'r Results>, ReportError> {
    if folders.len() < 2 {
        return Ok(folders.to_vec());
    }
    let position = |digest: &str| figure.windows(digest.len()).position(|part| part == digest.as_bytes());
    let mut found = Vec::new();
    for folder in folders {
        let arms = collect(std::slice::from_ref(folder))?.arms;
        let states = arms.iter().flat_map(Arm::records).map(|record| record.manifest.digests.state.clone());
        let digests = states.chain(arms.iter().map(|arm| digest(std::slice::from_ref(arm))));
        // One that is named nowhere comes last.
        let named = digests.filter(|digest| !digest.is_empty()).filter_map(|digest| position(&digest));
        let first = named.min().unwrap_or(figure.len());
        found.push((first, *folder));
    }
    found.sort_by_key(|(first, _)| *first);
    Ok(found.into_iter().map(|(_, folder)| folder).collect())
}
