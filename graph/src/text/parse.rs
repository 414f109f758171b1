//! Parsing, by recursive descent; the depth of extents is limited, so no text exhausts the stack.

use std::collections::HashMap;
use std::sync::Arc;

use tensor::Tensor;
use tensor_core::DType;

use super::lex::{Kind, Token, lex};
use super::{ConstantSource, hash};
use crate::op::{Attr, Attrs, Op};
use crate::scalar::ScalarValue;
use crate::{Dim, DimOp, Graph, GraphBuilder, ParseError, TensorType, ValueId};

/// Deepest nesting of an extent expression.
const MAX_DEPTH: usize = 64;

/// Reads a graph from its text; `constants` provides those the text only names.
///
/// # Errors
/// The first place where the text is no graph: syntax, unknown names, inputs that do not suit an op,
/// a type that inference does not confirm, a constant that is missing or differs.
pub fn parse(text: &str, constants: &dyn ConstantSource) -> Result<Graph, ParseError> {
    let tokens = lex(text)?;
    let builder = GraphBuilder::new("");
    let mut parser = Parser {
        tokens,
        at: 0,
        constants,
        builder,
        names: HashMap::new(),
    };
    parser.function()
}

type Parse<T> = Result<T, ParseError>;

struct Parser<'a> {
    tokens: Vec<Token>,
    at: usize,
    constants: &'a dyn ConstantSource,
    builder: GraphBuilder,
    names: HashMap<String, ValueId>,
}

/// A declared output: its name, the value's name, its type and where it stands.
struct OutputDecl {
    name: String,
    value: String,
    ty: TensorType,
    token: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Kind {
        &self.tokens[self.at].kind
    }

    fn next(&mut self) -> Kind {
        let kind = self.tokens[self.at].kind.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        kind
    }

    fn error_at<T>(&self, token: usize, message: impl Into<String>) -> Parse<T> {
        let Token { line, column, .. } = self.tokens[token];
        Err(ParseError {
            line,
            column,
            message: message.into(),
        })
    }

    fn error<T>(&self, message: impl Into<String>) -> Parse<T> {
        self.error_at(self.at, message)
    }

    fn unexpected<T>(&self, wanted: &str) -> Parse<T> {
        self.error(format!(
            "expected {wanted}, found {}",
            self.peek().describe()
        ))
    }

    fn accept(&mut self, sign: char) -> bool {
        let found = *self.peek() == Kind::Sign(sign);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, sign: char) -> Parse<()> {
        if self.accept(sign) {
            Ok(())
        } else {
            self.unexpected(&Kind::Sign(sign).describe())
        }
    }

    fn keyword(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Kind::Word(w) if w == word);
        if found {
            self.next();
        }
        found
    }

    fn name(&mut self) -> Parse<String> {
        match self.peek().clone() {
            Kind::Word(name) if !super::RESERVED.contains(&name.as_str()) => {
                self.next();
                Ok(name)
            }
            Kind::Quoted(name) => {
                self.next();
                Ok(name)
            }
            _ => self.unexpected("a name"),
        }
    }

    fn function(&mut self) -> Parse<Graph> {
        if !self.keyword("func") {
            return self.unexpected("\"func\"");
        }
        self.builder = GraphBuilder::new(self.name()?);
        self.expect('(')?;
        while !self.accept(')') {
            let token = self.at;
            let (name, ty) = self.typed()?;
            let input = self.builder.input(name.clone(), ty);
            self.define(token, name, input)?;
            self.separator(')')?;
        }
        self.expect('>')?;
        let outputs = self.outputs()?;
        self.expect('{')?;
        while !self.accept('}') {
            if self.keyword("const") {
                self.constant()?
            } else {
                self.node()?
            }
        }
        if *self.peek() != Kind::End {
            return self.unexpected("the end of the text");
        }
        for output in outputs {
            let Some(&id) = self.names.get(&output.value) else {
                return self.error_at(
                    output.token,
                    format!("there is no value {:?}", output.value),
                );
            };
            self.check_type(output.token, id, &output.ty)?;
            self.builder.output(output.name, id);
        }
        let builder = std::mem::replace(&mut self.builder, GraphBuilder::new(""));
        Ok(builder.finish())
    }

    /// A comma, or the closing sign ahead.
    fn separator(&mut self, close: char) -> Parse<()> {
        if self.accept(',') || *self.peek() == Kind::Sign(close) {
            return Ok(());
        }
        self.unexpected(&format!("\",\" or {close:?}"))
    }

    fn outputs(&mut self) -> Parse<Vec<OutputDecl>> {
        self.expect('(')?;
        let mut outputs = Vec::new();
        while !self.accept(')') {
            let token = self.at;
            let name = self.name()?;
            let value = if self.accept('=') {
                self.name()?
            } else {
                name.clone()
            };
            self.expect(':')?;
            let ty = self.ty()?;
            outputs.push(OutputDecl {
                name,
                value,
                ty,
                token,
            });
            self.separator(')')?;
        }
        Ok(outputs)
    }

    fn define(
        &mut self,
        token: usize,
        name: String,
        id: Result<ValueId, crate::GraphError>,
    ) -> Parse<ValueId> {
        match id {
            Ok(id) => {
                self.names.insert(name, id);
                Ok(id)
            }
            Err(error) => self.error_at(token, error.to_string()),
        }
    }

    fn typed(&mut self) -> Parse<(String, TensorType)> {
        let name = self.name()?;
        self.expect(':')?;
        Ok((name, self.ty()?))
    }

    fn ty(&mut self) -> Parse<TensorType> {
        let dtype = match self.next() {
            Kind::Word(word) => word.parse::<DType>().ok(),
            _ => None,
        };
        let Some(dtype) = dtype else {
            return self.error_at(self.at.saturating_sub(1), "expected a dtype such as f32");
        };
        Ok(TensorType {
            dtype,
            shape: self.dims()?,
        })
    }

    fn dims(&mut self) -> Parse<Vec<Dim>> {
        self.expect('[')?;
        let mut dims = Vec::new();
        while !self.accept(']') {
            dims.push(self.dim(0)?);
            self.separator(']')?;
        }
        Ok(dims)
    }

    fn dim(&mut self, depth: usize) -> Parse<Dim> {
        if depth > MAX_DEPTH {
            return self.error("extents nest too deeply");
        }
        match self.peek().clone() {
            Kind::Number(text) => {
                let Ok(n) = text.parse() else {
                    return self.unexpected("an integer");
                };
                self.next();
                Ok(Dim::Known(n))
            }
            Kind::Word(word)
                if word == "max" && self.tokens[self.at + 1].kind == Kind::Sign('(') =>
            {
                self.next();
                self.next();
                let a = self.dim(depth + 1)?;
                self.expect(',')?;
                let b = self.dim(depth + 1)?;
                self.expect(')')?;
                Ok(Dim::apply(DimOp::Max, a, b))
            }
            Kind::Sign('(') => {
                self.next();
                let a = self.dim(depth + 1)?;
                let op = match self.next() {
                    Kind::Sign('+') => DimOp::Add,
                    Kind::Sign('-') => DimOp::Sub,
                    Kind::Sign('*') => DimOp::Mul,
                    Kind::Sign('/') => DimOp::FloorDiv,
                    _ => return self.error("expected +, -, * or / between extents"),
                };
                let b = self.dim(depth + 1)?;
                self.expect(')')?;
                Ok(Dim::apply(op, a, b))
            }
            _ => Ok(Dim::from(self.name()?.as_str())),
        }
    }

    fn check_type(&self, token: usize, id: ValueId, declared: &TensorType) -> Parse<()> {
        let inferred = self.builder.ty(id);
        if inferred == declared {
            return Ok(());
        }
        self.error_at(
            token,
            format!("declared {declared}, but inference gives {inferred}"),
        )
    }

    fn constant(&mut self) -> Parse<()> {
        let token = self.at;
        let (name, ty) = self.typed()?;
        self.expect('=')?;
        let tensor = if self.accept('#') {
            self.named_constant(token, &name)?
        } else {
            self.literal(&ty)?
        };
        let id = self.builder.constant(name.clone(), tensor);
        let id = self.define(token, name, id)?;
        self.check_type(token, id, &ty)
    }

    fn named_constant(&mut self, token: usize, name: &str) -> Parse<Arc<Tensor>> {
        let wanted = match self.next() {
            Kind::Word(digits) | Kind::Number(digits) => u64::from_str_radix(&digits, 16).ok(),
            _ => None,
        };
        let Some(tensor) = self.constants.constant(name) else {
            return self.error_at(
                token,
                format!("the constant {name:?} is not in the text and was not provided"),
            );
        };
        if wanted != Some(hash(&tensor)) {
            return self.error_at(
                token,
                format!("the constant {name:?} that was provided has other elements"),
            );
        }
        Ok(tensor)
    }

    fn literal(&mut self, ty: &TensorType) -> Parse<Arc<Tensor>> {
        let token = self.at;
        self.expect('{')?;
        let mut bytes = Vec::new();
        while !self.accept('}') {
            let value = self.element(ty.dtype)?;
            bytes.extend_from_slice(&value.bits().to_le_bytes()[..ty.dtype.size_bytes().min(8)]);
            self.separator('}')?;
        }
        let shape = ty.static_shape();
        let tensor = shape.and_then(|shape| Tensor::from_le_bytes(ty.dtype, &shape, &bytes).ok());
        match tensor {
            Some(tensor) => Ok(Arc::new(tensor)),
            None => self.error_at(token, format!("the elements do not fill {ty}")),
        }
    }

    fn element(&mut self, dtype: DType) -> Parse<ScalarValue> {
        let text = match self.peek().clone() {
            Kind::Word(word) | Kind::Number(word) => word,
            _ => return self.unexpected("an element"),
        };
        self.next();
        if text == "nan" {
            self.expect('(')?;
            let bits = match self.next() {
                Kind::Number(digits) => {
                    u64::from_str_radix(digits.trim_start_matches("0x"), 16).ok()
                }
                _ => None,
            };
            self.expect(')')?;
            return match bits {
                Some(bits) => Ok(ScalarValue::from_bits(dtype, bits)),
                None => self.error("expected the bits of a NaN"),
            };
        }
        let value = match dtype {
            DType::Bool => text
                .parse::<bool>()
                .ok()
                .map(|b| ScalarValue::from_i64(dtype, b.into())),
            DType::F32 => text
                .parse::<f32>()
                .ok()
                .map(|v| ScalarValue::from_bits(dtype, v.to_bits().into())),
            DType::U64 => text
                .parse::<u64>()
                .ok()
                .map(|v| ScalarValue::from_bits(dtype, v)),
            d if d.is_float() => text
                .parse::<f64>()
                .ok()
                .map(|v| ScalarValue::from_f64(dtype, v)),
            _ => text
                .parse::<i64>()
                .ok()
                .map(|v| ScalarValue::from_i64(dtype, v)),
        };
        match value {
            Some(value) => Ok(value),
            None => self.error_at(self.at - 1, format!("{text:?} is no {dtype}")),
        }
    }

    fn node(&mut self) -> Parse<()> {
        let token = self.at;
        let mut declared = vec![self.typed()?];
        while self.accept(',') {
            declared.push(self.typed()?);
        }
        self.expect('=')?;
        let op_name = self.name()?;
        let (inputs, attrs) = self.arguments()?;
        let source = if self.accept('@') {
            self.name()?
        } else {
            String::new()
        };
        let op = match Op::from_text(&op_name, &attrs) {
            Ok(op) => op,
            Err(message) => return self.error_at(token, format!("{op_name}: {message}")),
        };
        let names: Vec<&str> = declared.iter().map(|(name, _)| name.as_str()).collect();
        let made = self.builder.node_of_many(op, &inputs, &names, &source);
        let made = match made {
            Ok(made) if made.len() != declared.len() => {
                let message = format!(
                    "{op_name} has {} outputs here; {} are declared",
                    made.len(),
                    declared.len()
                );
                return self.error_at(token, message);
            }
            Ok(made) => made.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        };
        for (made, (name, ty)) in made.into_iter().zip(declared) {
            let id = self.define(token, name, made)?;
            self.check_type(token, id, &ty)?;
        }
        Ok(())
    }

    fn arguments(&mut self) -> Parse<(Vec<Option<ValueId>>, Attrs)> {
        let (mut inputs, mut attrs) = (Vec::new(), Attrs::new());
        self.expect('(')?;
        while !self.accept(')') {
            if self.keyword("_") {
                inputs.push(None);
            } else {
                let token = self.at;
                let name = self.name()?;
                if self.accept('=') {
                    attrs.push(name, self.attr()?);
                } else {
                    match self.names.get(&name) {
                        Some(&id) => inputs.push(Some(id)),
                        None => {
                            return self.error_at(
                                token,
                                format!("there is no value {name:?} before this line"),
                            );
                        }
                    }
                }
            }
            self.separator(')')?;
        }
        Ok((inputs, attrs))
    }

    fn attr(&mut self) -> Parse<Attr> {
        match self.peek().clone() {
            Kind::Number(text) => {
                self.next();
                Ok(Attr::Number(text))
            }
            Kind::Word(word) => {
                self.next();
                Ok(Attr::Word(word))
            }
            Kind::Sign('[') => Ok(Attr::List(self.dims()?)),
            _ => self.unexpected("a number, a word or a list"),
        }
    }
}
