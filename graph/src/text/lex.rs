//! Tokens.

use crate::ParseError;

/// A token with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// An identifier or keyword.
    Word(String),
    /// A quoted name.
    Quoted(String),
    /// A number, `-` included.
    Number(String),
    /// One of `( ) [ ] { } , : = @ # + - * /` or `->` (written `>`).
    Sign(char),
    /// The end of the text.
    End,
}

impl Kind {
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Word(text) | Kind::Number(text) => format!("{text:?}"),
            Kind::Quoted(text) => format!("the name {text:?}"),
            Kind::Sign('>') => "\"->\"".into(),
            Kind::Sign(c) => format!("{c:?}"),
            Kind::End => "the end of the text".into(),
        }
    }
}

/// Splits a text into tokens.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, ParseError> {
    let mut lexer = Lexer {
        rest: text,
        line: 1,
        column: 1,
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip(|c| c.is_whitespace());
        let (line, column) = (lexer.line, lexer.column);
        let kind = lexer.token()?;
        let end = kind == Kind::End;
        tokens.push(Token { kind, line, column });
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            (self.line, self.column) = (self.line + 1, 1);
        } else {
            self.column += 1;
        }
        Some(c)
    }

    /// Skips characters while `accept` holds; gives what was skipped.
    fn skip(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let all = self.rest;
        while self.rest.starts_with(&accept) {
            self.next();
        }
        &all[..all.len() - self.rest.len()]
    }

    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError {
            line: self.line,
            column: self.column,
            message: message.into(),
        }
    }

    fn token(&mut self) -> Result<Kind, ParseError> {
        let rest = self.rest;
        let Some(first) = rest.chars().next() else {
            return Ok(Kind::End);
        };
        let digit_follows =
            rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit() || c == 'i');
        if rest.starts_with("->") {
            self.next();
            self.next();
            return Ok(Kind::Sign('>'));
        }
        if first.is_ascii_digit() || (first == '-' && digit_follows) {
            self.next();
            self.skip(|c| c.is_ascii_alphanumeric() || c == '.');
            if self.rest.starts_with('-') && rest[..rest.len() - self.rest.len()].ends_with('e') {
                self.next();
                self.skip(|c| c.is_ascii_digit());
            }
            return Ok(Kind::Number(
                rest[..rest.len() - self.rest.len()].to_owned(),
            ));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let word = self.skip(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            return Ok(Kind::Word(word.to_owned()));
        }
        if first == '"' {
            return self.quoted();
        }
        if "()[]{},:=@#+-*/".contains(first) {
            self.next();
            return Ok(Kind::Sign(first));
        }
        Err(self.error(format!("unexpected character {first:?}")))
    }

    fn quoted(&mut self) -> Result<Kind, ParseError> {
        self.next();
        let mut name = String::new();
        loop {
            match self.next() {
                None => return Err(self.error("a quoted name does not end")),
                Some('"') => return Ok(Kind::Quoted(name)),
                Some('\\') => name.push(self.escape()?),
                Some(c) => name.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        match self.next() {
            Some(c @ ('"' | '\\')) => Ok(c),
            Some('u') if self.next() == Some('{') => {
                let digits = self.skip(|c| c.is_ascii_hexdigit());
                let code = u32::from_str_radix(digits, 16)
                    .ok()
                    .and_then(char::from_u32);
                match (code, self.next()) {
                    (Some(c), Some('}')) => Ok(c),
                    _ => Err(self.error("an escape is \\u{..} with a hexadecimal code")),
                }
            }
            _ => Err(self.error("an escape is \\\", \\\\ or \\u{..}")),
        }
    }
}
