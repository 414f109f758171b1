//! Equations of Einstein's summation: which axes of several tensors are one, which stay, which are summed over.
//!
//! `ij,jk->ik` is a matrix product, `ii->i` a diagonal, `...ij->...` a sum over the last two axes. Spaces mean nothing. `...`
//! stands for the axes that have no letter; those of several operands broadcast, aligned at the last. Without `->` the result has
//! these axes first, and then the letters that occur once, upper case before lower case.
//!
//! [`Equation`] knows labels only, no extents and no ops. Whoever computes one takes the operands in order: sums over what nothing
//! else has ([`Equation::is_needed`]), then joins the operand to what is there, as [`Equation::pair`] says.
//!
//! Invariants: labels of the result are distinct and occur in an operand; ellipses are never summed over.

use thiserror::Error;

/// What an axis is called in an equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// An axis of the ellipsis, counted from its last.
    Ellipsis(usize),
    /// A letter.
    Letter(char),
}

/// A text that is no equation, or none for these operands.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("einsum equation {equation:?}: {reason}")]
pub struct EquationError {
    /// The equation.
    pub equation: String,
    /// What is wrong with it.
    pub reason: String,
}

/// An equation for operands of certain ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    operands: Vec<Vec<Label>>,
    output: Vec<Label>,
}

/// How two terms are joined: by a product over `batch`, and a sum over `contracted`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// In both, and needed later.
    pub batch: Vec<Label>,
    /// In the first only.
    pub left: Vec<Label>,
    /// In the second only.
    pub right: Vec<Label>,
    /// In both, and not needed later.
    pub contracted: Vec<Label>,
}

const ELLIPSIS: &str = "...";

/// The letters before the ellipsis, whether there is one, and the letters behind it.
struct Term {
    before: Vec<Label>,
    ellipsis: bool,
    behind: Vec<Label>,
}

impl Term {
    fn parse(text: &str) -> Result<Term, String> {
        let letters = |text: &str| -> Result<Vec<Label>, String> {
            let label = |c: char| match c.is_ascii_alphabetic() {
                true => Ok(Label::Letter(c)),
                false => Err(format!("{c:?} is no letter; axes are a-z and A-Z")),
            };
            text.chars().map(label).collect()
        };
        let (before, behind) = match text.split_once(ELLIPSIS) {
            Some((before, behind)) => (before, Some(behind)),
            None => (text, None),
        };
        if behind.is_some_and(|behind| behind.contains(ELLIPSIS)) {
            return Err(format!("{text:?} has two ellipses"));
        }
        Ok(Term {
            before: letters(before)?,
            ellipsis: behind.is_some(),
            behind: letters(behind.unwrap_or_default())?,
        })
    }

    fn letters(&self) -> usize {
        self.before.len() + self.behind.len()
    }

    /// The labels with an ellipsis of so many axes.
    fn labels(self, ellipsis: usize) -> Vec<Label> {
        let mut labels = self.before;
        labels.extend((0..ellipsis).rev().map(Label::Ellipsis));
        labels.extend(self.behind);
        labels
    }
}

impl Equation {
    /// Reads an equation for operands of these ranks.
    ///
    /// # Errors
    /// Characters that are no part of an equation; as many terms as there are no operands, or as many letters as there are no
    /// axes; a result that names an axis twice, an axis that no operand has, or no ellipsis although an operand has one.
    pub fn parse(text: &str, ranks: &[usize]) -> Result<Equation, EquationError> {
        Equation::read(text, ranks).map_err(|reason| EquationError {
            equation: text.to_owned(),
            reason,
        })
    }

    fn read(text: &str, ranks: &[usize]) -> Result<Equation, String> {
        let dense: String = text.chars().filter(|c| *c != ' ').collect();
        let (left, right) = match dense.split_once("->") {
            Some((left, right)) => (left, Some(right)),
            None => (&*dense, None),
        };
        let terms = left.split(',').map(Term::parse);
        let terms: Vec<Term> = terms.collect::<Result<_, _>>()?;
        if terms.len() != ranks.len() {
            let (terms, given) = (terms.len(), ranks.len());
            return Err(format!("it is for {terms} operands, there are {given}"));
        }
        let mut operands = Vec::with_capacity(terms.len());
        let (mut widest, mut has_ellipsis) = (0, false);
        for (index, (term, &rank)) in terms.into_iter().zip(ranks).enumerate() {
            let rest = rank.checked_sub(term.letters());
            let Some(rest) = rest.filter(|&rest| term.ellipsis || rest == 0) else {
                let letters = term.letters();
                return Err(format!(
                    "operand {index} has {rank} axes, but its term has {letters} letters"
                ));
            };
            has_ellipsis |= term.ellipsis;
            widest = widest.max(rest);
            operands.push(term.labels(rest));
        }
        let output = match right {
            None => implied(&operands, widest),
            Some(right) => {
                let term = Term::parse(right)?;
                if has_ellipsis && !term.ellipsis {
                    return Err("the result has no ellipsis, but an operand has".into());
                }
                let labels = term.labels(widest);
                check_output(&labels, &operands)?;
                labels
            }
        };
        Ok(Equation { operands, output })
    }

    /// The labels of each operand's axes; a label may occur twice in one.
    pub fn operands(&self) -> &[Vec<Label>] {
        &self.operands
    }

    /// The labels of the result's axes.
    pub fn output(&self) -> &[Label] {
        &self.output
    }

    /// Whether the result or an operand from `next` on has the label.
    pub fn is_needed(&self, label: Label, next: usize) -> bool {
        let mut later = self.operands.iter().skip(next);
        self.output.contains(&label) || later.any(|operand| operand.contains(&label))
    }

    /// How what is there, with labels `have`, is joined to a term with labels `take`, before the operands from `next` on.
    pub fn pair(&self, have: &[Label], take: &[Label], next: usize) -> Pairing {
        let mut pairing = Pairing::default();
        for &label in have {
            let list = match (take.contains(&label), self.is_needed(label, next)) {
                (false, _) => &mut pairing.left,
                (true, true) => &mut pairing.batch,
                (true, false) => &mut pairing.contracted,
            };
            list.push(label);
        }
        let only = take.iter().filter(|label| !have.contains(label));
        pairing.right.extend(only);
        pairing
    }
}

/// The result of an equation that does not say it.
fn implied(operands: &[Vec<Label>], ellipsis: usize) -> Vec<Label> {
    let count = |label| operands.iter().flatten().filter(|&&l| l == label).count();
    let letters = ('A'..='Z').chain('a'..='z').map(Label::Letter);
    let single = letters.filter(|&label| count(label) == 1);
    (0..ellipsis)
        .rev()
        .map(Label::Ellipsis)
        .chain(single)
        .collect()
}

fn check_output(labels: &[Label], operands: &[Vec<Label>]) -> Result<(), String> {
    for (at, label) in labels.iter().enumerate() {
        let Label::Letter(letter) = label else {
            continue;
        };
        if labels[..at].contains(label) {
            return Err(format!("the result has {letter:?} twice"));
        }
        if !operands.iter().any(|operand| operand.contains(label)) {
            return Err(format!("the result has {letter:?}, but no operand has"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ij,jk->ik`; an axis of an ellipsis is its number.
    fn show(equation: &Equation) -> String {
        let text = |labels: &Vec<Label>| -> String {
            let one = |label: &Label| match label {
                Label::Ellipsis(at) => at.to_string(),
                Label::Letter(letter) => letter.to_string(),
            };
            labels.iter().map(one).collect()
        };
        let operands: Vec<String> = equation.operands.iter().map(text).collect();
        format!("{}->{}", operands.join(","), text(&equation.output))
    }

    #[test]
    fn equations_are_read() {
        for (equation, ranks, want) in [
            ("ij,jk->ik", &[2, 2][..], "ij,jk->ik"),
            (
                " i j , j k - > i k".replace("- >", "->").as_str(),
                &[2, 2],
                "ij,jk->ik",
            ),
            ("ij,jk", &[2, 2], "ij,jk->ik"),
            ("ba", &[2], "ba->ab"),
            ("bA", &[2], "bA->Ab"),
            ("ii", &[2], "ii->"),
            ("ii->i", &[2], "ii->i"),
            ("i,i", &[1, 1], "i,i->"),
            ("->", &[0], "->"),
            ("", &[0], "->"),
            (",->", &[0, 0], ",->"),
            ("...ij,...jk->...ik", &[4, 3], "10ij,0jk->10ik"),
            ("i...,...", &[3, 1], "i10,0->10i"),
            ("a...b->b...", &[2], "ab->b"),
            ("...->...", &[2], "10->10"),
            ("ij->...ji", &[2], "ij->ji"),
        ] {
            let parsed = Equation::parse(equation, ranks).map(|e| show(&e));
            assert_eq!(parsed.as_deref(), Ok(want), "{equation} of {ranks:?}");
        }
    }

    #[test]
    fn errors_name_the_equation() {
        for (equation, ranks, want) in [
            ("ij,jk->ik", &[2][..], "it is for 2 operands, there are 1"),
            (
                "ij->i",
                &[3],
                "operand 0 has 3 axes, but its term has 2 letters",
            ),
            (
                "i,ijk...->i",
                &[1, 2],
                "operand 1 has 2 axes, but its term has 3 letters",
            ),
            ("ij->ii", &[2], "the result has 'i' twice"),
            ("ij->ik", &[2], "the result has 'k', but no operand has"),
            (
                "...i->i",
                &[2],
                "the result has no ellipsis, but an operand has",
            ),
            ("i......->i", &[2], "\"i......\" has two ellipses"),
            ("i..->i", &[2], "'.' is no letter; axes are a-z and A-Z"),
            ("i1->i", &[2], "'1' is no letter; axes are a-z and A-Z"),
            ("i->j->i", &[1], "'-' is no letter; axes are a-z and A-Z"),
            ("ö->ö", &[1], "'ö' is no letter; axes are a-z and A-Z"),
            ("i\n->i", &[1], "'\\n' is no letter; axes are a-z and A-Z"),
        ] {
            let error = Equation::parse(equation, ranks).expect_err(equation);
            let want = format!("einsum equation {equation:?}: {want}");
            assert_eq!(error.to_string(), want);
        }
    }

    #[test]
    fn pairs_sum_over_what_nothing_else_needs() {
        let equation = Equation::parse("bij,bjk,kl->bil", &[3, 3, 2]).expect("an equation");
        let labels = |text: &str| text.chars().map(Label::Letter).collect::<Vec<_>>();
        let operands = equation.operands();
        let first = equation.pair(&operands[0], &operands[1], 2);
        let want = Pairing {
            batch: labels("b"),
            left: labels("i"),
            right: labels("k"),
            contracted: labels("j"),
        };
        assert_eq!(first, want);
        let second = equation.pair(&labels("bik"), &operands[2], 3);
        let want = Pairing {
            batch: labels(""),
            left: labels("bi"),
            right: labels("l"),
            contracted: labels("k"),
        };
        assert_eq!(second, want);
        assert!(equation.is_needed(Label::Letter('k'), 2));
        assert!(!equation.is_needed(Label::Letter('k'), 3));
    }
}
