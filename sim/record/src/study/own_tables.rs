//! `tables/` of a study: what its runs leave beside the common tables, put together. Tables of one name and the same
//! columns become one file with the arm and the replicate before each row; the topology of an arm's network is that of
//! its first run (the store keeps that of every run).

use std::path::{Path, PathBuf};

use super::StoreError;
use crate::table::FileTable;
use crate::topology::TOPOLOGY_COLUMNS;
use crate::{ExtraTable, RecordError, RunRecord, TOPOLOGY_FILE, make_folder};

/// The tables in progress.
pub(super) struct OwnTables {
    folder: PathBuf,
    extra: Vec<Extra>,
    topology: Option<FileTable>,
    /// The last arm whose topology is written.
    arm_with_topology: Option<usize>,
}

/// One file of extra tables.
struct Extra {
    name: String,
    columns: Vec<String>,
    table: FileTable,
}

impl OwnTables {
    /// Will write into a folder, which is made when a table comes.
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf(), extra: Vec::new(), topology: None, arm_with_topology: None }
    }

    /// Takes what a run has; runs come arm by arm.
    pub(super) fn add(&mut self, arm: usize, run: &RunRecord) -> Result<(), StoreError> {
        if let Some(topology) = run.topology.as_ref().filter(|_| self.arm_with_topology != Some(arm)) {
            self.arm_with_topology = Some(arm);
            if self.topology.is_none() {
                self.make_folder()?;
                let header: Vec<&str> = ["arm", "replicate"].into_iter().chain(TOPOLOGY_COLUMNS).collect();
                self.topology = Some(FileTable::create(&self.folder, TOPOLOGY_FILE, &header)?);
            }
            if let Some(table) = &mut self.topology {
                topology.write(table, &[&run.manifest.arm, &run.manifest.replicate.to_string()])?;
            }
        }
        run.extra.iter().try_for_each(|table| self.add_extra(run, table))
    }

    fn add_extra(&mut self, run: &RunRecord, from: &ExtraTable) -> Result<(), StoreError> {
        let known = |own: &Extra| own.name == from.name && own.columns == from.columns;
        let index = match self.extra.iter().position(known) {
            Some(index) => index,
            None => self.open(from)?,
        };
        let table = &mut self.extra[index].table;
        for row in &from.rows {
            table.cell(&run.manifest.arm)?;
            table.cell(run.manifest.replicate)?;
            row.iter().try_for_each(|cell| table.cell(cell))?;
            table.end_row()?;
        }
        Ok(())
    }

    /// A new file: `NAME.csv`, or `NAME-2.csv`, … where arms have other columns under the same name.
    fn open(&mut self, from: &ExtraTable) -> Result<usize, StoreError> {
        self.make_folder()?;
        let file = match self.extra.iter().filter(|own| own.name == from.name).count() {
            0 => from.file(),
            before => format!("{}-{}.csv", from.name, before + 1),
        };
        let header: Vec<&str> =
            ["arm", "replicate"].into_iter().chain(from.columns.iter().map(String::as_str)).collect();
        let table = FileTable::create(&self.folder, &file, &header)?;
        self.extra.push(Extra { name: from.name.clone(), columns: from.columns.clone(), table });
        Ok(self.extra.len() - 1)
    }

    fn make_folder(&self) -> Result<(), StoreError> {
        make_folder(&self.folder).map_err(|error| StoreError::io(&self.folder, error))
    }

    /// Gives every file its name, and returns the names.
    pub(super) fn finish(self) -> Result<Vec<String>, RecordError> {
        let Self { extra, topology, .. } = self;
        topology.into_iter().chain(extra.into_iter().map(|own| own.table)).map(FileTable::finish).collect()
    }
}
