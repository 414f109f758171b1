//! A peer that doubles its input stands for the engines.

use super::*;

struct Doubler(Vec<f32>, Vec<usize>);

impl Engine for Doubler {
    type Outputs = Output;

    fn load(case: Case, setup: &Setup) -> Result<(Self, ReadyTimes)> {
        let input = case.inputs.into_iter().next().ok_or("no input")?;
        let Elements::F32(elements) = input.elements else {
            return Err(Box::new(io::Error::other("only\nf32")));
        };
        let compile = setup
            .options
            .iter()
            .any(|option| option == "compile")
            .then_some(Duration::from_nanos(7));
        Ok((
            Doubler(elements, input.shape),
            ReadyTimes {
                load: Duration::from_micros(3),
                compile,
            },
        ))
    }

    fn run(&mut self) -> Result<Output> {
        Ok(Output {
            shape: self.1.clone(),
            elements: self.0.iter().map(|x| 2.0 * x).collect(),
        })
    }

    fn first_output(outputs: Output) -> Result<Output> {
        Ok(outputs)
    }
}

/// A folder of its own per test, with the case file of an input of two elements.
fn case(test: &str, dtype: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("tenfold-protocol-{test}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let data = folder.join("x.bin");
    fs::write(
        &data,
        [1.5_f32.to_le_bytes(), (-2.0_f32).to_le_bytes()].concat(),
    )
    .unwrap();
    let text = format!(
        "model\tm.onnx\ninput\tx\t{dtype}\t1,2\t{}\n",
        data.display()
    );
    fs::write(folder.join("case"), text).unwrap();
    folder
}

fn answers(commands: &str, options: &[&str]) -> Vec<String> {
    let setup = Setup {
        threads: 1,
        options: options.iter().map(|&option| option.to_owned()).collect(),
    };
    let mut output = Vec::new();
    answer_all::<Doubler>(&setup, commands.as_bytes(), &mut output).unwrap();
    String::from_utf8(output)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn commands_are_answered_in_order() {
    let folder = case("order", "f32");
    let (case, out) = (folder.join("case"), folder.join("out"));
    let commands = format!("load {}\ncheck {}\nrun 3\n", case.display(), out.display());
    let answers = answers(&commands, &["compile"]);
    assert_eq!(answers[0], "ok 3000 7");
    assert!(
        answers[1].starts_with("ok ") && answers[1].ends_with(" 1,2"),
        "{answers:?}"
    );
    assert_eq!(answers[2].split(' ').count(), 4, "{answers:?}");
    assert_eq!(
        fs::read(out).unwrap(),
        [3.0_f32.to_le_bytes(), (-4.0_f32).to_le_bytes()].concat()
    );
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn failures_are_answers_of_one_line() {
    let folder = case("failures", "i32");
    let load = format!("load {}", folder.join("case").display());
    for (commands, expected) in [
        ("run 3", "error \"run\" before `load`"),
        ("halt", "error \"halt\" is no command with an argument"),
        (load.as_str(), "error only f32"),
    ] {
        assert_eq!(answers(commands, &[]), [expected], "{commands}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn inputs_are_checked() {
    let decode = |dtype, shape, bytes: &[u8]| {
        Input::decode("x", dtype, shape, bytes).map_err(|e| e.to_string())
    };
    assert_eq!(
        decode("i32", "2", &[1, 0, 0, 0, 255, 255, 255, 255])
            .unwrap()
            .elements,
        Elements::I32(vec![1, -1])
    );
    for (dtype, shape, bytes, expected) in [
        ("f32", "2", &[0; 4][..], "has 4 bytes, expected 2 x 4"),
        ("f32", "1", &[0; 5], "has 5 bytes, expected 1 x 4"),
        ("f16", "1", &[0; 4], "expected f32 or i32"),
        ("f32", "a", &[0; 4], "invalid digit"),
    ] {
        let error = decode(dtype, shape, bytes).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_command_line_names_the_threads() {
    let setup = |words: &[&str]| {
        setup(
            &words
                .iter()
                .map(|&word| word.to_owned())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        setup(&["2", "prepack"]).unwrap(),
        Setup {
            threads: 2,
            options: vec!["prepack".into()]
        }
    );
    assert!(setup(&[]).is_err() && setup(&["two"]).is_err());
}
