//! Tensors by name: which one is meant, and what a misspelt name may have meant.

use tensor_io::Entry;

use crate::failure::Failure;

/// Suggestions for one name at most.
const SUGGESTED: usize = 3;
/// Fewer bytes are in too many names to mean one of them.
const MEANINGFUL: usize = 3;
/// Longer names are not compared whole: a file may have names of any length.
const COMPARED: usize = 256;

/// The entry of each of these names, in the order of `entries`.
///
/// # Errors
/// [`Failure::NoSuchTensors`] with every name that there is not.
pub(crate) fn select<'a>(
    file: &str,
    entries: &'a [Entry],
    names: &[String],
) -> Result<Vec<&'a Entry>, Failure> {
    let is_missing = |name: &&String| entries.iter().all(|entry| entry.name != **name);
    let missing: Vec<String> = names
        .iter()
        .filter(is_missing)
        .map(|name| describe(name, entries))
        .collect();
    if !missing.is_empty() {
        return Err(Failure::NoSuchTensors {
            file: file.to_owned(),
            missing,
            count: entries.len(),
        });
    }
    let chosen = entries.iter().filter(|entry| names.contains(&entry.name));
    Ok(chosen.collect())
}

/// The names, or the first of them and how many follow.
pub(crate) fn first(entries: &[Entry]) -> String {
    const LISTED: usize = 12;
    let shown: Vec<String> = entries
        .iter()
        .take(LISTED)
        .map(|entry| format!("{:?}", entry.name))
        .collect();
    match entries.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A name that there is not, and the nearest that there are.
fn describe(name: &str, entries: &[Entry]) -> String {
    let names = entries.iter().map(|entry| entry.name.as_str());
    let near: Vec<String> = nearest(name, names)
        .into_iter()
        .map(|near| format!("{near:?}"))
        .collect();
    if near.is_empty() {
        format!("{name:?}")
    } else {
        format!("{name:?} (is it {}?)", near.join(" or "))
    }
}

/// The names that are likely to be meant by `name`, the likeliest first: those that contain it, or need few letters changed.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let lower = name.to_lowercase();
    let limit = (name.chars().count() / 3).max(1);
    let mut found: Vec<(usize, &str)> = names
        .filter_map(|candidate| {
            let distance = distance(&lower, &candidate.to_lowercase());
            let inside = lower.len() >= MEANINGFUL && candidate.to_lowercase().contains(&lower);
            (distance <= limit || inside).then_some((distance, candidate))
        })
        .collect();
    found.sort_unstable();
    found.truncate(SUGGESTED);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// How many letters must be inserted, removed or replaced to make `a` into `b` (Levenshtein 1965).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(COMPARED).collect();
    // The distances of the letters of `a` so far to each beginning of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, letter) in a.chars().take(COMPARED).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_textbook() {
        for (a, b, expect) in [
            ("kitten", "sitting", 3),
            ("saturday", "sunday", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("flaw", "lawn", 2),
            ("same", "same", 0),
        ] {
            assert_eq!(distance(a, b), expect, "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_names_come_first() {
        let names = [
            "layer.0.weight",
            "layer.0.bias",
            "layer.1.weight",
            "head.Weight",
            "x",
        ];
        for (name, expect) in [
            ("layer.0.wieght", &["layer.0.weight", "layer.1.weight"][..]),
            ("bias", &["layer.0.bias"]),
            ("HEAD.weight", &["head.Weight"]),
            ("nothing like it", &[]),
            ("y", &["x"]),
            ("", &["x"]),
        ] {
            assert_eq!(nearest(name, names.into_iter()), expect, "{name:?}");
        }
    }
}
