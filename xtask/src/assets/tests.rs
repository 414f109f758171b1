//! The table is well formed, and a damaged file is noticed. Nothing here fetches.

use super::*;

#[test]
fn names_are_unique_and_pins_are_whole() {
    for (index, asset) in ASSETS.iter().enumerate() {
        assert!(
            ASSETS[..index].iter().all(|other| other.name != asset.name),
            "{} twice",
            asset.name
        );
        let pins: Vec<&str> = match asset.contents {
            Contents::Files(files) => files.iter().map(|file| file.sha256).collect(),
            Contents::Tree { sha256, .. } => vec![sha256],
        };
        assert!(!pins.is_empty(), "{} pins nothing", asset.name);
        for pin in pins {
            let hexadecimal = pin
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
            assert!(
                pin.len() == 64 && hexadecimal,
                "{}: {pin:?} is no sha256",
                asset.name
            );
        }
    }
}

#[test]
fn the_default_set_stays_small() {
    let bytes: u64 = ASSETS
        .iter()
        .filter(|asset| asset.by_default)
        .map(|asset| match asset.contents {
            Contents::Files(files) => files.iter().map(|file| file.bytes).sum::<u64>(),
            Contents::Tree { path, .. } => panic!("{path}: a tree has no place in the default set"),
        })
        .sum();
    assert!(
        bytes < 60_000_000,
        "{bytes} bytes are too much for everyone"
    );
}

#[test]
fn unknown_names_and_options_are_usage_errors() {
    for arguments in [&["nothing-of-this-name"][..], &["--everything"][..]] {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|&argument| argument.to_owned())
            .collect();
        assert!(
            matches!(run(&arguments), Err(Failure::Usage(_))),
            "{arguments:?}"
        );
    }
}

/// The sha256 of `abc` is the first example of FIPS 180-2, appendix B.1.
#[test]
fn damaged_and_missing_files_are_told_apart() {
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let folder = env::temp_dir().join(format!("tenfold-assets-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let pins = [PinnedFile {
        path: "pinned",
        bytes: 3,
        sha256: ABC,
    }];
    let faults_with = |contents: Option<&str>| {
        let path = folder.join("pinned");
        match contents {
            Some(text) => fs::write(&path, text).unwrap(),
            None => drop(fs::remove_file(&path)),
        }
        file_faults(&pins, &folder).unwrap().join("; ")
    };
    assert_eq!(faults_with(None), "pinned is missing");
    assert_eq!(
        faults_with(Some("abcd")),
        "pinned has 4 bytes, pinned are 3"
    );
    assert!(
        faults_with(Some("abd")).contains(
            "has sha256 a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"
        )
    );
    assert_eq!(faults_with(Some("abc")), "");
    fs::remove_dir_all(&folder).unwrap();
}
