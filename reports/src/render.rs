//! The files of a report.

use crate::data::{Collected, collect, open_folders};
use crate::error::ReportError;
use crate::export::export;
use crate::figures::choice;
use crate::options::{self, Declarations, Format, ReportOptions, Wanted};
use crate::page::PageBook;
use crate::registry::{Figures, LeftOutFigure, possible};
use crate::report::{Drawing, Report};
use crate::style::Style;
use crate::{accuracy, complexity, page};
use fedbits_record::FigureFolder;
use fedbits_record::results::Results;
use rayon::prelude::*;
use std::path::PathBuf;

/// [`Figures::report`] with the kinds of this crate.
///
/// # Errors
/// [`ReportError`].
pub fn report(runs: &[PathBuf], options: &ReportOptions) -> Result<Vec<PathBuf>, ReportError> {
    Figures::builtin().report(&open_folders(runs)?, options)
}

impl Figures {
    /// Writes all figures of the given runs and returns the paths written, in order. They replace figures that a report
    /// wrote into the directory before, and nothing else.
    ///
    /// [`open_folders`] opens the folders of runs. Runs with the same arm and different seeds or
    /// replicates are one line: median and interquartile band. A quantity that no run measured has no figure of a kind;
    /// a figure that is declared or asked for and that they cannot show is an error, behind the others.
    ///
    /// # Errors
    /// [`ReportError`]: a record that cannot be read, labels that do not pair up, nothing measured, a file not written,
    /// no figure that can be drawn; [`ReportError::Partly`] where some cannot.
    pub fn report(&self, runs: &[Results], options: &ReportOptions) -> Result<Vec<PathBuf>, ReportError> {
        check_directory(options)?;
        let collected = collect(runs)?;
        let (files, mut left_out) = self.possible_files(&collected, options, |_| true)?;
        if left_out.is_empty() {
            return write(options, &files);
        }
        let rest = possible(options, &collected, &left_out)?;
        if matches!(&rest.wanted, Wanted::Named(names) if names.is_empty()) {
            return Err(left_out.swap_remove(0).1);
        }
        let written = write(options, &self.files(&collected, &rest, |_| true)?)?;
        Err(ReportError::Partly { written, left_out: left_out.into_iter().map(|(_, why)| why).collect() })
    }

    /// [`Self::report`] without the declared figures that these runs cannot show, and for each of them why: runs that
    /// have just ended do not fail for a figure. No figure stands in their place: where none is left, the page has
    /// none.
    ///
    /// # Errors
    /// As [`Self::report`], but for these.
    pub fn report_possible(
        &self,
        runs: &[Results],
        options: &ReportOptions,
    ) -> Result<(Vec<PathBuf>, Vec<ReportError>), ReportError> {
        check_directory(options)?;
        let collected = collect(runs)?;
        let (mut files, left_out) = match self.possible_files(&collected, options, |_| true) {
            Err(ReportError::NothingMeasured) if options.wanted == Wanted::Declared => {
                let without = ReportOptions { wanted: Wanted::Named(Vec::new()), ..options.clone() };
                let files = self.files(&collected, &without, |_| true)?;
                return Ok((write(options, &files)?, vec![ReportError::NothingMeasured]));
            }
            made => made?,
        };
        if !left_out.is_empty() {
            files = self.files(&collected, &possible(options, &collected, &left_out)?, |_| true)?;
        }
        Ok((write(options, &files)?, left_out.into_iter().map(|(_, why)| why).collect()))
    }

    /// The page of the runs of one folder, for a [`PageBook`](crate::PageBook).
    ///
    /// # Errors
    /// As [`Self::report`].
    pub fn page(&self, runs: &Results, options: &ReportOptions) -> Result<String, ReportError> {
        let options = ReportOptions { formats: vec![Format::Html], ..options.clone() };
        let name = format!("{}.html", page::NAME);
        let mut files = self.files(&collect(&[runs])?, &options, |file| file == name)?;
        let (_, page) = files.pop().ok_or(ReportError::NothingMeasured)?;
        Ok(String::from_utf8(page).expect("HTML is text"))
    }

    /// Writes the pages into the directory of the options, as one file.
    ///
    /// # Errors
    /// [`ReportError`]: two scenarios of one name, a file not written.
    pub fn write_book(&self, book: &PageBook, options: &ReportOptions) -> Result<Vec<PathBuf>, ReportError> {
        check_directory(options)?;
        write(options, &[(format!("{}.html", page::NAME), book.to_html()?.into_bytes())])
    }

    /// What a report of these runs declares. Where that is nothing and declared
    /// figures are `wanted`: the figure that is drawn instead.
    ///
    /// # Errors
    /// [`ReportError`]: a folder without runs, a file that is not as documented.
    pub fn declarations(&self, runs: &[Results], wanted: &Wanted) -> Result<Declarations, ReportError> {
        let collected = collect(runs)?;
        let mut figures = options::declared(&collected)?;
        if figures.is_empty() && *wanted == Wanted::Declared {
            let options = ReportOptions::new(Style::Neurips, &[], PathBuf::new());
            figures.extend(choice::figure(&Report::new(&collected, &options)));
        }
        let axes = collected.planned.iter().flat_map(|planned| &planned.plan.axes);
        Ok(Declarations {
            figures,
            arms: collected.arms.iter().map(|arm| arm.name.clone()).collect(),
            axes: axes.map(|axis| axis.name.clone()).collect(),
        })
    }

    /// The files of a report whose names are `wanted`, each once, with their bytes; nothing is written.
    pub(crate) fn files(
        &self,
        collected: &Collected,
        options: &ReportOptions,
        wanted: impl Fn(&str) -> bool + Sync,
    ) -> Result<Vec<File>, ReportError> {
        let (files, left_out) = self.possible_files(collected, options, wanted)?;
        left_out.into_iter().next().map_or(Ok(files), |(_, why)| Err(why))
    }

    /// The same; or, where some declared figures cannot be drawn, why.
    fn possible_files(
        &self,
        collected: &Collected,
        options: &ReportOptions,
        wanted: impl Fn(&str) -> bool + Sync,
    ) -> Result<(Vec<File>, Vec<LeftOutFigure>), ReportError> {
        let report = Report::new(collected, options);
        let (drawings, left_out) = self.draw(&report)?;
        if !left_out.is_empty() {
            return Ok((Vec::new(), left_out));
        }
        if drawings.is_empty() && !is_without_figures(&report) {
            return Err(ReportError::NothingMeasured);
        }
        let pictures = pictures(&report, &drawings, &wanted)?;
        let mut files = Files { wanted, files: Vec::new() };
        drawings
            .iter()
            .zip(pictures)
            .try_for_each(|(drawing, pictures)| files.add_drawing(&report, drawing, pictures))?;
        let tables = tables(&report)?;
        // What is no caption.
        let is_table = |name: &&String| name.ends_with(".csv") || **name == format!("{}.tex", accuracy::NAME);
        let names: Vec<String> = tables.iter().map(|(name, _)| name).filter(is_table).cloned().collect();
        tables.into_iter().try_for_each(|(name, text)| files.put(name, || Ok(text.into_bytes())))?;
        if options.formats.contains(&Format::Html) {
            files.put(format!("{}.html", page::NAME), || Ok(page::page(&report, &drawings, &names)?.into_bytes()))?;
        }
        Ok((files.files, left_out))
    }
}

/// Writes the files of a report in the place of those of one before.
fn write(options: &ReportOptions, files: &[File]) -> Result<Vec<PathBuf>, ReportError> {
    Ok(FigureFolder::open(&options.directory)?.write(files)?)
}

/// What cannot be written is not drawn first.
fn check_directory(options: &ReportOptions) -> Result<(), ReportError> {
    let directory = &options.directory;
    if directory.exists() && !directory.is_dir() {
        let source = std::io::ErrorKind::NotADirectory.into();
        return Err(ReportError::Io { path: directory.clone(), source });
    }
    Ok(())
}

/// Files in the making.
struct Files<W> {
    wanted: W,
    files: Vec<File>,
}

impl<W: Fn(&str) -> bool> Files<W> {
    fn put(&mut self, name: String, bytes: impl FnOnce() -> Result<Vec<u8>, ReportError>) -> Result<(), ReportError> {
        if (self.wanted)(&name) && self.files.iter().all(|(known, _)| *known != name) {
            self.files.push((name, bytes()?));
        }
        Ok(())
    }

    fn add_drawing(&mut self, report: &Report<'_>, drawing: &Drawing, pictures: Vec<File>) -> Result<(), ReportError> {
        pictures.into_iter().try_for_each(|(name, bytes)| self.put(name, || Ok(bytes)))?;
        self.put(format!("{}.csv", drawing.data.0), || Ok(drawing.data.1.clone().into_bytes()))?;
        let captions = report.captions(&drawing.name, &drawing.words)?;
        captions.into_iter().try_for_each(|(name, text)| self.put(name, || Ok(text.into_bytes())))
    }
}

/// The tables of what is reported in numbers alone, with their captions: nobody asked for them who named figures.
fn tables(report: &Report<'_>) -> Result<Vec<(String, String)>, ReportError> {
    let (arms, mut tables) = (report.arms(), Vec::new());
    if matches!(report.options.wanted, Wanted::Named(_)) && !is_without_figures(report) {
        return Ok(tables);
    }
    if let Some(rows) = complexity::rows(arms)? {
        tables.push((format!("{}.csv", complexity::NAME), rows.csv(&report.comments(complexity::NAME)?)));
    }
    let methods = accuracy::methods(arms);
    if !methods.is_empty() {
        let (name, comments) = (accuracy::NAME, report.comments(accuracy::NAME)?);
        tables.push((format!("{name}.csv"), accuracy::rows(&methods)?.csv(&comments)));
        tables.extend(report.captions(name, &report.signed(accuracy::words(arms)))?);
        tables.push((format!("{name}.tex"), accuracy::tex(&methods, &comments, report.options.style)));
    }
    Ok(tables)
}

/// Whether only the page and the tables are wanted.
fn is_without_figures(report: &Report<'_>) -> bool {
    matches!(&report.options.wanted, Wanted::Named(names) if names.is_empty())
}

/// A file: its name and its bytes.
type File = (String, Vec<u8>);

/// The `wanted` files of each drawing, made on all threads: pixels and their compression take most of a report's time.
fn pictures(
    report: &Report<'_>,
    drawings: &[Drawing],
    wanted: impl Fn(&str) -> bool + Sync,
) -> Result<Vec<Vec<File>>, ReportError> {
    let of = |drawing: &Drawing| {
        let comments = report.comments(&drawing.name)?;
        let failed = |message: String| ReportError::Export { figure: drawing.name.clone(), message };
        let formats = report.options.formats.iter().filter(|format| **format != Format::Html);
        let names = formats.map(|format| (*format, format!("{}.{}", drawing.name, format.ending())));
        let file = |(format, name): (Format, String)| {
            Ok((name, export(&drawing.scene, format, &drawing.name, &comments).map_err(failed)?))
        };
        names.filter(|(_, name)| wanted(name)).map(file).collect()
    };
    drawings.par_iter().map(of).collect()
}
