//! `--slice`: a part of a tensor, written as numpy writes it.
//!
//! Items are separated by commas, one for each axis from the first on: a range `START:END:STEP` of which every part may be
//! missing, an index, which drops its axis, or `...`, which stands for as many whole axes as there are left. Negative
//! numbers count from the end. Ranges are clamped to the axis, an index outside is an error.

use std::fmt;
use std::str::FromStr;

use tenfold::TensorView;
use tenfold::tensor::SliceSpec;

use crate::failure::Failure;

/// What is taken of one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Index(isize),
    Range(SliceSpec),
    Rest,
}

/// A slice as it was written, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SliceArg {
    text: String,
    items: Vec<Item>,
}

impl fmt::Display for SliceArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const EXPECTED: &str = "expected indices, ranges START:END:STEP and ... with commas between them, for example 0:10,:,::-2,3";

impl FromStr for SliceArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let items = text.split(',').map(|item| parse_item(item.trim()));
        let items = items.collect::<Result<Vec<Item>, String>>()?;
        if items.iter().filter(|item| **item == Item::Rest).count() > 1 {
            return Err("... can stand once only".to_owned());
        }
        Ok(Self {
            text: text.to_owned(),
            items,
        })
    }
}

fn parse_item(text: &str) -> Result<Item, String> {
    let number = |text: &str| text.parse::<isize>().map_err(|_| EXPECTED.to_owned());
    let bound = |text: Option<&str>| match text.map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => number(text).map(Some),
    };
    if text == "..." {
        return Ok(Item::Rest);
    }
    let mut parts = text.split(':');
    let first = parts.next().unwrap_or_default();
    if !text.contains(':') {
        return number(first).map(Item::Index);
    }
    let (start, end, step) = (
        bound(Some(first))?,
        bound(parts.next())?,
        bound(parts.next())?,
    );
    match (step, parts.next()) {
        (_, Some(_)) => Err(EXPECTED.to_owned()),
        (Some(0), _) => Err("a step of 0 leads nowhere; 1 takes every element".to_owned()),
        (step, None) => Ok(Item::Range(SliceSpec::new(start, end, step.unwrap_or(1)))),
    }
}

impl SliceArg {
    /// The part of `view`; no element is copied.
    ///
    /// # Errors
    /// [`Failure::SliceRank`] for more items than axes, [`Failure::SliceIndex`] for an index that the axis does not have.
    pub(crate) fn apply<'a>(&self, view: &TensorView<'a>) -> Result<TensorView<'a>, Failure> {
        let shape = view.shape().to_vec();
        let named = self.items.iter().filter(|item| **item != Item::Rest);
        let named = named.count();
        let Some(left) = shape.len().checked_sub(named) else {
            return Err(Failure::SliceRank {
                slice: self.text.clone(),
                count: named,
                shape,
            });
        };
        // An index drops its axis, so that the place in the tensor and the place in what is left of it differ.
        let (mut axis, mut place) = (0, 0);
        let mut part = view.clone();
        for item in &self.items {
            match *item {
                Item::Index(index) => {
                    let at = place_of(index, shape[axis]).ok_or_else(|| Failure::SliceIndex {
                        slice: self.text.clone(),
                        index,
                        axis,
                        shape: shape.clone(),
                    })?;
                    part = part.index_axis(place, at).map_err(tenfold::Error::from)?;
                    axis += 1;
                }
                Item::Range(range) => {
                    part = part
                        .slice_axis(place, range)
                        .map_err(tenfold::Error::from)?;
                    axis += 1;
                    place += 1;
                }
                Item::Rest => {
                    axis += left;
                    place += left;
                }
            }
        }
        Ok(part)
    }
}

/// An index that may count from the end, if the axis has it.
fn place_of(index: isize, extent: usize) -> Option<usize> {
    let at = match usize::try_from(index) {
        Ok(at) => at,
        Err(_) => extent.checked_sub(index.unsigned_abs())?,
    };
    (at < extent).then_some(at)
}

#[cfg(test)]
mod tests {
    use tenfold::Tensor;

    use super::*;

    /// The slice of `numpy.arange(24).reshape(2, 3, 4)`: shape and elements.
    #[track_caller]
    fn check(slice: &str, shape: &[usize], values: &[i32]) {
        let tensor = Tensor::from_vec_row_major([2, 3, 4], (0..24).collect::<Vec<i32>>()).unwrap();
        let slice: SliceArg = slice.parse().unwrap();
        let part = slice.apply(&tensor.view().unwrap()).unwrap();
        assert_eq!(
            (part.shape(), part.to_vec::<i32>().unwrap().as_slice()),
            (shape, values),
            "{slice}"
        );
    }

    /// Expected values are numpy's.
    #[test]
    fn slices_are_those_of_numpy() {
        check("1,2,3", &[], &[23]);
        check("-1,-3,-4", &[], &[12]);
        check("0,:,0", &[3], &[0, 4, 8]);
        check(
            "1",
            &[3, 4],
            &[12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23],
        );
        check("1:2,::-2,1", &[1, 2], &[21, 13]);
        check("0, 2:0:-1 , 1:3", &[2, 2], &[9, 10, 5, 6]);
        check("...,0", &[2, 3], &[0, 4, 8, 12, 16, 20]);
        check("1,...,-1", &[3], &[15, 19, 23]);
        check("0,1,...,2,...".trim_end_matches(",..."), &[], &[6]);
        check("0:99,1,-99:2", &[2, 2], &[4, 5, 16, 17]);
        check("0,0,-99::-1", &[0], &[]);
        check("0,0,5:1", &[0], &[]);
        check("0,0,::9223372036854775807", &[1], &[0]);
        check("0,0,::-9223372036854775808", &[1], &[3]);
    }

    #[test]
    fn what_is_no_slice_is_refused() {
        for text in [
            "", "a", "1,", "1:2:3:4", "1.5", "::0", "...,...", "1;2", "None",
        ] {
            assert!(text.parse::<SliceArg>().is_err(), "{text:?}");
        }
        assert!("99999999999999999999:".parse::<SliceArg>().is_err());
    }

    #[test]
    fn what_the_tensor_lacks_is_told() {
        let tensor = Tensor::from_vec_row_major([2, 0], Vec::<f32>::new()).unwrap();
        let apply = |text: &str| {
            let slice: SliceArg = text.parse().unwrap();
            slice
                .apply(&tensor.view().unwrap())
                .map(|part| part.shape().to_vec())
                .map_err(|failure| failure.to_string())
        };
        assert_eq!(
            apply("2").unwrap_err(),
            "--slice 2: there is no index 2 on axis 0 of shape [2, 0]; its indices are -2 to 1"
        );
        assert_eq!(
            apply("0,0").unwrap_err(),
            "--slice 0,0: there is no index 0 on axis 1 of shape [2, 0], which is empty"
        );
        assert_eq!(
            apply(":,:,:").unwrap_err(),
            "--slice :,:,: is for 3 axes, the shape [2, 0] has 2"
        );
        assert_eq!(apply("...,:").unwrap(), [2, 0]);
    }
}
