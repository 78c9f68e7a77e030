//! Abstract system models: the built-in ones, and those that a module declares.
//!
//! A module declares a system with `mdh.lowlevel.system`; a declaration wins over the built-in system of the same name.
use super::model::System;
use mdh_dialects::ir::{self, Builder, Op};

/// The names of the built-in systems.
pub const BUILTIN: [&str; 9] = [
    "artificial",
    "openmp",
    "openmp_l3_simd",
    "cuda",
    "cuda_wrp",
    "opencl",
    "multi_gpu",
    "multi_node_multi_gpu",
    "cpu",
];

/// A core layer: its name, the innermost region in which its parts may be combined, and the largest number of parts.
type Core = (&'static str, &'static str, Option<u64>);

/// The limit of threads per block in CUDA; OpenCL devices give the same or more.
const THREADS: Option<u64> = Some(1024);
/// Threads in a warp, and warps in a block of [`THREADS`] threads.
const WARP: Option<u64> = Some(32);

impl System {
    /// The built-in system of this name, one of [`BUILTIN`].
    pub fn builtin(name: &str) -> Option<Self> {
        let (memory, cores): (&[&str], &[Core]) = match name {
            "artificial" => (&["HM", "L1"], &[("COR", "HM", None)]),
            "openmp" => (&["MM", "L2", "L1"], &[("COR", "MM", None)]),
            "openmp_l3_simd" => (&["MM", "L3", "L2", "L1"], &[("COR", "L3", None), ("SIMD", "L1", None)]),
            "cuda" => (&["DM", "SM", "RM"], &[("SMX", "DM", None), ("CC", "SM", THREADS)]),
            "cuda_wrp" => (&["DM", "SM", "RM"], &[("SMX", "DM", None), ("WRP", "SM", WARP), ("CC", "RM", WARP)]),
            "opencl" => (&["GM", "LM", "PM"], &[("CU", "GM", None), ("PE", "LM", THREADS)]),
            "multi_gpu" => {
                (&["HM", "DM", "SM", "RM"], &[("GPU", "HM", None), ("SMX", "DM", None), ("CC", "SM", THREADS)])
            }
            "multi_node_multi_gpu" => (
                &["NM", "HM", "DM", "SM", "RM"],
                &[("NOD", "NM", None), ("GPU", "HM", None), ("SMX", "DM", None), ("CC", "SM", THREADS)],
            ),
            "cpu" => (&["MM", "L3", "L2", "L1", "REG"], &[("COR", "L3", None), ("SIMD", "REG", None)]),
            _ => return None,
        };
        Some(Self {
            name: name.to_owned(),
            memory: memory.iter().map(|&layer| layer.to_owned()).collect(),
            cores: cores.iter().map(|core| core.0.to_owned()).collect(),
            combine: cores.iter().map(|core| memory.iter().position(|&m| m == core.1).unwrap_or(0)).collect(),
            limit: cores.iter().map(|core| core.2).collect(),
        })
    }

    /// The system that an `mdh.lowlevel.system` declares.
    pub fn from_op(operation: Op<'_>) -> Option<Self> {
        let names = |attribute: &str| -> Option<Vec<String>> {
            ir::array_attribute(ir::attribute(operation, attribute)?)?
                .into_iter()
                .map(|name| ir::string_attribute(name).map(str::to_owned))
                .collect()
        };
        let (memory, cores) = (names("memory")?, names("cores")?);
        let combine = match names("combine") {
            Some(regions) => {
                regions.iter().map(|region| memory.iter().position(|m| m == region)).collect::<Option<Vec<_>>>()?
            }
            None => vec![0; cores.len()],
        };
        let limit = match ir::attribute(operation, "limit").and_then(ir::dense_array_attribute) {
            Some(limits) => limits.into_iter().map(|limit| u64::try_from(limit).ok()).collect(),
            None => vec![None; cores.len()],
        };
        let name = ir::attribute(operation, "sym_name").and_then(ir::string_attribute)?.to_owned();
        (combine.len() == cores.len() && limit.len() == cores.len()).then_some(Self {
            name,
            memory,
            cores,
            combine,
            limit,
        })
    }

    /// The system that a name means at an operation: what the module declares, else the built-in one.
    pub fn resolve(from: Op<'_>, name: &str) -> Option<Self> {
        match ir::lookup_symbol(from, name) {
            Some(symbol) if ir::name(symbol) == "mdh.lowlevel.system" => Self::from_op(symbol),
            Some(_) => None,
            None => Self::builtin(name),
        }
    }

    /// Declares the system in the innermost module around an operation, unless a declaration of it is already in sight.
    pub fn declare(&self, from: Op<'_>) -> Result<(), String> {
        if let Some(symbol) = ir::lookup_symbol(from, &self.name) {
            if ir::name(symbol) != "mdh.lowlevel.system" {
                return Err(format!("@{} is no mdh.lowlevel.system but a {}", self.name, ir::name(symbol)));
            }
            return match Self::from_op(symbol) {
                Some(declared) if declared == *self => Ok(()),
                _ => Err(format!("the schedule's system @{} differs from the one that the module declares", self.name)),
            };
        }
        let mut scope = from;
        while let Some(parent) = ir::parent(scope) {
            if ir::name(parent) == "builtin.module" {
                let first = ir::body(parent, 0).and_then(|block| ir::block_operations(block).first().copied());
                self.build(&Builder::before(first.unwrap_or(scope)));
                return Ok(());
            }
            scope = parent;
        }
        Err(format!("the system @{} cannot be declared because no module is around the computation", self.name))
    }

    fn build(&self, b: &Builder<'_>) {
        let strings = |names: &[String]| {
            let list: Vec<_> = names.iter().map(|name| super::attribute::quoted(name)).collect();
            b.attribute(&format!("[{}]", list.join(", ")))
        };
        let regions: Vec<_> = self.combine.iter().map(|&region| self.memory[region].clone()).collect();
        let mut attributes = vec![
            ("sym_name", b.attribute(&super::attribute::quoted(&self.name))),
            ("memory", strings(&self.memory)),
            ("cores", strings(&self.cores)),
            ("combine", strings(&regions)),
        ];
        if self.limit.iter().any(Option::is_some) {
            let limits: Vec<_> =
                self.limit.iter().map(|limit| limit.map_or(i64::MIN, |limit| limit as i64).to_string()).collect();
            attributes.push(("limit", b.attribute(&format!("array<i64: {}>", limits.join(", ")))));
        }
        b.op("mdh.lowlevel.system", &[], &[], &attributes, vec![]);
    }

    /// The layers of the system: memory layers, then core layers, each outermost first.
    pub fn layer_names(&self) -> impl Iterator<Item = &str> {
        self.memory.iter().chain(&self.cores).map(String::as_str)
    }

    /// The position of a core layer; none for a memory layer.
    pub fn core(&self, layer: &str) -> Option<usize> {
        self.cores.iter().position(|core| core == layer)
    }

    /// The position of a memory region.
    pub fn region(&self, region: &str) -> Option<usize> {
        self.memory.iter().position(|layer| layer == region)
    }
}
