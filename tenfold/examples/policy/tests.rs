//! Decisions against the formulas in f64.

use super::*;

/// Probabilities by the formula, in f64, with the error function as a series.
fn expected(seen: [f64; 3], role: usize) -> Vec<f64> {
    let erf = |x: f64| {
        let term = |n: i32| {
            let factorial: f64 = (1..=n).map(f64::from).product();
            (-1.0_f64).powi(n) * x.powi(2 * n + 1) / (factorial * f64::from(2 * n + 1))
        };
        if x.abs() > 4.0 {
            return x.signum();
        }
        (0..120).map(term).sum::<f64>() * 2.0 / std::f64::consts::PI.sqrt()
    };
    let gelu = |x: f64| 0.5 * x * (1.0 + erf(x / 2.0_f64.sqrt()));
    let noticed = |h: usize| {
        let sum: f64 = (0..3).map(|i| seen[i] * f64::from(NOTICE[i][h])).sum();
        gelu(sum + f64::from(FROM[h]))
    };
    let score = |a: usize| {
        let advice: f64 = (0..6).map(|h| noticed(h) * f64::from(ADVISE[h][a])).sum();
        (TEMPER * (advice + f64::from(LEAN[role][a]))).exp()
    };
    let scores: Vec<f64> = (0..4).map(score).collect();
    scores
        .iter()
        .map(|s| s / scores.iter().sum::<f64>())
        .collect()
}

#[test]
fn r01_the_net_decides_for_all_agents_as_the_formula() {
    let tf = Tf::new(&CompileOptions::default()).unwrap();
    let policy = policy(&tf).unwrap();
    // One agent of each kind of trouble; the best action of a guard is plain.
    let seen = [
        [0.9, 0.9, 0.9],
        [0.1, 0.9, 0.0],
        [0.1, 0.1, 0.5],
        [0.9, 0.1, 0.5],
    ];
    for squads in [1, 2] {
        let flat: Vec<f32> = seen.as_flattened().iter().map(|&x| x as f32).collect();
        let feed = Tensor::from_vec_row_major([squads, 4, 3], flat.repeat(squads)).unwrap();
        for role in 0..3 {
            let roles = vec![role as i32; 4 * squads];
            let roles = Tensor::from_vec_row_major([squads, 4], roles).unwrap();
            let decided = policy.run(&[("seen", &feed), ("roles", &roles)]).unwrap();
            let got = decided["probabilities"].to_vec::<f32>().unwrap();
            let want = seen.map(|seen| expected(seen.map(|x| f64::from(x as f32)), role));
            for (got, want) in got.iter().zip(want.concat().repeat(squads)) {
                assert!((f64::from(*got) - want).abs() < 5e-6, "{got} {want}");
            }
            if role == 1 {
                let actions = decided["actions"].to_vec::<i32>().unwrap();
                assert_eq!(actions, [0, 1, 2, 3].repeat(squads));
            }
        }
    }
    assert_eq!(policy.compilations(), 2);
}
