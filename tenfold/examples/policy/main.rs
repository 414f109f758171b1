//! Game AI: one small net decides for all agents at once, every frame.
//!
//! Run it with `cargo run --release -p tenfold --example policy`.
//!
//! Four squads of eight agents see their health, how near the enemy is and their ammunition; a table gives each role (scout,
//! guard, medic) its leanings. The net is built once with [`Func`] and compiled once; a frame feeds it two tensors and reads two.
//! `[squads, agents, features]` goes through one `matmul`: leading axes are a batch. The weights are written by hand, so that
//! one can see why an agent does what it does; learned ones would be loaded in their place.
#![expect(clippy::print_stdout, reason = "a guide talks on the terminal")]

#[cfg(test)]
mod tests;

use tenfold::Error;
use tenfold::prelude::*;

const SQUADS: usize = 4;
const AGENTS: usize = 8;
const ACTIONS: [&str; 4] = ["attack", "flee", "heal", "patrol"];
const ROLES: [&str; 3] = ["scout", "guard", "medic"];

/// What the hidden units notice: rows are health, nearness of the enemy, ammunition.
const NOTICE: [[f32; 6]; 3] = [
    // hurt, threatened, empty, fit, calm, armed
    [-8.0, 0.0, 0.0, 8.0, 0.0, 0.0],
    [0.0, 8.0, 0.0, 0.0, -8.0, 0.0],
    [0.0, 0.0, -8.0, 0.0, 0.0, 8.0],
];
/// Where they begin to notice: health below and above 1/2, the enemy at 1/2, ammunition at 1/4.
const FROM: [f32; 6] = [4.0, -4.0, 2.0, -4.0, 4.0, -2.0];
/// What each of them speaks for, and against.
const ADVISE: [[f32; 4]; 6] = [
    [-0.9, 0.6, 0.9, -0.3],
    [0.7, 0.7, -0.8, -0.8],
    [-1.2, 0.5, 0.0, 0.3],
    [0.4, -0.6, -0.5, 0.3],
    [-0.2, -0.8, 0.5, 0.6],
    [0.3, -0.1, 0.0, 0.0],
];
/// How roles lean.
const LEAN: [[f32; 4]; 3] = [
    [0.0, 0.4, 0.0, 0.8],
    [0.9, -0.4, 0.0, 0.2],
    [-0.4, 0.0, 1.0, 0.0],
];

/// How decided agents are: 0 and all actions are equally likely.
const TEMPER: f64 = 2.5;

/// The net: `f32[squads, agents, 3]` and `i32[squads, agents]` to probabilities and chosen actions.
fn policy(tf: &Tf) -> Result<CompiledFunction, Error> {
    let table = |rows: &[&[f32]]| tf.values([rows.len(), rows[0].len()], rows.concat());
    let notice = table(&NOTICE.each_ref().map(|row| &row[..]))?;
    let advise = table(&ADVISE.each_ref().map(|row| &row[..]))?;
    let lean = table(&LEAN.each_ref().map(|row| &row[..]))?;
    let from = tf.values([FROM.len()], FROM.to_vec())?;

    let net = Func::new("policy");
    let seen = net.input(
        "seen",
        DType::F32,
        ["squads".into(), "agents".into(), 3.into()],
    )?;
    let roles = net.input("roles", DType::I32, ["squads".into(), "agents".into()])?;
    let noticed = seen.matmul(&notice)?.add(&from)?.gelu()?;
    let scores = noticed.matmul(&advise)?.add(&lean.embedding(&roles)?)?;
    let probabilities = scores.mul_scalar(TEMPER)?.softmax(-1)?;
    net.output("probabilities", &probabilities)?;
    net.output("actions", &scores.argmax(-1, false)?)?;
    net.compile(&CompileOptions::default())
}

/// What one frame does to an agent that acts so.
fn act(agent: &mut [f32], action: i32) {
    let [health, near, ammunition] = agent else {
        return;
    };
    match ACTIONS[action as usize] {
        "attack" => (*ammunition, *near) = (*ammunition - 0.06, *near - 0.04),
        "flee" => *near -= 0.12,
        "heal" => (*health, *near) = (*health + 0.08, *near + 0.02),
        _ => (*near, *ammunition) = (*near + 0.07, *ammunition + 0.05),
    }
    // Who is close to the enemy gets hurt.
    *health -= 0.06 * (*near - 0.4).max(0.0);
    agent.iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0));
}

fn bar(probability: f32) -> String {
    let filled = (probability * 10.0).round() as usize;
    format!("{}{}", "█".repeat(filled), "░".repeat(10 - filled.min(10)))
}

fn main() -> Result<(), Error> {
    let tf = Tf::new(&CompileOptions::default())?;
    let policy = policy(&tf)?;
    tf.set_seed(11);
    let mut agents = tf
        .uniform(DType::F32, [SQUADS * AGENTS * 3])?
        .to_vec::<f32>()?;
    let roles = (0_i32..).take(SQUADS * AGENTS).map(|at| at % 3).collect();
    let roles = Tensor::from_vec_row_major([SQUADS, AGENTS], roles)?;

    println!(
        "frame   {}",
        ACTIONS.map(|action| format!("{action:>8}")).concat()
    );
    for frame in 0..=60 {
        let seen = Tensor::from_vec_row_major([SQUADS, AGENTS, 3], agents.clone())?;
        let decided = policy.run(&[("seen", &seen), ("roles", &roles)])?;
        let actions = decided["actions"].to_vec::<i32>()?;
        if frame % 10 == 0 {
            let count = |action: i32| actions.iter().filter(|&&a| a == action).count();
            let counts = [0, 1, 2, 3].map(|action| format!("{:>8}", count(action)));
            println!("{frame:>5}   {}", counts.concat());
        }
        if frame == 60 {
            show_squad(
                &agents,
                &actions,
                &decided["probabilities"].to_vec::<f32>()?,
            );
        }
        for (agent, action) in agents.chunks_mut(3).zip(actions) {
            act(agent, action);
        }
    }
    println!(
        "\n{} agents, 61 frames, {} compilation",
        SQUADS * AGENTS,
        policy.compilations()
    );
    Ok(())
}

fn show_squad(agents: &[f32], actions: &[i32], probabilities: &[f32]) {
    println!("\nrole    health  enemy  ammo  action");
    let rows = agents.chunks(3).zip(actions).zip(probabilities.chunks(4));
    for (at, ((agent, &action), probabilities)) in rows.enumerate().take(AGENTS) {
        let (role, action) = (ROLES[at % 3], action as usize);
        let percent = probabilities[action] * 100.0;
        println!(
            "{role:<7} {:>6.2} {:>6.2} {:>5.2}  {:<7} {} {percent:3.0} %",
            agent[0],
            agent[1],
            agent[2],
            ACTIONS[action],
            bar(probabilities[action]),
        );
    }
}
