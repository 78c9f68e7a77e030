//! Systems in schedule files: a name, or an object with the layers and their roles.
use crate::notation::json::{Node, OLD_VERSION, Result, System};
use mdh_dialects::schedule::{
    roles::{CoreRole, MemoryRole, roles_of_version_1, texts},
    systems::BUILTIN,
};
use serde_json::{Value, json};

/// The name of a built-in system, or an object for any other one.
pub(super) fn to_value(system: &System) -> Value {
    if System::builtin(&system.name).as_ref() == Some(system) {
        return json!(system.name);
    }
    let memory = texts(&system.memory, system.memory_roles.iter().map(|role| role.name()));
    let cores = texts(&system.cores, system.core_roles.iter().map(|role| role.name()));
    let combine: Vec<_> = system.combine.iter().map(|&region| &system.memory[region]).collect();
    json!({"name": system.name, "memory": memory, "cores": cores, "combine": combine, "limit": system.limit})
}

/// Reads a system. `resolve` maps a name to its system.
pub fn read(node: &Node<'_>, version: u64, resolve: &dyn Fn(&str) -> Option<System>) -> Result<System> {
    if let Value::String(name) = node.value {
        return resolve(name).ok_or_else(|| {
            node.error(&format!("the name of a system is required, one of the module or {}", BUILTIN.join(", ")))
        });
    }
    node.fields(&["name", "memory", "cores", "combine", "limit"])?;
    let (memory, memory_roles) =
        read_layers(&node.field("memory")?, MemoryRole::named, &MemoryRole::ALL.map(MemoryRole::name))?;
    let (cores, core_roles) = read_layers(&node.field("cores")?, CoreRole::named, &CoreRole::ALL.map(CoreRole::name))?;
    if memory.is_empty() {
        return Err(node.field("memory")?.error("at least one memory layer is required"));
    }
    if memory.iter().chain(&cores).any(|layer| layer.is_empty()) {
        return Err(node.error("layers with a name are required"));
    }
    let mut names: Vec<_> = memory.iter().chain(&cores).collect();
    names.sort();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(node.error(&format!("layers with different names are required, not {} twice", twice[0])));
    }
    let name = node.field("name")?.string()?;
    let has_none = memory_roles.is_empty() && core_roles.is_empty();
    let (memory_roles, core_roles) = match version {
        OLD_VERSION if has_none => roles_of_version_1(name, &memory, &cores),
        _ if memory_roles.len() == memory.len() && core_roles.len() == cores.len() => (memory_roles, core_roles),
        _ => return Err(node.error("a role of each layer is required, such as \"DM: global\" and \"COR: threads\"")),
    };
    let combine = match node.optional("combine") {
        Some(list) => list.list(cores.len(), "a core layer", |entry| {
            let region = entry.string()?;
            memory
                .iter()
                .position(|layer| *layer == region)
                .ok_or_else(|| entry.error(&format!("a memory layer is required, one of {}", memory.join(", "))))
        })?,
        None => vec![0; cores.len()],
    };
    let limit = match node.optional("limit") {
        Some(list) => list.list(cores.len(), "a core layer", |entry| {
            if entry.value.is_null() {
                return Ok(None);
            }
            let positive = entry.number().ok().filter(|&limit| (1..=i64::MAX as u64).contains(&limit));
            positive.map(Some).ok_or_else(|| entry.error("a positive number or null is required"))
        })?,
        None => vec![None; cores.len()],
    };
    let owned = |layers: Vec<&str>| layers.into_iter().map(str::to_owned).collect();
    let (memory, cores) = (owned(memory), owned(cores));
    let system = System { name: name.to_owned(), memory, memory_roles, cores, core_roles, combine, limit };
    system.check_roles().map_err(|problem| node.problem(&problem))?;
    Ok(system)
}

/// The names of layers, and the roles of those that have one.
fn read_layers<'a, R>(
    node: &Node<'a>,
    named: impl Fn(&str) -> Option<R>,
    known: &[&str],
) -> Result<(Vec<&'a str>, Vec<R>)> {
    let (mut names, mut roles) = (vec![], vec![]);
    for entry in node.array()? {
        let text = entry.string()?;
        let (name, role) = text.split_once(':').map_or((text, None), |(name, role)| (name, Some(role)));
        names.push(name.trim());
        if let Some(role) = role {
            let error = || entry.error(&format!("a role is required after the name, one of {}", known.join(", ")));
            roles.push(named(role.trim()).ok_or_else(error)?);
        }
    }
    Ok((names, roles))
}

/// The warning for a schedule that declares a system without roles.
pub fn warning(schedule: &Value, system: &System) -> Option<String> {
    let declared = schedule.get("system").filter(|declared| declared.is_object())?;
    let has_roles = |layers: &Value| layers.to_string().contains(':');
    let has_none = ["memory", "cores"].iter().all(|key| !declared.get(key).is_some_and(has_roles));
    has_none.then(|| format!("the layers of @{} have no roles: they are {}", system.name, system.layers_text()))
}
