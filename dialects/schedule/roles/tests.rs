//! The roles of systems without roles, how systems run on a host and on devices, and contradictions of roles.
use super::{CoreRole::*, MemoryRole::*, *};
use crate::schedule::systems::BUILTIN;

/// A system with these layers, which are named after their roles.
fn system(memory: &[MemoryRole], cores: &[CoreRole]) -> System {
    System {
        name: "own".to_owned(),
        memory: memory.iter().enumerate().map(|(i, role)| format!("{}{i}", role.name())).collect(),
        memory_roles: memory.to_vec(),
        cores: cores.iter().enumerate().map(|(i, role)| format!("{}{i}", role.name())).collect(),
        core_roles: cores.to_vec(),
        combine: vec![0; cores.len()],
        limit: vec![None; cores.len()],
    }
}

/// The execution of the core layers on a host.
fn on_host(cores: &[CoreRole]) -> Vec<Runner> {
    let system = system(&[Global], cores);
    (0..cores.len()).map(|core| system.on_host(core)).collect()
}

#[test]
fn names_are_those_of_roles() {
    for role in MemoryRole::ALL {
        assert_eq!(MemoryRole::named(role.name()), Some(role));
        assert_eq!(MemoryRole::ALL[role as usize], role);
    }
    for role in CoreRole::ALL {
        assert_eq!(CoreRole::named(role.name()), Some(role));
        assert_eq!(CoreRole::ALL[role as usize], role);
    }
    assert_eq!(MemoryRole::named("threads"), None);
}

#[test]
fn every_system_runs_on_a_host() {
    const WORKERS: Runner = Runner::THREADS;
    const VECTORS: Runner = Runner::Lanes;
    const IN_ORDER: Runner = Runner::Loop;
    for (cores, expected) in [
        (vec![], vec![]),
        (vec![Threads], vec![WORKERS]),
        (vec![Threads, Lanes], vec![WORKERS, VECTORS]),
        (vec![Threads, Threads, Lanes], vec![WORKERS, IN_ORDER, VECTORS]),
        // Without lanes, the innermost layer is mapped to the lanes of a host.
        (vec![Blocks, Threads], vec![WORKERS, VECTORS]),
        (vec![Blocks, Warps, Threads], vec![WORKERS, IN_ORDER, VECTORS]),
        (vec![Devices, Blocks, Threads], vec![WORKERS, IN_ORDER, VECTORS]),
        (vec![Ranks, Devices, Blocks, Threads], vec![WORKERS, IN_ORDER, IN_ORDER, VECTORS]),
        // Devices and matrix units run sequentially.
        (vec![Ranks, Devices], vec![WORKERS, IN_ORDER]),
        (vec![Threads, Matrix], vec![WORKERS, IN_ORDER]),
        (vec![Threads, Matrix, Lanes], vec![WORKERS, IN_ORDER, VECTORS]),
        (vec![Matrix, Threads, Lanes], vec![IN_ORDER, WORKERS, VECTORS]),
        (vec![Lanes], vec![VECTORS]),
    ] {
        assert_eq!(on_host(&cores), expected, "{cores:?}");
    }
}

#[test]
fn devices_have_blocks_and_threads() {
    for name in BUILTIN {
        let system = System::builtin(name).expect("a built-in system");
        assert_eq!(system.is_device(), ["cuda", "cuda_wrp", "opencl"].contains(&name), "{name}");
        assert_eq!(system.has_warps(), name == "cuda_wrp", "{name}");
        let in_order = (0..system.cores.len()).filter(|&core| system.on_host(core) == Runner::Loop).count();
        assert_eq!(in_order, system.cores.len().saturating_sub(2), "{name}");
    }
    assert!(system(&[Global, Shared, Cache], &[Blocks, Threads]).is_device());
    assert!(!system(&[Global, Cache, Registers], &[Blocks, Threads]).is_device());
    assert!(!system(&[Global, Shared, Registers], &[Threads, Lanes]).is_device());
    let cuda = System::builtin("cuda").expect("a built-in system");
    let memory = ["DM", "SM", "RM"].map(|region| cuda.device_memory(region));
    assert_eq!(memory, [Memory::Global, Memory::Shared, Memory::Private]);
}

#[test]
fn caches_count_from_inside() {
    let cpu = System::builtin("cpu").expect("a built-in system");
    assert_eq!(["MM", "L3", "L2", "L1", "REG"].map(|layer| cpu.cache(layer)), [None, Some(2), Some(1), Some(0), None]);
}

#[test]
fn systems_of_version_1_keep_their_meaning() {
    let texts = |name: &str, memory: &[&str], cores: &[&str]| {
        let (memory_roles, core_roles) = roles_of_version_1(name, memory, cores);
        layers_text(memory, &memory_roles, cores, &core_roles)
    };
    for (memory, cores, expected) in [
        (&["HM", "L1"][..], &["COR"][..], "memory [HM: global, L1: cache] cores [COR: threads]"),
        (
            &["MM", "L1", "REG"],
            &["COR", "SIMD"],
            "memory [MM: global, L1: cache, REG: registers] cores [COR: threads, SIMD: lanes]",
        ),
        (
            &["DM", "SM", "RM"],
            &["A", "B"],
            "memory [DM: global, SM: shared, RM: registers] cores [A: blocks, B: threads]",
        ),
        (
            &["A", "B", "C"],
            &["D", "E", "F"],
            "memory [A: global, B: shared, C: cache] cores [D: blocks, E: warps, F: threads]",
        ),
        (
            &["A", "RM", "C", "D"],
            &["E", "F", "G"],
            "memory [A: global, RM: cache, C: cache, D: cache] cores [E: threads, F: threads, G: lanes]",
        ),
        (&["REG"], &[], "memory [REG: global] cores []"),
    ] {
        assert_eq!(texts("own", memory, cores), expected);
    }
    for name in BUILTIN {
        let System { memory, memory_roles, cores, core_roles, .. } = System::builtin(name).expect("a built-in system");
        assert_eq!(roles_of_version_1(name, &memory, &cores), (memory_roles, core_roles), "{name}");
    }
}

/// For any names and any number of layers, a formerly legal system gets roles that violate no rule.
#[test]
fn roles_of_version_1_contradict_no_rule() {
    let names = ["A", "REG", "RM", "L1", "B", "C"];
    for first in 0..names.len() {
        for memory in 1..=names.len() - first {
            for cores in 0..5 {
                let memory = &names[first..first + memory];
                let cores = &["U", "V", "W", "X", "Y"][..cores];
                let (memory_roles, core_roles) = roles_of_version_1("own", memory, cores);
                let memory: Vec<_> = memory.iter().copied().zip(memory_roles).collect();
                let cores: Vec<_> = cores.iter().copied().zip(core_roles).collect();
                assert_eq!(check(&memory, &cores), Ok(()), "{memory:?} {cores:?}");
            }
        }
    }
}

#[test]
fn c34_to_c36_contradictions_are_errors() {
    for (memory, cores, error) in [
        (
            vec![Cache],
            vec![],
            "C34: requires the role node or global of the outermost memory layer, but cache0 is cache",
        ),
        (
            vec![Global, Registers, Cache],
            vec![],
            "C34: requires memory in the order node, global, shared or cache, registers, but registers1 (registers) is outside of cache2 (cache)",
        ),
        (
            vec![Global, Node],
            vec![],
            "C34: requires memory in the order node, global, shared or cache, registers, but global0 (global) is outside of node1 (node)",
        ),
        (
            vec![Global],
            vec![Lanes, Threads],
            "C35: requires cores in the order ranks, devices, blocks, warps, threads, lanes, and matrix inside of blocks, but lanes0 (lanes) is outside of threads1 (threads)",
        ),
        (
            vec![Global],
            vec![Matrix, Blocks],
            "C35: requires cores in the order ranks, devices, blocks, warps, threads, lanes, and matrix inside of blocks, but matrix0 (matrix) is outside of blocks1 (blocks)",
        ),
        (
            vec![Global, Shared, Cache, Shared],
            vec![],
            "C36: requires at most one layer of each role but node, cache and threads, but shared1 and shared3 are both shared",
        ),
        (
            vec![Global],
            vec![Threads, Lanes, Lanes],
            "C36: requires at most one layer of each role but node, cache and threads, but lanes1 and lanes2 are both lanes",
        ),
    ] {
        assert_eq!(system(&memory, &cores).check_roles(), Err(error.to_owned()));
    }
    let legal = system(
        &[Node, Node, Global, Shared, Cache, Cache, Registers],
        &[Blocks, Warps, Matrix, Threads, Threads, Lanes],
    );
    assert_eq!(legal.check_roles(), Ok(()));
}
