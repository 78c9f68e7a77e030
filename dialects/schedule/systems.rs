//! Abstract system models: the built-in ones, and those that a module declares.
//!
//! A module declares a system with `mdh.lowlevel.system`; a declaration wins over the built-in system of the same name.
use super::model::System;
use crate::ir::{self, Builder, Op};
use melior::ir::attribute::{ArrayAttribute, DenseI64ArrayAttribute, StringAttribute};

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
/// The limits of threads in a warp, and of warps in a block of [`THREADS`] threads.
const WARPS: Option<u64> = Some(WARP as u64);

/// A memory layer of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// All blocks reach it.
    Global,
    /// The threads of a block reach it.
    Shared,
    /// A thread's own.
    Private,
}

/// The threads of a warp.
pub const WARP: i64 = 32;

impl System {
    /// The built-in system of this name, one of [`BUILTIN`].
    pub fn builtin(name: &str) -> Option<Self> {
        let (memory, cores): (&[&str], &[Core]) = match name {
            "artificial" => (&["HM", "L1"], &[("COR", "HM", None)]),
            "openmp" => (&["MM", "L2", "L1"], &[("COR", "MM", None)]),
            "openmp_l3_simd" => (&["MM", "L3", "L2", "L1"], &[("COR", "L3", None), ("SIMD", "L1", None)]),
            "cuda" => (&["DM", "SM", "RM"], &[("SMX", "DM", None), ("CC", "SM", THREADS)]),
            "cuda_wrp" => (&["DM", "SM", "RM"], &[("SMX", "DM", None), ("WRP", "SM", WARPS), ("CC", "RM", WARPS)]),
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

    /// Whether a declaration of this system is in sight of an operation. The error is that its name means something else there.
    fn is_declared(&self, from: Op<'_>) -> Result<bool, String> {
        let Some(symbol) = ir::lookup_symbol(from, &self.name) else { return Ok(false) };
        if ir::name(symbol) != "mdh.lowlevel.system" {
            return Err(format!("@{} is no mdh.lowlevel.system but a {}", self.name, ir::name(symbol)));
        }
        match Self::from_op(symbol) {
            Some(declared) if declared == *self => Ok(true),
            _ => Err(format!("the schedule's system @{} differs from the one that the module declares", self.name)),
        }
    }

    /// Checks that the system can be named at an operation: it is declared, or built in.
    pub fn require(&self, from: Op<'_>) -> Result<(), String> {
        if self.is_declared(from)? || Self::builtin(&self.name).as_ref() == Some(self) {
            return Ok(());
        }
        Err(format!("requires a declaration of the system @{}, because the pass runs on a function", self.name))
    }

    /// Declares the system in the innermost module around an operation, unless a declaration of it is already in sight.
    pub fn declare(&self, from: Op<'_>) -> Result<(), String> {
        if self.is_declared(from)? {
            return Ok(());
        }
        let mut scope = from;
        while let Some(parent) = ir::parent(scope) {
            if ir::name(parent) == "builtin.module" {
                let first = ir::body(parent, 0).and_then(|block| ir::block_operations(block).first().copied());
                self.build(first.unwrap_or(scope));
                return Ok(());
            }
            scope = parent;
        }
        Err(format!("the system @{} cannot be declared because no module is around the computation", self.name))
    }

    fn build(&self, before: Op<'_>) {
        let context = ir::context(before);
        let string = |text: &str| StringAttribute::new(context, text).into();
        let strings = |names: &[String]| {
            let list: Vec<_> = names.iter().map(|name| string(name)).collect();
            ArrayAttribute::new(context, &list).into()
        };
        let regions: Vec<_> = self.combine.iter().map(|&region| self.memory[region].clone()).collect();
        let mut attributes = vec![
            ("sym_name", string(&self.name)),
            ("memory", strings(&self.memory)),
            ("cores", strings(&self.cores)),
            ("combine", strings(&regions)),
        ];
        if self.limit.iter().any(Option::is_some) {
            let limits: Vec<_> = self.limit.iter().map(|limit| limit.map_or(i64::MIN, |limit| limit as i64)).collect();
            attributes.push(("limit", DenseI64ArrayAttribute::new(context, &limits).into()));
        }
        Builder::before(before).op("mdh.lowlevel.system", &[], &[], &attributes, vec![]);
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

    /// Whether the system is one of a device: memory of the device, of a block and of a thread, and blocks, warps (or none) and threads.
    pub fn is_device(&self) -> bool {
        self.memory.len() == 3 && matches!(self.cores.len(), 2 | 3)
    }

    /// The memory of a device that a region means.
    pub fn device_memory(&self, region: &str) -> Memory {
        match self.region(region) {
            Some(0) => Memory::Global,
            Some(1) => Memory::Shared,
            _ => Memory::Private,
        }
    }

    /// Whether the threads of a block are known to be in warps, which exchange values by shuffles.
    pub fn has_warps(&self) -> bool {
        self.cores.len() == 3
    }

    /// The threads of a block of which so many exchange values: devices of OpenCL have shuffles in full warps only.
    pub fn whole_warps(&self, threads: i64) -> i64 {
        if self.has_warps() && threads > 1 { (threads as u64).next_multiple_of(WARP as u64) as i64 } else { threads }
    }
}
