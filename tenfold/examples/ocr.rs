//! Reads a line of text from an image with the PP-OCRv4 models: `cargo xtask demo ocr [IMAGE]`.
//!
//! The image is scaled to the height that the models were made for. The direction model says whether it stands on its
//! head, and if so it is turned; the recognition model gives, for each step along the line, the probability of each
//! character, and the best ones are the text once repetitions are merged and blanks are dropped (greedy CTC).
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a demo talks on the terminal"
)]

mod demo;

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use image::RgbImage;
use image::imageops::{self, FilterType};
use tenfold::{CompileOptions, CompiledFunction, Model, Tensor};

/// The height of a line for both models.
const HEIGHT: u32 = 48;
/// The width that the direction model was made for: longer lines are squeezed, shorter ones padded.
const DIRECTION_WIDTH: u32 = 192;
/// How sure the direction model must be to turn an image.
const TURN_ABOVE: f32 = 0.9;

fn main() -> ExitCode {
    demo::main(read)
}

fn read(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let [file] = arguments else {
        return Err("name one image of a line of text, PNG or JPEG".into());
    };
    let image = image::open(file).map_err(|error| format!("{file}: {error}"))?;
    let image = scaled(&image.into_rgb8())
        .ok_or_else(|| format!("{file}: the image is empty or too wide"))?;

    let folder = "rapidocr_onnxruntime/rapidocr_onnxruntime/models";
    let open = |name: &str| {
        Model::open(demo::asset(&format!("{folder}/{name}"))?).map_err(Box::<dyn Error>::from)
    };
    let options = CompileOptions::default();
    let direction = open("ch_ppocr_mobile_v2.0_cls_infer.onnx")?.compile(&options)?;
    let recognition_model = open("ch_PP-OCRv4_rec_infer.onnx")?;
    let recognition = recognition_model.compile(&options)?;
    let alphabet = alphabet(&recognition_model)?;

    let start = Instant::now();
    let (turned, sure) = is_upside_down(&direction, &image)?;
    let image = if turned {
        imageops::rotate180(&image)
    } else {
        image
    };
    let (rows, classes) = run(&recognition, &planes(&image, image.width())?)?;
    let (text, score) = decode(&rows, classes, &alphabet)?;
    let ms = start.elapsed().as_secs_f64() * 1e3;

    println!("text        {text:?}");
    println!("confidence  {}", demo::confidence(score));
    let way = if turned {
        "upside down, turned"
    } else {
        "upright"
    };
    println!("direction   {} {way}", demo::confidence(sure));
    println!(
        "device {}, {} threads: {ms:.1} ms for both models, first run included",
        recognition.device(),
        recognition.threads()
    );
    Ok(())
}

/// The image at the height of the models and its own ratio; `None` if that is no image.
fn scaled(image: &RgbImage) -> Option<RgbImage> {
    let (width, height) = image.dimensions();
    let scaled_width = width.checked_mul(HEIGHT)?;
    if width == 0 || height == 0 {
        return None;
    }
    Some(imageops::resize(
        image,
        scaled_width.div_ceil(height),
        HEIGHT,
        FilterType::Triangle,
    ))
}

/// The planes blue, green, red of an image, from -1 to 1, padded with 0 to `width`: `[1, 3, HEIGHT, width]`.
fn planes(image: &RgbImage, width: u32) -> Result<Tensor, Box<dyn Error>> {
    let mut values = vec![0.0_f32; 3 * HEIGHT as usize * width as usize];
    for (x, y, pixel) in image.enumerate_pixels() {
        for (plane, channel) in pixel.0.iter().rev().enumerate() {
            let at = (plane * HEIGHT as usize + y as usize) * width as usize + x as usize;
            values[at] = (f32::from(*channel) / 255.0 - 0.5) / 0.5;
        }
    }
    Ok(Tensor::from_vec_row_major(
        [1, 3, HEIGHT as usize, width as usize],
        values,
    )?)
}

/// The only output of a model with the only input `x`, and the extent of its last axis.
fn run(model: &CompiledFunction, x: &Tensor) -> Result<(Vec<f32>, usize), Box<dyn Error>> {
    let outputs = model.run(&[("x", x)])?;
    let (_, output) = outputs.iter().next().ok_or("the model has no output")?;
    let classes = output.shape().last().copied().unwrap_or(1);
    Ok((output.to_vec::<f32>()?, classes))
}

/// Whether the direction model wants the image turned, and how sure it is of the direction.
fn is_upside_down(
    model: &CompiledFunction,
    image: &RgbImage,
) -> Result<(bool, f32), Box<dyn Error>> {
    let width = image.width().min(DIRECTION_WIDTH);
    let squeezed = imageops::resize(image, width, HEIGHT, FilterType::Triangle);
    let (probabilities, _) = run(model, &planes(&squeezed, DIRECTION_WIDTH)?)?;
    let (class, score) = demo::best(&probabilities);
    Ok((class == 1 && score > TURN_ABOVE, score))
}

/// The characters by class: nothing for the blank, the lines of the model's metadata, the space.
fn alphabet(model: &Model) -> Result<Vec<String>, Box<dyn Error>> {
    let metadata = &model.info().metadata;
    let listed = metadata.iter().find(|(key, _)| key == "character");
    let (_, listed) = listed.ok_or("the model lists no characters")?;
    let characters = listed.lines().map(str::to_owned);
    Ok(std::iter::once(String::new())
        .chain(characters)
        .chain([" ".to_owned()])
        .collect())
}

/// The text of rows of probabilities and the mean probability of its characters.
fn decode(
    rows: &[f32],
    classes: usize,
    alphabet: &[String],
) -> Result<(String, f32), Box<dyn Error>> {
    if classes != alphabet.len() {
        return Err(format!(
            "the model has {classes} classes for {} characters",
            alphabet.len()
        )
        .into());
    }
    let (mut text, mut scores, mut before) = (String::new(), Vec::new(), 0);
    for row in rows.chunks_exact(classes) {
        let (class, score) = demo::best(row);
        if class != 0 && class != before {
            text.push_str(&alphabet[class]);
            scores.push(score);
        }
        before = class;
    }
    let mean = scores.iter().sum::<f32>() / scores.len().max(1) as f32;
    Ok((text, mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_merge_and_blanks_part() {
        let alphabet = ["", "a", "b", " "].map(str::to_owned);
        let rows: Vec<f32> = [1, 1, 0, 1, 2, 2, 3, 0, 0]
            .iter()
            .flat_map(|&class| (0..4).map(move |at| if at == class { 0.5 } else { 0.1 }))
            .collect();
        let (text, score) = decode(&rows, 4, &alphabet).unwrap();
        assert_eq!((text.as_str(), score), ("aab ", 0.5));
        assert_eq!(decode(&[], 4, &alphabet).unwrap().0, "");
        assert!(decode(&rows, 3, &alphabet).is_err());
    }

    #[test]
    fn planes_are_blue_green_red_and_padded() {
        let image = RgbImage::from_fn(2, HEIGHT, |x, _| {
            image::Rgb([255, if x == 0 { 0 } else { 255 }, 0])
        });
        let planes = planes(&image, 3).unwrap();
        assert_eq!(planes.shape(), [1, 3, 48, 3]);
        let values = planes.to_vec::<f32>().unwrap();
        let row = |plane: usize| &values[plane * 48 * 3..][..3];
        assert_eq!(
            (row(0), row(1), row(2)),
            (
                &[-1.0, -1.0, 0.0][..],
                &[-1.0, 1.0, 0.0][..],
                &[1.0, 1.0, 0.0][..]
            )
        );
    }

    #[test]
    fn an_image_keeps_its_ratio() {
        for (width, height, expect) in [
            (100, 48, Some(100)),
            (100, 96, Some(50)),
            (101, 96, Some(51)),
            (0, 48, None),
        ] {
            let scaled = scaled(&RgbImage::new(width, height));
            assert_eq!(
                scaled.map(|image| image.dimensions()),
                expect.map(|width| (width, HEIGHT))
            );
        }
    }
}
