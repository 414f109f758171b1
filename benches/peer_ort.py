#!/usr/bin/env python3
"""onnxruntime for the benchmark driver: `peer_ort.py THREADS`, commands on standard input.

Speaks the line protocol that benches/protocol/src/lib.rs describes. The session has default options except for its
threads: as many inside an operator as asked, one operator at a time. Needs onnxruntime and numpy.
"""

import sys
import time

import numpy as np
import onnxruntime

DTYPES = {"f32": np.dtype("<f4"), "i32": np.dtype("<i4")}


def read_case(path):
    """The model's path and its inputs by name."""
    model, inputs = None, {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kind, *fields = line.rstrip("\n").split("\t")
            if kind == "model":
                (model,) = fields
            else:
                name, dtype, shape, data = fields
                elements = np.fromfile(data, DTYPES[dtype])
                inputs[name] = elements.reshape([int(extent) for extent in shape.split(",")])
    return model, inputs


class Engine:
    def __init__(self, threads, case):
        model, self.inputs = read_case(case)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        begin = time.perf_counter_ns()
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.load_ns = time.perf_counter_ns() - begin

    def check(self, path):
        begin = time.perf_counter_ns()
        outputs = self.session.run(None, self.inputs)
        spent = time.perf_counter_ns() - begin
        outputs[0].astype("<f4").tofile(path)
        return f"{spent} {','.join(map(str, outputs[0].shape))}"

    def run(self, times):
        self.session.run(None, self.inputs)
        spent = []
        for _ in range(times):
            begin = time.perf_counter_ns()
            self.session.run(None, self.inputs)
            spent.append(time.perf_counter_ns() - begin)
        return " ".join(map(str, spent))


def main():
    threads, engine = int(sys.argv[1]), None
    for line in sys.stdin:
        command, argument = line.rstrip("\n").split(" ", 1)
        try:
            if command == "load":
                engine = Engine(threads, argument)
                answer = str(engine.load_ns)
            elif command == "check":
                answer = engine.check(argument)
            elif command == "run":
                answer = engine.run(int(argument))
            else:
                raise ValueError(f"there is no command {command!r}")
            print("ok", answer, flush=True)
        except Exception as error:  # whatever onnxruntime raises is the driver's to show
            print("error", " ".join(str(error).split()), flush=True)


if __name__ == "__main__":
    main()
