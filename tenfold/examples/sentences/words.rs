//! Text to the numbers of word pieces, as BERT's uncased models were taught.
//!
//! Text is made lower case, letters lose their accents, and it is cut at white space and around punctuation; each word then
//! is the longest piece of the vocabulary that it begins with, then the longest that the rest begins with (`##`), and so on. A
//! word that can't be made of pieces is `[UNK]`.

use std::collections::HashMap;
use std::error::Error;

use serde_json::Value;

/// A word of more letters is unknown.
const LONGEST: usize = 100;
/// Letters of Latin-1 and their accents' bearers; accents of other letters stay.
const ACCENTED: &str = "àáâãäåçèéêëìíîïñòóôõöùúûüýÿ";
const PLAIN: &str = "aaaaaaceeeeiiiinooooouuuuyy";

/// A vocabulary.
pub(crate) struct Words(HashMap<String, i32>);

impl Words {
    /// That of a `tokenizer.json`.
    pub(crate) fn read(json: &[u8]) -> Result<Words, Box<dyn Error>> {
        let file: Value = serde_json::from_slice(json)?;
        let listed = file["model"]["vocab"].as_object();
        let listed = listed.ok_or("tokenizer.json has no vocabulary")?;
        let pieces = listed
            .iter()
            .map(|(piece, number)| {
                let number = number.as_i64().ok_or("a piece has no number")?;
                Ok((piece.clone(), i32::try_from(number)?))
            })
            .collect::<Result<_, Box<dyn Error>>>()?;
        Ok(Words(pieces))
    }

    /// The pieces of a text between `[CLS]` and `[SEP]`, at most `most` altogether.
    pub(crate) fn pieces(&self, text: &str, most: usize) -> Result<Vec<i32>, Box<dyn Error>> {
        let special = |name: &str| {
            let number = self.0.get(name).copied();
            number.ok_or_else(|| format!("the vocabulary has no {name}"))
        };
        let unknown = special("[UNK]")?;
        let mut numbers = vec![special("[CLS]")?];
        for word in words(text) {
            match self.cut(&word) {
                Some(pieces) => numbers.extend(pieces),
                None => numbers.push(unknown),
            }
        }
        numbers.truncate(most.saturating_sub(1));
        numbers.push(special("[SEP]")?);
        Ok(numbers)
    }

    fn cut(&self, word: &str) -> Option<Vec<i32>> {
        if word.chars().count() > LONGEST {
            return None;
        }
        let (mut rest, mut pieces) = (word, Vec::new());
        while !rest.is_empty() {
            let mark = if pieces.is_empty() { "" } else { "##" };
            let ends = rest.char_indices().rev().map(|(at, c)| at + c.len_utf8());
            let (end, number) = ends.into_iter().find_map(|end| {
                let number = self.0.get(&format!("{mark}{}", &rest[..end]))?;
                Some((end, *number))
            })?;
            pieces.push(number);
            rest = &rest[end..];
        }
        Some(pieces)
    }
}

/// Lower case words and single marks.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_whitespace() {
            words.push(String::new());
        } else if stands_alone(c) {
            words.extend([c.to_string(), String::new()]);
        } else if !c.is_control() && c != '\u{fffd}' {
            let plain = ACCENTED.chars().position(|accented| accented == c);
            let plain = plain.and_then(|at| PLAIN.chars().nth(at));
            // The last word is always there.
            words
                .iter_mut()
                .last()
                .into_iter()
                .for_each(|word| word.push(plain.unwrap_or(c)));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Punctuation, and signs that are words by themselves in Chinese and Japanese.
fn stands_alone(c: char) -> bool {
    let punctuation = [
        '\u{2010}'..='\u{2027}',
        '\u{2030}'..='\u{205e}',
        '\u{3001}'..='\u{3003}',
        '\u{ff01}'..='\u{ff0f}',
    ];
    let signs = [
        '\u{3400}'..='\u{4dbf}',
        '\u{4e00}'..='\u{9fff}',
        '\u{f900}'..='\u{faff}',
    ];
    c.is_ascii_punctuation()
        || "¡§«¶·»¿".contains(c)
        || punctuation
            .iter()
            .chain(&signs)
            .any(|range| range.contains(&c))
}
