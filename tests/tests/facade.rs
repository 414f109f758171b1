//! What the facade says to feeds that do not fit and to limits that do not hold: one clear sentence each.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail as tests do")]

use tenfold::{CompileOptions, CompiledFunction, Model, Tensor};
use tests::wire;

/// `y[N, 3] = a[N, 3] + b[N, 3]`, then `z = relu(y)`.
fn sum(options: &CompileOptions) -> CompiledFunction {
    let file = wire::model(&[
        wire::input("a", &["N", "3"]),
        wire::input("b", &["N", "3"]),
        wire::node("Add", &["a", "b"], "y", &[]),
        wire::node("Softmax", &["y"], "s", &[]),
        wire::node("Softmax", &["s"], "z", &[]),
        wire::output("z", &["N", "3"]),
    ]);
    Model::from_bytes(file, "sum.onnx")
        .unwrap()
        .compile(options)
        .unwrap()
}

fn zeros(shape: &[usize]) -> Tensor {
    Tensor::zeros(tenfold::DType::F32, shape).unwrap()
}

/// There is one family of owned tensors, whatever path a program names it by.
#[test]
fn a02_the_facade_has_the_tensors_of_the_tensor_crate() {
    fn erased(tensor: tensor::Tensor) -> tenfold::prelude::Tensor {
        tensor
    }
    fn typed(tensor: tensor::TypedTensor<f32>) -> tenfold::prelude::TypedTensor<f32> {
        tensor
    }
    let made = typed(tensor::TypedTensor::ones([2]).unwrap());
    assert_eq!(erased(made.into()).to_vec::<f32>().unwrap(), [1.0, 1.0]);
}

#[test]
fn feeds_that_do_not_fit_are_told_in_a_sentence() {
    let function = sum(&CompileOptions::default());
    let (good, flat, wide, long) = (zeros(&[2, 3]), zeros(&[6]), zeros(&[2, 4]), zeros(&[5, 3]));
    let integers = Tensor::from_vec_row_major([2, 3], vec![0_i32; 6]).unwrap();
    let check = |feeds: &[(&str, &Tensor)], expect: &str| {
        let (run, specialise) = (function.run(feeds), function.specialise(feeds));
        assert_eq!(run.unwrap_err().to_string(), expect);
        assert_eq!(specialise.unwrap_err().to_string(), expect);
    };
    check(
        &[("a", &good), ("c", &good)],
        r#"there is no input "c"; the inputs are "a": f32[N, 3], "b": f32[N, 3]"#,
    );
    check(&[("a", &good)], r#"input "b" (f32[N, 3]) was not fed"#);
    check(&[], r#"input "a" (f32[N, 3]) was not fed"#);
    check(
        &[("a", &good), ("b", &good), ("a", &good)],
        r#"input "a" was fed more than once"#,
    );
    check(
        &[("a", &good), ("b", &integers)],
        r#"input "b" is f32[N, 3], but a tensor of i32 was fed; cast it first"#,
    );
    check(
        &[("a", &flat), ("b", &good)],
        r#"input "a" is declared f32[N, 3]; got shape [6]"#,
    );
    check(
        &[("a", &good), ("b", &wide)],
        r#"input "b" is declared f32[N, 3]; got shape [2, 4]"#,
    );
    check(
        &[("a", &good), ("b", &long)],
        r#"input "b" is declared f32[N, 3]; got shape [5, 3], which makes N = 5, but N = 2 by an earlier axis"#,
    );
    // After all that, the function still runs.
    assert_eq!(
        function.run(&[("a", &good), ("b", &good)]).unwrap().len(),
        1
    );
}

/// 1000 rows: an intermediate of 12000 bytes, which is 12032 in cache lines, and an output of 12000.
#[test]
fn a_memory_limit_holds_to_the_byte() {
    let feed = zeros(&[1000, 3]);
    let feeds = [("a", &feed), ("b", &feed)];
    for (memory_limit, expect) in [
        (None, None),
        (Some(24032), None),
        (Some(24031), Some("24031")),
        (Some(0), Some("0")),
    ] {
        let function = sum(&CompileOptions {
            memory_limit,
            ..CompileOptions::default()
        });
        let text = function.run(&feeds).err().map(|error| error.to_string());
        let want = expect.map(|limit| {
            format!(
                "\"main\" needs 24032 bytes for intermediates and outputs at these input shapes, but the memory limit \
                 is {limit} bytes; raise the limit or run a smaller batch"
            )
        });
        assert_eq!(text, want);
        // A smaller batch of the same function is not refused for what another one needed.
        let small = zeros(&[1, 3]);
        assert_eq!(
            function.run(&[("a", &small), ("b", &small)]).is_err(),
            memory_limit == Some(0)
        );
    }
}
