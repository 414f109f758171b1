//! A front end for speech: from samples to a spectrogram by a convolution, then cleaned by attention.
//!
//! Run it with `cargo run --release -p tenfold --example speech -- chirps.png`.
//!
//! The sound is four equal chirps under noise. The filters of a windowed Fourier transform are the weights of one `conv1d`: half
//! of its channels are cosines, half sines, and `slice` takes them apart; the logarithm of the power is what speech models see.
//! Then every frame asks all others which are like it (`layer_norm` makes them comparable, `attention` weighs them, a mask
//! hides the frame from itself) and becomes their mean: what repeats stays, noise goes. Last, `embedding` looks up the
//! colour of each level.
#![expect(clippy::print_stdout, reason = "a guide talks on the terminal")]

#[path = "../picture/mod.rs"]
mod picture;
#[cfg(test)]
mod tests;

use std::f64::consts::TAU;

use tenfold::Error;
use tenfold::prelude::*;

/// Samples per second.
const RATE: f64 = 8000.0;
const SAMPLES: usize = 24_000;
/// Samples of one frame, from one frame to the next, and frequencies that are listened to.
const FRAME: usize = 256;
const HOP: usize = 64;
const BINS: usize = 120;
/// Added to powers, so that silence has a logarithm.
const FLOOR: f64 = 1e-3;
/// How much more alike frames have to be to count.
const SHARPNESS: f64 = 1.3;

/// The weight of sample `n` in the filter of `bin` (a cosine, then minus a sine), under the window of Hann.
fn filter(bin: usize, sine: bool, n: usize) -> f64 {
    let window = 0.5 - 0.5 * (TAU * n as f64 / FRAME as f64).cos();
    let angle = TAU * (bin * n % FRAME) as f64 / FRAME as f64;
    window * if sine { -angle.sin() } else { angle.cos() }
}

/// Sound `[1, 1, samples]` to its spectrogram `[1, frames, bins]` and the same cleaned.
fn front_end(tf: &Tf, samples: usize) -> Result<CompiledFunction, Error> {
    let channels = (0..2 * BINS).map(|c| (c % BINS, c >= BINS));
    let filters =
        channels.flat_map(|(bin, sine)| (0..FRAME).map(move |n| filter(bin, sine, n) as f32));
    let filters = tf.values([2 * BINS, 1, FRAME], filters.collect())?;
    let bins = BINS as i64;

    let func = Func::new("front_end");
    let sound = func.input("sound", DType::F32, [1.into(), 1.into(), samples.into()])?;
    let waves = sound.conv1d(&filters, None, HOP, 0)?;
    let (real, imaginary) = (waves.slice(1, 0, bins)?, waves.slice(1, bins, 2 * bins)?);
    let power = real.square()?.add(&imaginary.square()?)?;
    let heard = power.add_scalar(FLOOR)?.log()?.permute(&[0, 2, 1])?;
    func.output("heard", &heard)?;

    let alike = heard.layer_norm(None, None, 1e-5)?;
    let frames = (samples - FRAME) / HOP + 1;
    let itself = tf.eye(DType::F32, frames)?.mul_scalar(-1e9)?;
    let cleaned = alike
        .mul_scalar(SHARPNESS)?
        .attention(&alike, &heard, Some(&itself))?;
    func.output("cleaned", &cleaned)?;
    func.compile(&CompileOptions::default())
}

/// The pitch that is sung at a time: chirps of 0.6 s from 200 to 1900 Hz and half way back, every 0.75 s.
fn pitch(seconds: f64) -> Option<f64> {
    let part = seconds % 0.75 / 0.6;
    (part < 1.0).then(|| 200.0 + 1700.0 * (part * 2.4).sin())
}

/// What is sung, with an overtone as voices have, under seeded noise.
fn chirps(tf: &Tf, seed: u64, samples: usize, noise: f64) -> Result<Tensor, Error> {
    let mut phase = 0.0;
    let tone = |n: usize| {
        let Some(pitch) = pitch(n as f64 / RATE) else {
            return 0.0;
        };
        phase += pitch / RATE;
        (0.3 * ((TAU * phase).sin() + 0.5 * (TAU * 2.0 * phase).sin())) as f32
    };
    tf.set_seed(seed);
    let tones: Vec<f32> = (0..samples).map(tone).collect();
    let noise = tf.normal(DType::F32, [1, 1, samples])?.mul_scalar(noise)?;
    tf.values([1, 1, samples], tones)?
        .add(&noise)?
        .into_tensor()
}

/// Spectrograms `[1, frames, bins]` below each other as pixels, high notes on top.
fn painted(tf: &Tf, spectrograms: &[&Tensor]) -> Result<Tensor, Error> {
    let colours = [
        [6.0, 6.0, 20.0],
        [60.0, 18.0, 96.0],
        [168.0, 44.0, 92.0],
        [244.0, 120.0, 52.0],
        [254.0, 226.0, 128.0],
    ];
    let palette = picture::palette(tf, &colours)?;
    let mut bands = Vec::new();
    for spectrogram in spectrograms {
        let x = tf
            .value(spectrogram.duplicate()?)
            .squeeze(0)?
            .transpose()?
            .flip(0)?;
        // Levels from a little above the mean of the noise to the loudest.
        let (low, high) = (x.mean()?.get::<f32>(&[])? + 0.3, x.max()?.get::<f32>(&[])?);
        let level = x
            .sub_scalar(low.into())?
            .div_scalar(f64::from(high - low))?;
        bands.push(
            picture::coloured(&level, &palette)?
                .repeat(3, 0)?
                .repeat(2, 1)?,
        );
    }
    let gap = bands[0].slice(0, 0, 8)?.mul_scalar(0.0)?;
    let mut whole = bands.remove(0);
    for band in &bands {
        whole = whole.concat(&[&gap, band], 0)?;
    }
    whole.into_tensor()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tf = Tf::new(&CompileOptions::default())?;
    let sound = chirps(&tf, 8, SAMPLES, 0.25)?;
    let made = front_end(&tf, SAMPLES)?.call(&[&sound])?;
    let (heard, cleaned) = (&made["heard"], &made["cleaned"]);
    let loudest = tf.value(heard.duplicate()?).argmax(-1, false)?;
    println!("  time      sung     heard");
    let frames = loudest.to_vec::<i32>()?.into_iter().enumerate();
    for (frame, bin) in frames.skip(8).step_by(24) {
        let seconds = (frame * HOP + FRAME / 2) as f64 / RATE;
        if let Some(sung) = pitch(seconds) {
            let hertz = f64::from(bin) * RATE / FRAME as f64;
            println!("{seconds:5.2}s {sung:6.0} Hz {hertz:6.0} Hz");
        }
    }
    // Below 180 Hz nothing is sung: what differs there is noise.
    let noise = |x: &Tensor| {
        let low = tf.value(x.duplicate()?).slice(-1, 0, 5)?;
        low.variance(&[0, 1, 2], false)?.sqrt()?.get::<f32>(&[])
    };
    println!("noise {:.2}, cleaned {:.2}", noise(heard)?, noise(cleaned)?);
    let path = picture::save(&painted(&tf, &[heard, cleaned])?, "speech.png")?;
    println!("{}", path.display());
    Ok(())
}
