//! The layers of the loops of a script: those that commands name, and memory layers for all other loops.
//!
//! ```text
//! x 16 · k 64 · threads x 8 · k 4   ──▶   rows L2 (x 16, k 64), COR (x 8), L1 (k 4)
//! ```
use super::state::ScriptState;
use mdh_dialects::schedule::{
    model::System,
    roles::{CoreRole, MemoryRole, Runner},
};

/// The layers of a phase: by dimension, then by row, outermost first.
pub struct LayerRows<'a> {
    /// The layer of each level.
    pub layers: Vec<Vec<&'a str>>,
    /// The row of each loop.
    pub rows: Vec<Option<usize>>,
    /// By loop: true if no layer is left for it that is sequential.
    pub is_homeless: Vec<bool>,
}

/// The memory layers of sequential loops, outermost first: all but registers.
pub fn sequential(system: &System) -> Vec<&str> {
    let roles = system.memory.iter().zip(&system.memory_roles);
    roles.filter(|(_, role)| **role != MemoryRole::Registers).map(|(layer, _)| layer.as_str()).collect()
}

/// The layers of a system in the usual order of the loops on them, outermost first.
fn usual_order(system: &System) -> Vec<&str> {
    let memory = |wanted: &[MemoryRole]| -> Vec<&str> {
        let roles = system.memory.iter().zip(&system.memory_roles);
        roles.filter(|(_, role)| wanted.contains(role)).map(|(layer, _)| layer.as_str()).collect()
    };
    let cores = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<&str> {
        system.cores.iter().enumerate().filter(|(core, _)| is_wanted(*core)).map(|(_, layer)| layer.as_str()).collect()
    };
    if system.is_device() {
        let is_blocks = |core: usize| system.core_roles[core] == CoreRole::Blocks;
        let inner = [MemoryRole::Shared, MemoryRole::Cache, MemoryRole::Registers];
        let parts = [cores(&is_blocks), memory(&[MemoryRole::Global]), cores(&|core| !is_blocks(core)), memory(&inner)];
        return parts.concat();
    }
    let of = |kind: Runner| move |core: usize| system.on_host(core) == kind;
    let parts = [
        cores(&of(Runner::THREADS)),
        sequential(system),
        cores(&of(Runner::Loop)),
        memory(&[MemoryRole::Registers]),
        cores(&of(Runner::Lanes)),
    ];
    parts.concat()
}

impl ScriptState {
    /// The layers of the loops of a dimension in a phase, the loop with the largest parts first, and whether each is a
    /// sequential one or one that a command names. Loops without a named layer get memory layers: the innermost loop the
    /// innermost one, but one outside of the named layers of loops inside. If too few are left, the outermost loops get
    /// other layers instead.
    fn assigned<'a>(&'a self, d: usize, phase: usize, system: &'a System) -> Vec<(&'a str, bool)> {
        let named = |l: usize| self.loops[l].layers[phase].as_deref();
        let taken: Vec<_> = self.nested[d].iter().filter_map(|l| named(*l)).collect();
        let is_free = |layer: &&str| !taken.contains(layer);
        let mut memory: Vec<_> = sequential(system).into_iter().filter(is_free).collect();
        let mut others =
            usual_order(system).into_iter().filter(is_free).filter(|layer| !sequential(system).contains(layer));
        let mut inside = system.memory.len();
        let mut layers = vec![];
        for l in self.nested[d].iter().rev() {
            if let Some(layer) = named(*l) {
                inside = system.region(layer).map_or(inside, |region| region.min(inside));
                layers.push((layer, true));
                continue;
            }
            let outside = memory.iter().rposition(|layer| system.region(layer).is_some_and(|region| region < inside));
            match outside.or(memory.len().checked_sub(1)) {
                Some(position) => layers.push((memory.remove(position), true)),
                None => layers.extend(others.next().map(|layer| (layer, false))),
            }
        }
        layers.reverse();
        layers
    }

    /// The rows of the loops, from their layers in the scalar phase, and the layers of all levels in a phase. If the
    /// dimensions agree on an order of the layers, each row has one layer.
    pub fn rows<'a>(&'a self, phase: usize, system: &'a System) -> LayerRows<'a> {
        let usual = usual_order(system);
        let used: Vec<Vec<&str>> = (0..self.rank())
            .map(|d| self.assigned(d, 1, system).into_iter().map(|(layer, _)| layer).collect())
            .collect();
        let common = merged(&usual, &used);
        let mut result = LayerRows {
            layers: vec![],
            rows: vec![None; self.loops.len()],
            is_homeless: vec![false; self.loops.len()],
        };
        for (d, own) in used.iter().enumerate() {
            let order = common.clone().or_else(|| merged(&usual, std::slice::from_ref(own))).unwrap_or(usual.clone());
            let assigned = self.assigned(d, phase, system);
            let mut layers: Vec<Option<&str>> = vec![None; order.len()];
            for ((l, layer), (tag, is_named)) in self.nested[d].iter().zip(own).zip(&assigned) {
                let row = order.iter().position(|other| other == layer);
                result.rows[*l] = row;
                result.is_homeless[*l] = !is_named;
                if let Some(row) = row {
                    layers[row] = Some(tag);
                }
            }
            // Levels with one part keep the layer of their row if it is free.
            let mut free: Vec<_> = order.iter().filter(|layer| !layers.contains(&Some(layer))).copied().collect();
            for (level, layer) in layers.iter_mut().zip(&order) {
                if level.is_none() && free.contains(layer) {
                    free.retain(|other| other != layer);
                    *level = Some(layer);
                }
            }
            let mut free = free.into_iter();
            result.layers.push(layers.into_iter().filter_map(|layer| layer.or_else(|| free.next())).collect());
        }
        result
    }
}

/// An order of all layers that has each of the lists as a subsequence, as close to the usual order as possible; `None`
/// if the lists contradict each other.
fn merged<'a>(usual: &[&'a str], lists: &[Vec<&'a str>]) -> Option<Vec<&'a str>> {
    let mut order: Vec<&str> = vec![];
    while order.len() < usual.len() {
        let is_next = |layer: &&&'a str| {
            let is_open = |other: &&&str| !order.contains(*other);
            let has_outer = |list: &Vec<&str>| {
                let mut open = list.iter().filter(is_open);
                list.contains(*layer) && open.next() != Some(*layer)
            };
            !order.contains(*layer) && !lists.iter().any(has_outer)
        };
        let next = usual.iter().find(is_next)?;
        order.push(next);
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_keep_the_order_of_the_loops() {
        let usual = ["a", "b", "c", "d"];
        assert_eq!(merged(&usual, &[vec!["b", "a"], vec!["a", "c"]]), Some(vec!["b", "a", "c", "d"]));
        assert_eq!(merged(&usual, &[]), Some(usual.to_vec()));
        assert_eq!(merged(&usual, &[vec!["b", "a"], vec!["a", "b"]]), None);
    }

    #[test]
    fn the_usual_order_has_every_layer() {
        for name in mdh_dialects::schedule::systems::BUILTIN {
            let system = System::builtin(name).expect("a system");
            let mut order = usual_order(&system);
            assert_eq!(order.len(), system.layers(), "{name}");
            order.sort_unstable();
            order.dedup();
            assert_eq!(order.len(), system.layers(), "{name}");
        }
        let order = |name: &str| usual_order(&System::builtin(name).expect("a system")).join(" ");
        assert_eq!(order("cuda"), "SMX DM CC SM RM");
        assert_eq!(order("cpu"), "COR MM L3 L2 L1 REG SIMD");
        assert_eq!(order("artificial"), "COR HM L1");
    }
}
