//! Abstract system models: the built-in ones, and those that a module declares.
//!
//! A module declares a system with `mdh.lowlevel.system`; a declaration takes precedence over the built-in system of
//! the same name.
use super::{
    model::System,
    roles::{CoreRole, MemoryRole, roles_of_version_1},
};
use crate::{
    ir::{self, Builder, Op},
    lowlevel::roles::{core_role, core_role_attribute, memory_role, memory_role_attribute},
};
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

/// A memory layer: its name and its role.
type MemoryLayer = (&'static str, MemoryRole);
/// A core layer: its name, its role, the innermost region in which its parts may be combined, and the largest number of
/// parts.
type CoreLayer = (&'static str, CoreRole, &'static str, Option<u64>);

/// The limit of threads per block in CUDA; OpenCL devices allow the same number or more.
const THREADS: Option<u64> = Some(1024);
/// The limits of threads in a warp, and of warps in a block of [`THREADS`] threads.
const WARPS: Option<u64> = Some(WARP as u64);

/// The number of threads in a warp.
pub const WARP: i64 = 32;

impl System {
    /// The built-in system of this name, one of [`BUILTIN`].
    pub fn builtin(name: &str) -> Option<Self> {
        use {CoreRole::*, MemoryRole::*};
        const RAM: MemoryLayer = ("MM", Global);
        const L3: MemoryLayer = ("L3", Cache);
        const L2: MemoryLayer = ("L2", Cache);
        const L1: MemoryLayer = ("L1", Cache);
        const DEVICE: [MemoryLayer; 3] = [("DM", Global), ("SM", Shared), ("RM", Registers)];
        const SMX: CoreLayer = ("SMX", Blocks, "DM", None);
        const CC: CoreLayer = ("CC", Threads, "SM", THREADS);
        let [dm, sm, rm] = DEVICE;
        // `System::on_host` maps the cores to threads and vectors of a host.
        let (memory, cores): (&[MemoryLayer], &[CoreLayer]) = match name {
            "artificial" => (&[("HM", Global), L1], &[("COR", Threads, "HM", None)]),
            "openmp" => (&[RAM, L2, L1], &[("COR", Threads, "MM", None)]),
            "openmp_l3_simd" => (&[RAM, L3, L2, L1], &[("COR", Threads, "L3", None), ("SIMD", Lanes, "L1", None)]),
            // Without lanes, CC and PE are mapped to the vectors of a host.
            "cuda" => (&DEVICE, &[SMX, CC]),
            "cuda_wrp" => (&DEVICE, &[SMX, ("WRP", Warps, "SM", WARPS), ("CC", Threads, "RM", WARPS)]),
            "opencl" => (
                &[("GM", Global), ("LM", Shared), ("PM", Registers)],
                &[("CU", Blocks, "GM", None), ("PE", Threads, "LM", THREADS)],
            ),
            "multi_gpu" => (&[("HM", Node), dm, sm, rm], &[("GPU", Devices, "HM", None), SMX, CC]),
            "multi_node_multi_gpu" => (
                &[("NM", Node), ("HM", Node), dm, sm, rm],
                &[("NOD", Ranks, "NM", None), ("GPU", Devices, "HM", None), SMX, CC],
            ),
            "cpu" => {
                (&[RAM, L3, L2, L1, ("REG", Registers)], &[("COR", Threads, "L3", None), ("SIMD", Lanes, "REG", None)])
            }
            _ => return None,
        };
        Some(Self {
            name: name.to_owned(),
            memory: memory.iter().map(|layer| layer.0.to_owned()).collect(),
            memory_roles: memory.iter().map(|layer| layer.1).collect(),
            cores: cores.iter().map(|core| core.0.to_owned()).collect(),
            core_roles: cores.iter().map(|core| core.1).collect(),
            combine: cores.iter().map(|core| memory.iter().position(|m| m.0 == core.2).unwrap_or(0)).collect(),
            limit: cores.iter().map(|core| core.3).collect(),
        })
    }

    /// True if the memory layers have the names of those of a built-in system.
    pub fn has_memory_of(&self, name: &str) -> bool {
        Self::builtin(name).is_some_and(|known| known.memory == self.memory)
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
        let name = ir::attribute(operation, "sym_name").and_then(ir::string_attribute)?;
        let given = ir::attribute(operation, "memory_roles").zip(ir::attribute(operation, "core_roles"));
        let (memory_roles, core_roles) = match given {
            Some((memory, cores)) => (
                ir::array_attribute(memory)?.into_iter().map(memory_role).collect::<Option<Vec<_>>>()?,
                ir::array_attribute(cores)?.into_iter().map(core_role).collect::<Option<Vec<_>>>()?,
            ),
            // The parser gives roles to all systems; a system without roles was not built by the parser.
            None => roles_of_version_1(name, &memory, &cores),
        };
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
        let has_all_roles = memory_roles.len() == memory.len() && core_roles.len() == cores.len();
        (has_all_roles && combine.len() == cores.len() && limit.len() == cores.len()).then_some(Self {
            name: name.to_owned(),
            memory,
            memory_roles,
            cores,
            core_roles,
            combine,
            limit,
        })
    }

    /// Resolves a system name at an operation: to the system that the module declares, else to the built-in one.
    pub fn resolve(from: Op<'_>, name: &str) -> Option<Self> {
        match ir::lookup_symbol(from, name) {
            Some(symbol) if ir::name(symbol) == "mdh.lowlevel.system" => Self::from_op(symbol),
            Some(_) => None,
            None => Self::builtin(name),
        }
    }

    /// True if a declaration of this system is visible from an operation. It is an error if the name refers to
    /// something else there.
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

    /// Checks that the system can be referred to by name at an operation: it is declared, or built in.
    pub fn require(&self, from: Op<'_>) -> Result<(), String> {
        if self.is_declared(from)? || Self::builtin(&self.name).as_ref() == Some(self) {
            return Ok(());
        }
        Err(format!("requires a declaration of the system @{}, because the pass runs on a function", self.name))
    }

    /// Declares the system in the innermost module around an operation, unless a declaration of it is already visible.
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
        let memory_roles: Vec<_> = self.memory_roles.iter().map(|role| memory_role_attribute(context, *role)).collect();
        let core_roles: Vec<_> = self.core_roles.iter().map(|role| core_role_attribute(context, *role)).collect();
        let regions: Vec<_> = self.combine.iter().map(|&region| self.memory[region].clone()).collect();
        let mut attributes = vec![
            ("sym_name", string(&self.name)),
            ("memory", strings(&self.memory)),
            ("cores", strings(&self.cores)),
            ("memory_roles", ArrayAttribute::new(context, &memory_roles).into()),
            ("core_roles", ArrayAttribute::new(context, &core_roles).into()),
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

    /// The index of a core layer; `None` for a memory layer.
    pub fn core(&self, layer: &str) -> Option<usize> {
        self.cores.iter().position(|core| core == layer)
    }

    /// The index of a memory region; `None` for a core layer.
    pub fn region(&self, region: &str) -> Option<usize> {
        self.memory.iter().position(|layer| layer == region)
    }

    /// Rounds the number of threads of a block that exchange values up to whole warps, if the system has warps: OpenCL
    /// devices support shuffles only in full warps.
    pub fn whole_warps(&self, threads: i64) -> i64 {
        if self.has_warps() && threads > 1 { (threads as u64).next_multiple_of(WARP as u64) as i64 } else { threads }
    }
}
