//! The spectrogram against the Fourier transform in f64, what is cleaned against the formula of attention.

use super::*;

#[test]
fn r04_the_front_end_is_the_fourier_transform_and_the_attention_of_the_formulas() {
    let tf = Tf::new(&CompileOptions::default()).unwrap();
    let (samples, frames) = (FRAME + 5 * HOP, 6);
    let sound = chirps(&tf, 3, samples, 0.1).unwrap();
    let made = front_end(&tf, samples).unwrap().call(&[&sound]).unwrap();
    assert_eq!(made["heard"].shape(), [1, frames, BINS]);

    let sound: Vec<f64> = sound
        .to_vec::<f32>()
        .unwrap()
        .into_iter()
        .map(f64::from)
        .collect();
    let level = |frame: usize, bin: usize| {
        let part = |sine: bool| -> f64 {
            (0..FRAME)
                .map(|n| sound[frame * HOP + n] * filter(bin, sine, n))
                .sum()
        };
        (part(false).powi(2) + part(true).powi(2) + FLOOR).ln()
    };
    let heard: Vec<Vec<f64>> = (0..frames)
        .map(|f| (0..BINS).map(|bin| level(f, bin)).collect())
        .collect();
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let normal = |row: &Vec<f64>| -> Vec<f64> {
        let centre = mean(row);
        let squares: Vec<f64> = row.iter().map(|x| (x - centre).powi(2)).collect();
        row.iter()
            .map(|x| (x - centre) / (mean(&squares) + 1e-5).sqrt())
            .collect()
    };
    let alike: Vec<Vec<f64>> = heard.iter().map(normal).collect();
    let cleaned = |frame: usize| -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let weight =
            |other: &Vec<f64>| (SHARPNESS * dot(&alike[frame], other) / (BINS as f64).sqrt()).exp();
        let mut weights: Vec<f64> = alike.iter().map(weight).collect();
        weights[frame] = 0.0;
        let column = |bin: usize| {
            let sum: f64 = weights
                .iter()
                .zip(&heard)
                .map(|(w, row)| w * row[bin])
                .sum();
            sum / weights.iter().sum::<f64>()
        };
        (0..BINS).map(column).collect()
    };
    let want: [Vec<f64>; 2] = [heard.concat(), (0..frames).flat_map(cleaned).collect()];
    for (name, want) in ["heard", "cleaned"].iter().zip(want) {
        let got = made[*name].to_vec::<f32>().unwrap();
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            assert!(
                (f64::from(*got) - want).abs() < 2e-4,
                "{name}: {got} {want}"
            );
        }
    }
    let picture = painted(&tf, &[&made["heard"], &made["cleaned"]]).unwrap();
    assert_eq!(picture.shape(), [2 * 3 * BINS + 8, 2 * frames, 3]);
}
