//! What a function takes and returns, read before it is lowered.
use crate::array::Element;
use anyhow::{Result, anyhow, bail};
use mdh_dialects::ir::{self, Op};
use melior::ir::{
    Module, Type, TypeLike,
    attribute::TypeAttribute,
    r#type::{FunctionType, MemRefType},
};

/// What a function takes and returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name of the function.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Parameter>,
    /// Its results.
    pub results: Vec<Parameter>,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The element type.
    pub element: Element,
    /// The sizes of a buffer, `None` where they are open; no shape for a scalar.
    pub shape: Option<Vec<Option<u64>>>,
    /// Whether the function may write to it: a memref is written in place, a tensor is not.
    pub in_place: bool,
}

impl Signature {
    /// The signature of a `func.func`. Errors name an argument or result of a type that C has no interface for.
    pub fn of(function: Op<'_>) -> Result<Self> {
        let name = ir::attribute(function, "sym_name").and_then(ir::string_attribute).unwrap_or_default().to_owned();
        let r#type = ir::attribute(function, "function_type")
            .and_then(|attribute| TypeAttribute::try_from(attribute).ok())
            .and_then(|attribute| FunctionType::try_from(attribute.value()).ok())
            .ok_or_else(|| anyhow!("'{name}' is not a function"))?;
        let parameter = |kind: &str, i: usize, r#type| {
            Parameter::of(r#type).map_err(|problem| anyhow!("{kind} {} of '{name}' {problem}", i + 1))
        };
        let arguments =
            (0..r#type.input_count()).map(|i| parameter("argument", i, r#type.input(i)?)).collect::<Result<_>>()?;
        let results =
            (0..r#type.result_count()).map(|i| parameter("result", i, r#type.result(i)?)).collect::<Result<_>>()?;
        Ok(Self { name, arguments, results })
    }
}

impl Parameter {
    fn of(r#type: Type<'_>) -> Result<Self> {
        let shape = ir::shape(r#type);
        let element = Element::from_name(&ir::element_type(r#type).unwrap_or(r#type).to_string());
        let buffer = r#type.is_tensor() || r#type.is_mem_ref();
        let Some(element) = element.filter(|_| buffer == shape.is_some()) else {
            bail!("requires an integer, index or float type, or a ranked tensor or memref of one, but has type {type}");
        };
        if let Ok(memref) = MemRefType::try_from(r#type)
            && (r#type.to_string().contains("strided<")
                || r#type.to_string().contains("affine_map<")
                || memref.memory_space().is_some())
        {
            bail!("requires a memref without layout and memory space, but has type {type}");
        }
        Ok(Self { element, shape, in_place: r#type.is_mem_ref() })
    }

    /// The type as MLIR spells it, a buffer as a tensor.
    pub fn r#type(&self) -> String {
        match &self.shape {
            None => self.element.to_string(),
            Some(shape) => {
                let sizes: String =
                    shape.iter().map(|size| size.map_or("?x".to_owned(), |size| format!("{size}x"))).collect();
                format!("tensor<{sizes}{}>", self.element)
            }
        }
    }
}

/// The functions with a body that programs outside of the module can call.
pub fn public_functions<'c>(module: Op<'c>) -> Vec<Op<'c>> {
    let Some(block) = ir::body(module, 0) else { return vec![] };
    let public = |function: &Op<'c>| {
        ir::name(*function) == "func.func"
            && ir::body(*function, 0).is_some()
            && ir::attribute(*function, "sym_visibility").and_then(ir::string_attribute).is_none_or(|v| v == "public")
    };
    ir::block_operations(block).into_iter().filter(public).collect()
}

/// The public function of a name. Errors name those there are; no name means the only one.
pub fn find<'c>(module: Op<'c>, name: Option<&str>) -> Result<Op<'c>> {
    let functions = public_functions(module);
    let symbol =
        |function: &Op<'c>| ir::attribute(*function, "sym_name").and_then(ir::string_attribute).unwrap_or_default();
    let names = functions.iter().map(symbol).collect::<Vec<_>>().join(", ");
    match name {
        Some(name) => functions.iter().find(|function| symbol(function) == name).copied().ok_or_else(|| {
            anyhow!("no public function '{name}': the module has {}", if names.is_empty() { "none" } else { &names })
        }),
        None => match functions.as_slice() {
            [function] => Ok(*function),
            [] => bail!("the module has no public function"),
            _ => bail!("the module has several public functions, name one of {names}"),
        },
    }
}

/// Makes all public functions private but these.
pub fn export(module: &Module<'_>, functions: &[Op<'_>]) {
    let operation = ir::op(module.as_operation());
    let Some(private) = melior::ir::Attribute::parse(ir::context(operation), "\"private\"") else { return };
    for function in public_functions(operation) {
        if !functions.contains(&function) {
            ir::set_attribute(function, "sym_visibility", private);
        }
    }
}
