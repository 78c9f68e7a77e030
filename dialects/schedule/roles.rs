//! The roles of layers: the hardware entity that a memory or core layer of an abstract system model represents,
//! whatever its name.
//!
//! ```text
//! memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes]   ──▶   threads · loops · unrolled · vectors
//! ```
//!
//! Code queries roles here. Names are for users, and the number of layers has no meaning.
use super::model::System;

/// The role of a memory layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryRole {
    /// The memory of one or several computers, outside of the memory of devices.
    Node,
    /// The main memory of a processor or of a device.
    Global,
    /// Memory that the threads of a block share.
    Shared,
    /// A cache of a processor, or the private memory of a thread on a device.
    Cache,
    /// Registers: the parts of a level are unrolled.
    Registers,
}

/// The role of a core layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoreRole {
    /// Processes that exchange messages.
    Ranks,
    /// Devices of a computer.
    Devices,
    /// Blocks of threads on a device.
    Blocks,
    /// Warps of a block, which exchange values by shuffles.
    Warps,
    /// Threads of a processor, or of a block or warp on a device.
    Threads,
    /// Lanes of vectors.
    Lanes,
    /// Matrix units (products of small matrices).
    Matrix,
}

/// A memory layer of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Accessible to all blocks.
    Global,
    /// Accessible to the threads of a block.
    Shared,
    /// Private to a thread.
    Private,
}

/// The roles of a system that kernels are generated for, in the wording of messages.
pub const DEVICE: &str =
    "memory with the roles global, shared and registers, and cores with the roles blocks, warps if any, and threads";

impl MemoryRole {
    /// All roles, in the order of the enumeration of the dialect.
    pub const ALL: [Self; 5] = [Self::Node, Self::Global, Self::Shared, Self::Cache, Self::Registers];

    /// The name in the IR and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Cache => "cache",
            Self::Registers => "registers",
        }
    }

    /// The role with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// True if a system may have several layers of this role.
    pub fn is_repeatable(self) -> bool {
        matches!(self, Self::Node | Self::Cache)
    }

    /// The nesting depth: roles of a smaller depth are outside of those of a larger one.
    fn depth(self) -> u8 {
        match self {
            Self::Node => 0,
            Self::Global => 1,
            Self::Shared | Self::Cache => 2,
            Self::Registers => 3,
        }
    }
}

impl CoreRole {
    /// All roles, in the order of the enumeration of the dialect.
    pub const ALL: [Self; 7] =
        [Self::Ranks, Self::Devices, Self::Blocks, Self::Warps, Self::Threads, Self::Lanes, Self::Matrix];

    /// The name in the IR and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ranks => "ranks",
            Self::Devices => "devices",
            Self::Blocks => "blocks",
            Self::Warps => "warps",
            Self::Threads => "threads",
            Self::Lanes => "lanes",
            Self::Matrix => "matrix",
        }
    }

    /// The role with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// True if a system may have several layers of this role: only `threads`, for threads of threads, such as those of
    /// one core.
    pub fn is_repeatable(self) -> bool {
        self == Self::Threads
    }

    /// True if a layer of this role must not be outside of one of the role `inner`. Warps, threads and lanes may be
    /// outside or inside of matrix units.
    fn contradicts_outside(self, inner: Self) -> bool {
        let depth = |role: Self| Self::ALL.iter().position(|known| *known == role);
        match (self, inner) {
            (Self::Matrix, _) => depth(inner) <= depth(Self::Blocks),
            (_, Self::Matrix) => false,
            _ => depth(self) > depth(inner),
        }
    }
}

/// The roles of the layers of a system that specifies none: of schedule files of version 1, and of programs of that
/// version.
///
/// The number and the names of the layers determined the meaning of such a system; this is the only place that still
/// depends on them. The roles violate no rule, and schedules keep their behavior:
/// - A system with the name and the layers of a built-in one has its roles.
/// - The innermost memory layer is registers if it is called REG, RM or PM.
/// - Three memory layers, the innermost not called REG, with two or three core layers are a device: global, shared and
///   private memory; blocks, optionally warps, and threads.
/// - Other memory layers are global memory and caches. Other core layers are threads; if there are several, the
///   innermost one is lanes.
pub fn roles_of_version_1<T: AsRef<str>>(name: &str, memory: &[T], cores: &[T]) -> (Vec<MemoryRole>, Vec<CoreRole>) {
    let is_same = |known: &[String], layers: &[T]| known.iter().eq(layers.iter().map(AsRef::as_ref));
    let is_builtin = |known: &System| is_same(&known.memory, memory) && is_same(&known.cores, cores);
    if let Some(known) = System::builtin(name).filter(is_builtin) {
        return (known.memory_roles, known.core_roles);
    }
    let innermost = memory.last().map_or("", AsRef::as_ref);
    let is_device = memory.len() == 3 && matches!(cores.len(), 2 | 3) && innermost != "REG";
    let role = |position: usize| match position {
        0 => MemoryRole::Global,
        _ if position + 1 == memory.len() && ["REG", "RM", "PM"].contains(&innermost) => MemoryRole::Registers,
        1 if is_device => MemoryRole::Shared,
        _ => MemoryRole::Cache,
    };
    let core = |position: usize| match position {
        0 if is_device => CoreRole::Blocks,
        1 if is_device && cores.len() == 3 => CoreRole::Warps,
        _ if !is_device && cores.len() > 1 && position + 1 == cores.len() => CoreRole::Lanes,
        _ => CoreRole::Threads,
    };
    ((0..memory.len()).map(role).collect(), (0..cores.len()).map(core).collect())
}

/// What runs the parts of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runner {
    /// Threads of a processor, or blocks, warps or threads of a kernel.
    Cores(CoreRole),
    /// A sequential loop.
    Loop,
    /// Unrolled code, with a value in registers for each part.
    Unrolled,
    /// The lanes of vectors.
    Lanes,
}

impl Runner {
    /// Threads.
    pub const THREADS: Self = Self::Cores(CoreRole::Threads);
}

impl System {
    /// The execution of the parts of a core layer on a host; `core` counts from the outermost core layer. Schedules of
    /// any system run there:
    ///
    /// | core layer | on a host |
    /// |---|---|
    /// | the outermost one with a role other than `lanes` and `matrix` | threads |
    /// | `lanes` | vectors |
    /// | without `lanes`, the innermost one, if it is `blocks`, `warps` or `threads` and not the first of these rows | vectors |
    /// | any other | in order |
    pub fn on_host(&self, core: usize) -> Runner {
        let roles = &self.core_roles;
        let has_lanes = roles.contains(&CoreRole::Lanes);
        match roles.get(core) {
            _ if self.host_threads() == Some(core) => Runner::THREADS,
            Some(CoreRole::Lanes) => Runner::Lanes,
            Some(CoreRole::Blocks | CoreRole::Warps | CoreRole::Threads) if !has_lanes && core + 1 == roles.len() => {
                Runner::Lanes
            }
            _ => Runner::Loop,
        }
    }

    /// The core layer that is mapped to the threads of a host.
    pub fn host_threads(&self) -> Option<usize> {
        self.core_roles.iter().position(|role| !matches!(role, CoreRole::Lanes | CoreRole::Matrix))
    }

    /// True if kernels can be generated for the system: memory of a device, a block and a thread; blocks, optionally
    /// warps, and threads.
    pub fn is_device(&self) -> bool {
        use {
            CoreRole::{Blocks, Threads, Warps},
            MemoryRole::{Cache, Global, Registers, Shared},
        };
        matches!(self.memory_roles.as_slice(), [Global, Shared, Registers | Cache])
            && matches!(self.core_roles.as_slice(), [Blocks, Threads] | [Blocks, Warps, Threads])
    }

    /// The device memory to which a region is mapped.
    pub fn device_memory(&self, region: &str) -> Memory {
        match self.memory_role(region) {
            Some(MemoryRole::Node | MemoryRole::Global) => Memory::Global,
            Some(MemoryRole::Shared) => Memory::Shared,
            _ => Memory::Private,
        }
    }

    /// True if the threads of a block are grouped into warps, which exchange values by shuffles.
    pub fn has_warps(&self) -> bool {
        self.core_roles.contains(&CoreRole::Warps)
    }

    /// The name of the outermost memory layer, which contains the user's buffers.
    pub fn outermost(&self) -> &str {
        self.memory.first().map_or("", String::as_str)
    }

    /// The name of the outermost memory layer with a role.
    pub fn memory_of(&self, role: MemoryRole) -> Option<&str> {
        let position = self.memory_roles.iter().position(|known| *known == role)?;
        self.memory.get(position).map(String::as_str)
    }

    /// The name of the outermost core layer with a role.
    pub fn core_of(&self, role: CoreRole) -> Option<&str> {
        let position = self.core_roles.iter().position(|known| *known == role)?;
        self.cores.get(position).map(String::as_str)
    }

    /// The role of a memory layer.
    pub fn memory_role(&self, layer: &str) -> Option<MemoryRole> {
        self.memory_roles.get(self.region(layer)?).copied()
    }

    /// For a cache layer: the number of cache layers inside of it; `None` for other layers.
    pub fn cache(&self, layer: &str) -> Option<usize> {
        let position = self.region(layer)?;
        let is_cache = |role: &&MemoryRole| **role == MemoryRole::Cache;
        self.memory_roles.get(position).filter(is_cache)?;
        Some(self.memory_roles[position + 1..].iter().filter(is_cache).count())
    }

    /// The role of a core layer.
    pub fn core_role(&self, layer: &str) -> Option<CoreRole> {
        self.core_roles.get(self.core(layer)?).copied()
    }

    /// The layers with their roles in the syntax of the IR, such as `memory [MM: global] cores [COR: threads]`.
    pub fn layers_text(&self) -> String {
        layers_text(&self.memory, &self.memory_roles, &self.cores, &self.core_roles)
    }

    /// Checks that the roles violate no rule.
    pub fn check_roles(&self) -> Result<(), String> {
        let memory: Vec<_> = self.memory.iter().map(String::as_str).zip(self.memory_roles.iter().copied()).collect();
        let cores: Vec<_> = self.cores.iter().map(String::as_str).zip(self.core_roles.iter().copied()).collect();
        check(&memory, &cores)
    }
}

/// Each layer with its role in the syntax of the IR and of files, such as `MM: global`.
pub fn texts<'a>(names: &[impl AsRef<str>], roles: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    names.iter().zip(roles).map(|(name, role)| format!("{}: {role}", name.as_ref())).collect()
}

/// All layers with their roles in the syntax of the IR, such as `memory [MM: global] cores [COR: threads]`.
pub fn layers_text(
    memory: &[impl AsRef<str>],
    memory_roles: &[MemoryRole],
    cores: &[impl AsRef<str>],
    core_roles: &[CoreRole],
) -> String {
    let memory = texts(memory, memory_roles.iter().map(|role| role.name())).join(", ");
    let cores = texts(cores, core_roles.iter().map(|role| role.name())).join(", ");
    format!("memory [{memory}] cores [{cores}]")
}

/// Checks rules C34 to C36 of `docs/spec.md` on the roles of layers, outermost first; the error describes the first
/// violation.
pub fn check(memory: &[(&str, MemoryRole)], cores: &[(&str, CoreRole)]) -> Result<(), String> {
    if let Some((name, role)) = memory.first().filter(|(_, role)| role.depth() > MemoryRole::Global.depth()) {
        let role = role.name();
        return Err(format!(
            "C34: requires the role node or global of the outermost memory layer, but {name} is {role}"
        ));
    }
    if let Some([outer, inner]) = pair(memory, |outer, inner| outer.depth() > inner.depth()) {
        return Err(format!(
            "C34: requires memory in the order node, global, shared or cache, registers, but {} ({}) is outside of {} ({})",
            outer.0,
            outer.1.name(),
            inner.0,
            inner.1.name()
        ));
    }
    if let Some([outer, inner]) = pair(cores, CoreRole::contradicts_outside) {
        return Err(format!(
            "C35: requires cores in the order ranks, devices, blocks, warps, threads, lanes, and matrix inside of blocks, but {} ({}) is outside of {} ({})",
            outer.0,
            outer.1.name(),
            inner.0,
            inner.1.name()
        ));
    }
    let twice = |outer: &str, inner: &str, role: &str| {
        let required = "at most one layer of each role but node, cache and threads";
        Err(format!("C36: requires {required}, but {outer} and {inner} are both {role}"))
    };
    if let Some([outer, inner]) = pair(memory, |outer, inner| outer == inner && !outer.is_repeatable()) {
        return twice(outer.0, inner.0, outer.1.name());
    }
    match pair(cores, |outer, inner| outer == inner && !outer.is_repeatable()) {
        Some([outer, inner]) => twice(outer.0, inner.0, outer.1.name()),
        None => Ok(()),
    }
}

/// The first two layers, the first outside of the second, whose roles satisfy a relation.
fn pair<'a, 'n, R: Copy>(
    layers: &'a [(&'n str, R)],
    is_related: impl Fn(R, R) -> bool,
) -> Option<[&'a (&'n str, R); 2]> {
    let pairs =
        layers.iter().enumerate().flat_map(|(i, outer)| layers[i + 1..].iter().map(move |inner| [outer, inner]));
    pairs.into_iter().find(|[outer, inner]| is_related(outer.1, inner.1))
}

#[cfg(test)]
mod tests;
