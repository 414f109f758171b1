//! A program as text for people and goldens. A register that is used more than once is named once
//! (`t3 = exp(x); t3 / (t3 + 1)`), so the text grows with the program, never faster.

use std::fmt;

use super::{Inst, Prim, Program, Reg};

impl Program {
    /// The expression with the operands named by `name`.
    pub fn display_with(&self, name: &dyn Fn(usize) -> String) -> String {
        let mut uses = vec![0_u32; self.dtypes.len()];
        for inst in &self.insts {
            match *inst {
                Inst::Const(_) => {}
                Inst::Cast(_, r) => uses[usize::from(r)] += 1,
                Inst::Prim(prim, regs) => {
                    regs[..prim.arity()]
                        .iter()
                        .for_each(|&r| uses[usize::from(r)] += 1);
                }
            }
        }
        let shared = |at: usize| {
            uses[at + self.inputs.len()] > 1 && !matches!(self.insts[at], Inst::Const(_))
        };
        let temporary = |reg: usize| match reg.checked_sub(self.inputs.len()) {
            None => Some(name(reg)),
            Some(at) if shared(at) => Some(format!("t{at}")),
            Some(_) => None,
        };
        let mut out = String::new();
        for at in (0..self.insts.len()).filter(|&at| shared(at)) {
            out.push_str(&format!("t{at} = "));
            self.write_inst(self.insts[at], &temporary, &mut out, false);
            out.push_str("; ");
        }
        self.write(self.result, &temporary, &mut out, false);
        out
    }

    fn write(&self, reg: Reg, name: Names<'_>, out: &mut String, nested: bool) {
        match name(reg.into()) {
            Some(text) => out.push_str(&text),
            None => {
                self.write_inst(
                    self.insts[usize::from(reg) - self.inputs.len()],
                    name,
                    out,
                    nested,
                );
            }
        }
    }

    fn write_inst(&self, inst: Inst, name: Names<'_>, out: &mut String, nested: bool) {
        match inst {
            Inst::Const(value) => out.push_str(&value.to_string()),
            Inst::Cast(to, r) => {
                out.push_str(to.name());
                self.write_call(&[r], name, out);
            }
            Inst::Prim(prim, regs) => match infix(prim) {
                Some(sign) => {
                    out.push_str(if nested { "(" } else { "" });
                    self.write(regs[0], name, out, true);
                    out.push_str(sign);
                    self.write(regs[1], name, out, true);
                    out.push_str(if nested { ")" } else { "" });
                }
                None => {
                    out.push_str(prim.name());
                    self.write_call(&regs[..prim.arity()], name, out);
                }
            },
        }
    }

    fn write_call(&self, regs: &[Reg], name: Names<'_>, out: &mut String) {
        for (i, &reg) in regs.iter().enumerate() {
            out.push_str(if i == 0 { "(" } else { ", " });
            self.write(reg, name, out, false);
        }
        out.push(')');
    }
}

/// The text of a register that has a name of its own.
type Names<'a> = &'a dyn Fn(usize) -> Option<String>;

fn infix(prim: Prim) -> Option<&'static str> {
    match prim {
        Prim::Add => Some(" + "),
        Prim::Sub => Some(" - "),
        Prim::Mul => Some(" * "),
        Prim::Div => Some(" / "),
        Prim::Eq => Some(" == "),
        Prim::Lt => Some(" < "),
        Prim::Le => Some(" <= "),
        _ => None,
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display_with(&|i| format!("%{i}")))
    }
}
