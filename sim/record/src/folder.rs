//! The folder of a record: what in it is the record's, and how a new record replaces a former one.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use fedbits_spec::files;

use crate::figures::{FIGURES_FOLDER, FigureFolder};
use crate::files::{
    TemporaryFolder, exchange, first_entry, folder_of, is_there, make, remove_if_there, rename, temporary_entries,
};
use crate::{ExtraTable, MANIFEST_FILE, Manifest, RecordError, write_whole};

/// Whether a folder holds a record: a manifest that says by its `format` that it is one.
///
/// # Errors
/// [`RecordError::Io`] where that cannot be told.
pub fn is_record(folder: &Path) -> Result<bool, RecordError> {
    Ok(marked(folder)?.is_some())
}

/// The manifest of the record in a folder; none where there is no record.
fn marked(folder: &Path) -> Result<Option<Manifest>, RecordError> {
    match Manifest::read(folder) {
        Ok(manifest) => Ok(Some(manifest).filter(Manifest::is_marked)),
        Err(RecordError::Io { path, source }) if source.kind() != ErrorKind::IsADirectory => {
            files::if_there(Err(source)).map_err(|source| RecordError::io(&path, source))
        }
        Err(_) => Ok(None),
    }
}

/// The first file or folder in the folder of a record, or beside the files of one that was never finished, that is no
/// part of it and none of `others`; `figures` is a part where a report wrote all that is in it.
///
/// # Errors
/// [`RecordError::Io`].
pub fn foreign_entry(folder: &Path, others: &[PathBuf]) -> Result<Option<PathBuf>, RecordError> {
    let known = own_files(folder)?;
    let ours = |name: &OsStr| {
        name == FIGURES_FOLDER || known.iter().any(|own| name == own.as_str()) || others.contains(&folder.join(name))
    };
    if let Some(first) = first_entry(folder, ours)? {
        return Ok(Some(first));
    }
    let figures = folder.join(FIGURES_FOLDER);
    match is_folder(&figures)? {
        true => FigureFolder::open(&figures)?.foreign_entry(),
        false => Ok(is_there(&figures)?.then_some(figures)),
    }
}

fn is_folder(path: &Path) -> Result<bool, RecordError> {
    files::is_folder(path).map_err(|source| RecordError::io(path, source))
}

/// Whether a folder holds something that passes for a record: a manifest of this program, be it damaged or of an
/// earlier build.
///
/// # Errors
/// [`RecordError::Io`] where that cannot be told.
pub fn has_manifest(folder: &Path) -> Result<bool, RecordError> {
    let marks: [&[u8]; 2] = [b"fedbits record", b"\"engine_version\""];
    let has = |bytes: Vec<u8>| marks.iter().any(|mark| bytes.windows(mark.len()).any(|part| part == *mark));
    let path = folder.join(MANIFEST_FILE);
    match files::read(&path) {
        Err(error) if error.kind() == ErrorKind::IsADirectory => Ok(false),
        read => Ok(files::if_there(read).map_err(|source| RecordError::io(&path, source))?.is_some_and(has)),
    }
}

/// Whether the record in a folder can be replaced: it holds nothing else, and it can be renamed.
///
/// # Errors
/// [`RecordError::InTheWay`], [`RecordError::Immovable`], [`RecordError::Io`].
pub fn check_replaceable(folder: &Path) -> Result<(), RecordError> {
    if let Some(path) = foreign_entry(folder, &[])? {
        return Err(RecordError::InTheWay { path, what: "no part of the record beside it" });
    }
    let immovable = |why| Err(RecordError::Immovable { path: folder.to_path_buf(), why });
    let whole = folder.canonicalize().map_err(|source| RecordError::io(folder, source))?;
    if std::env::current_dir().and_then(|here| here.canonicalize()).is_ok_and(|here| here.starts_with(&whole)) {
        return immovable("it is the working directory");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let device = |path: &Path| path.metadata().map(|about| about.dev()).ok();
        if device(&whole) != device(folder_of(&whole)) {
            return immovable("a file system is mounted there");
        }
    }
    Ok(())
}

/// Names of the files of the record in a folder, and of one whose files were being put there when its process was
/// killed.
fn own_files(folder: &Path) -> Result<Vec<String>, RecordError> {
    let mut names = listed(folder)?;
    for folder in unfinished(folder)? {
        // The manifest is the last to be written.
        names.extend(listed(&folder)?.into_iter().filter(|name| name != MANIFEST_FILE));
    }
    Ok(names)
}

/// Temporary folders in a folder that hold a record.
fn unfinished(folder: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut found = Vec::new();
    for path in temporary_entries(folder)? {
        found.extend(is_record(&path)?.then_some(path));
    }
    Ok(found)
}

/// Names of the files of the record in a folder, those being added among them, its manifest last; none where there is
/// no record.
fn listed(folder: &Path) -> Result<Vec<String>, RecordError> {
    Ok(marked(folder)?.map_or_else(Vec::new, |manifest| {
        manifest.files.into_iter().chain(manifest.adding).chain([MANIFEST_FILE.to_owned()]).collect()
    }))
}

/// Puts a table and another file into a finished record, in place of those that it has under these names.
///
/// # Errors
/// [`RecordError::InTheWay`] where a file of such a name is none of the record; [`RecordError::Io`].
pub fn add_to_record(folder: &Path, table: &ExtraTable, (name, bytes): (&str, &[u8])) -> Result<(), RecordError> {
    let mut manifest = Manifest::read(folder)?;
    let names = [table.file(), name.to_owned()];
    let new: Vec<String> = names.into_iter().filter(|name| !manifest.files.contains(name)).collect();
    let unknown = || new.iter().filter(|name| !manifest.adding.contains(name));
    let in_the_way = |path: &PathBuf| path.symlink_metadata().is_ok();
    if let Some(path) = unknown().map(|name| folder.join(name)).find(in_the_way) {
        return Err(RecordError::InTheWay { path, what: "no part of the record" });
    }
    // Should the process be killed before its end, the next one knows that these files are not the user's.
    manifest.adding = new;
    if !manifest.adding.is_empty() {
        manifest.write(folder)?;
    }
    table.write(folder)?.finish()?;
    write_whole(&folder.join(name), bytes)?;
    let Manifest { files, adding, .. } = &mut manifest;
    files.append(adding);
    manifest.write(folder)
}

/// Removes the record in a folder: its manifest first, so that no reader meets a part of it, and figures that a report
/// wrote beside it. The folder goes too when nothing else is in it.
///
/// # Errors
/// [`RecordError::Io`].
pub fn remove_record(folder: &Path) -> Result<(), RecordError> {
    listed(folder)?.iter().rev().try_for_each(|name| remove_if_there(&folder.join(name)))?;
    let figures = folder.join(FIGURES_FOLDER);
    if is_folder(&figures)? {
        FigureFolder::open(&figures)?.remove_others(&[])?;
    }
    // Refused when something else is in it.
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

/// Removes a record with its folder: the folder is gone at once, then what was in it. What is no part of the record
/// stays.
///
/// # Errors
/// [`RecordError::Io`].
pub fn retire_record(folder: &Path) -> Result<(), RecordError> {
    let aside = TemporaryFolder::make_in(folder_of(folder))?;
    let former = aside.path().join("former");
    rename(folder, &former)?;
    let removed = remove_record(&former);
    if is_there(&former)? {
        rename(&former, folder).inspect_err(|_| drop(aside.keep()))?;
    }
    removed
}

/// Replaces `target` by the folder of a finished record: the record that stands there, an empty folder, or
/// nothing. At any moment `target` holds what it held before or the new record.
///
/// # Errors
/// [`RecordError::Io`]; `target` is then as it was, or the new record, whose predecessor could not be removed.
pub fn replace_record(new: &Path, target: &Path) -> Result<(), RecordError> {
    match put(new, target)? {
        true => clear(new, target),
        false => Ok(()),
    }
}

/// Whether the former record is now where the new one was.
fn put(new: &Path, target: &Path) -> Result<bool, RecordError> {
    let replaces = is_record(target)?;
    if replaces {
        exchange(new, target)?
    } else {
        rename(new, target)?
    }
    Ok(replaces)
}

/// Removes the former record; what somebody put beside it while the new one was made goes into the new one's folder.
fn clear(former: &Path, target: &Path) -> Result<(), RecordError> {
    remove_record(former)?;
    while let Some(path) = first_entry(former, |_| false)? {
        let target_path = path
            .file_name()
            .map(|name| target.join(name))
            .filter(|target_path| target_path.symlink_metadata().is_err());
        let Some(target_path) = target_path else {
            return Err(RecordError::InTheWay { path, what: "no part of the record that was replaced" });
        };
        rename(&path, &target_path)?;
    }
    // Only what killed processes left can be in it.
    std::fs::remove_dir_all(former).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(()),
        _ => Err(RecordError::io(former, error)),
    })
}

/// Where a record is made before it is moved to its path; removed when dropped before that.
#[derive(Debug)]
pub(crate) struct Staging {
    target: PathBuf,
    folder: TemporaryFolder,
    /// The target is a folder that is there and holds no record: files are moved into it one by one. What a process
    /// left there that was killed while it did so.
    inside: Option<UnfinishedFolder>,
    created: Created,
}

/// Files of a record that did not get its manifest, and the folder that they came from.
#[derive(Debug)]
struct UnfinishedFolder {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

/// Folders that were made for a record, deepest first; removed when dropped, unless something is in them.
#[derive(Debug)]
struct Created(Vec<PathBuf>);

impl Drop for Created {
    fn drop(&mut self) {
        self.0.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
    }
}

impl Staging {
    /// Makes a folder beside `target`, or in it where it is there and holds no record.
    ///
    /// # Errors
    /// [`RecordError::Io`]; [`RecordError::InTheWay`] for a file in `target` that is no part of a record, and
    /// [`RecordError::Immovable`] for a record that cannot be replaced at once.
    pub(crate) fn of(target: &Path) -> Result<Self, RecordError> {
        if !is_there(target)? {
            let created = Created(make(folder_of(target))?);
            let folder = TemporaryFolder::make_in(folder_of(target))?;
            return Ok(Self { target: target.to_path_buf(), folder, inside: None, created });
        }
        let target = target.canonicalize().map_err(|source| RecordError::io(target, source))?;
        let created = Created(Vec::new());
        if is_record(&target)? {
            check_replaceable(&target)?;
            let folder = TemporaryFolder::make_in(folder_of(&target))?;
            return Ok(Self { target, folder, inside: None, created });
        }
        let files = own_files(&target)?;
        let foreign = |name: &OsStr| !files.iter().any(|own| name == own.as_str()) && !target.join(name).is_dir();
        if let Some(path) = first_entry(&target, |name| !foreign(name))? {
            return Err(RecordError::InTheWay { path, what: "no part of a record" });
        }
        let files = files.iter().map(|name| target.join(name)).collect();
        let unfinished = UnfinishedFolder { files, folders: self::unfinished(&target)? };
        let folder = TemporaryFolder::make_in(&target)?;
        Ok(Self { target, folder, inside: Some(unfinished), created })
    }

    /// Where the record is made.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where it will be.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Moves the finished record to its path.
    ///
    /// # Errors
    /// As [`replace_record`].
    pub(crate) fn commit(self) -> Result<(), RecordError> {
        let Self { target, folder, inside, mut created } = self;
        match inside {
            Some(unfinished) => move_files(folder.path(), &target, &unfinished)?,
            None => {
                let replaced = put(folder.path(), &target)?;
                // The folder is not the new record any more: whatever is in it is not to be removed with all it holds.
                let former = folder.keep();
                if replaced {
                    clear(&former, &target)?;
                }
            }
        }
        created.0.clear();
        Ok(())
    }
}

/// Moves the files into the target, the manifest last: until then there is no record. An error takes them back.
fn move_files(folder: &Path, target: &Path, unfinished: &UnfinishedFolder) -> Result<(), RecordError> {
    unfinished.files.iter().try_for_each(|path| remove_if_there(path))?;
    let names = listed(folder)?;
    let move_back = |name: &String| match target.join(name) {
        path if path.symlink_metadata().is_ok() => Err(RecordError::InTheWay { path, what: "no part of a record" }),
        path => rename(&folder.join(name), &path),
    };
    for (before, name) in names.iter().enumerate() {
        if let Err(error) = move_back(name) {
            names[..before].iter().for_each(|name| drop(remove_if_there(&target.join(name))));
            return Err(error);
        }
    }
    unfinished.folders.iter().for_each(|folder| drop(std::fs::remove_dir_all(folder)));
    Ok(())
}
