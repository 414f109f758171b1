//! `seeds FOLDER`: writes the seeds of every target into a folder of its name below `FOLDER`.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("name the folder to write to"))?;
    for target in fuzz::TARGETS {
        let folder = folder.join(target.name);
        fs::create_dir_all(&folder)?;
        for (number, seed) in (target.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:02}")), seed)?;
        }
    }
    Ok(())
}
