//! Printing.

use std::fmt;

use super::{INLINE_ELEMENTS, hash, write_name};
use crate::known::elements;
use crate::{Graph, ValueDef, ValueId};

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("func ")?;
        write_name(f, self.name())?;
        f.write_str("(")?;
        for (i, &id) in self.inputs().iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            self.write_typed(f, id)?;
        }
        f.write_str(") -> (")?;
        for (i, (name, id)) in self.outputs().iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            if *name != self.value(*id).name {
                write_name(f, name)?;
                f.write_str(" = ")?;
            }
            self.write_typed(f, *id)?;
        }
        f.write_str(") {\n")?;
        for (id, value) in self.values() {
            match &value.def {
                ValueDef::Const(_) => self.write_constant(f, id)?,
                ValueDef::Node(node, 0) => self.write_node(f, *node)?,
                ValueDef::Input(_) | ValueDef::Node(..) => {}
            }
        }
        f.write_str("}\n")
    }
}

impl Graph {
    fn write_typed(&self, f: &mut fmt::Formatter<'_>, id: ValueId) -> fmt::Result {
        write_name(f, &self.value(id).name)?;
        write!(f, ": {}", self.value(id).ty())
    }

    fn write_constant(&self, f: &mut fmt::Formatter<'_>, id: ValueId) -> fmt::Result {
        let Some(tensor) = self.value(id).constant() else {
            return Ok(());
        };
        f.write_str("  const ")?;
        self.write_typed(f, id)?;
        f.write_str(" = ")?;
        if tensor.shape().iter().product::<usize>() > INLINE_ELEMENTS {
            return writeln!(f, "#{:016x}", hash(tensor));
        }
        f.write_str("{")?;
        for (i, element) in elements(tensor).enumerate() {
            write!(f, "{}{element}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("}\n")
    }

    fn write_node(&self, f: &mut fmt::Formatter<'_>, id: crate::NodeId) -> fmt::Result {
        let node = self.node(id);
        f.write_str("  ")?;
        for (i, &output) in node.outputs.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            self.write_typed(f, output)?;
        }
        write!(f, " = {}(", node.op.name())?;
        let mut separator = "";
        for input in &node.inputs {
            f.write_str(separator)?;
            match input {
                Some(id) => write_name(f, &self.value(*id).name)?,
                None => f.write_str("_")?,
            }
            separator = ", ";
        }
        for (name, attr) in node.op.attrs().iter() {
            write!(f, "{separator}{name} = {attr}")?;
            separator = ", ";
        }
        f.write_str(")")?;
        if !node.source.is_empty() {
            write!(f, " @ ")?;
            let mut quoted = String::new();
            write_name(&mut quoted, &node.source)?;
            f.write_str(&quoted)?;
        }
        f.write_str("\n")
    }
}
