//! [`OutputFile`]: a file that appears when it is complete.
//!
//! The bytes go to a new file beside the target, which is renamed into place at the end. A program that fails or is killed
//! in the middle leaves the old file as it was, and whoever has the old file mapped keeps its bytes. What is no regular
//! file (a pipe, a terminal) is written directly.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct OutputFile {
    file: File,
    /// Where the bytes are, and where they go in the end; `None` where they go directly.
    rename: Option<(PathBuf, PathBuf)>,
}

impl OutputFile {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut permissions = None;
        let target = match fs::metadata(path) {
            Ok(found) if !found.is_file() => {
                let file = File::create(path)?;
                return Ok(Self { file, rename: None });
            }
            // A link stays a link: what it points to is replaced.
            Ok(found) => {
                permissions = Some(found.permissions());
                fs::canonicalize(path)?
            }
            Err(_) => path.to_owned(),
        };
        let (file, temporary) = create_beside(&target)?;
        let output = Self {
            file,
            rename: Some((temporary, target)),
        };
        // Who could not read the old file must not read the new one.
        if let Some(permissions) = permissions {
            output.file.set_permissions(permissions)?;
        }
        Ok(output)
    }

    /// Puts the file into place, once its bytes are on the disk.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        if let Some((temporary, target)) = &self.rename {
            self.file.sync_all()?;
            fs::rename(temporary, target)?;
            self.rename = None;
        }
        Ok(())
    }
}

/// A new file in the folder of `target`, with a name that no other writer has.
pub(crate) fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    for number in 0_u32.. {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.{number}.part", process::id()));
        let temporary = target.with_file_name(temporary);
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&temporary);
        match opened {
            Ok(file) => return Ok((file, temporary)),
            // Another writer's, or left behind by one that was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.rename {
            // Nobody is left to tell: the caller has the error that brought it here.
            let _gone = fs::remove_file(temporary);
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let scratch = Scratch::new();
        let path = scratch.path("output");
        fs::write(&path, "old").unwrap();
        let folder = path.parent().unwrap();
        let count = || fs::read_dir(folder).unwrap().count();
        let before = count();

        let mut dropped = OutputFile::create(&path).unwrap();
        dropped.write_all(b"half").unwrap();
        assert_eq!(
            (count(), fs::read(&path).unwrap()),
            (before + 1, b"old".to_vec())
        );
        drop(dropped);
        assert_eq!(
            (count(), fs::read(&path).unwrap()),
            (before, b"old".to_vec())
        );

        let mut whole = OutputFile::create(&path).unwrap();
        whole.write_all(b"new").unwrap();
        whole.commit().unwrap();
        assert_eq!(
            (count(), fs::read(&path).unwrap()),
            (before, b"new".to_vec())
        );
        assert!(OutputFile::create(&folder.join("no/such/folder")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_stays_private() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = Scratch::new();
        let path = scratch.path("private");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        OutputFile::create(&path).unwrap().commit().unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_devices_are_written_directly() {
        let scratch = Scratch::new();
        let path = scratch.path("target");
        let link = path.with_file_name("link");
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut output = OutputFile::create(&link).unwrap();
        output.write_all(b"new").unwrap();
        output.commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let null = OutputFile::create(Path::new("/dev/null")).unwrap();
        assert!(null.rename.is_none());
        null.commit().unwrap();
    }
}
