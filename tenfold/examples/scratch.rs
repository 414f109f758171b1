//! scratch
use std::time::Instant;
use tenfold::prelude::*;
fn go(model: &str, input: &str, x: Tensor, want: &Tensor, threads: usize, emit: bool) {
    let t = Instant::now();
    let m = Model::open(model).unwrap();
    let load = t.elapsed();
    let t = Instant::now();
    let f = m.compile(&CompileOptions { threads: Some(threads), ..Default::default() }).unwrap();
    let s = f.specialise(&[(input, &x)]).unwrap();
    let comp = t.elapsed();
    if emit { println!("{}", s.emit(tenfold::Stage::Planned)); }
    let out = s.run(&[(input, &x)]).unwrap();
    let got = out.iter().next().unwrap().1.to_vec::<f32>().unwrap();
    let w = want.to_vec::<f32>().unwrap();
    let d = got.iter().zip(&w).map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max);
    let mut ts = vec![];
    for _ in 0..40 { let t = Instant::now(); let _ = s.run(&[(input, &x)]).unwrap(); ts.push(t.elapsed().as_secs_f64() * 1e3); }
    ts.sort_by(f64::total_cmp);
    println!("{} {:?} threads {threads}: diff {d:.2e} load {:.1} compile {:.1} ms, run p50 {:.3} min {:.3}; steps {} arena {} / {}", model.rsplit('/').next().unwrap(), x.shape(), load.as_secs_f64()*1e3, comp.as_secs_f64()*1e3, ts[20], ts[0], s.plan().steps.len(), s.planned_peak_bytes(), s.plan().unshared_bytes());
}
fn main() {
    let emit = std::env::args().nth(1).unwrap_or_default();
    let a = "/tmp/assets/rapidocr_onnxruntime/rapidocr_onnxruntime/models";
    let get = |f: &str| -> Vec<(String, Tensor)> { tensor_io::npz::read(format!("tests/golden/{f}.npz")).unwrap() };
    let find = |v: &Vec<(String, Tensor)>, n: &str| v.iter().find(|(k, _)| k == n).unwrap().1.duplicate().unwrap();
    let norm = |p: &Tensor| { let v: Vec<f32> = p.to_vec::<u8>().unwrap().into_iter().map(|b| (b as f32 / 255.0 - 0.5) / 0.5).collect(); Tensor::from_vec_row_major(p.shape(), v).unwrap() };
    for threads in [1, 2] {
        let g = get("magika/magika");
        let b = find(&g, "bytes");
        go("/tmp/assets/magika/magika/models/standard_v3_3/model.onnx", "bytes", b.duplicate().unwrap(), &find(&g, "batch_8"), threads, false);
        let one = Tensor::from_vec_row_major([1, 2048], b.to_vec::<i32>().unwrap()[..2048].to_vec()).unwrap();
        let w1 = Tensor::from_vec_row_major([214], find(&g, "batch_1").to_vec::<f32>().unwrap()[..214].to_vec()).unwrap();
        go("/tmp/assets/magika/magika/models/standard_v3_3/model.onnx", "bytes", one, &w1, threads, emit == "magika");
        for (f, m) in [("recognition_320", "ch_PP-OCRv4_rec_infer"), ("recognition_777", "ch_PP-OCRv4_rec_infer")] {
            let g = get(&format!("ppocr/{f}"));
            go(&format!("{a}/{m}.onnx"), "x", norm(&find(&g, "pixels")), &find(&g, "output"), threads, emit == f);
        }
        let g = get("ppocr/direction");
        let p = find(&g, "pixels");
        go(&format!("{a}/ch_ppocr_mobile_v2.0_cls_infer.onnx"), "x", norm(&p), &find(&g, "batch_5"), threads, false);
        let one = Tensor::from_vec_row_major([1, 3, 48, 192], p.to_vec::<u8>().unwrap()[..3 * 48 * 192].to_vec()).unwrap();
        let w = find(&g, "batch_1").to_vec::<f32>().unwrap()[..2].to_vec();
        go(&format!("{a}/ch_ppocr_mobile_v2.0_cls_infer.onnx"), "x", norm(&one), &Tensor::from_vec_row_major([1, 2], w).unwrap(), threads, emit == "cls");
    }
}
