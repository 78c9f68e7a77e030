//! Lossless JSON notation of schedules; `docs/schedules.md` documents it for users.
//!
//! One schedule is an object `{"version": 2, "system": …, "parts": …, "decompose": …, "scalar": …, "recompose": …}`;
//! several are `{"version": 2, "schedules": {"FUNCTION": [schedule or null, …]}}`. Version 1, in which the layers of
//! systems have no roles, can also be read.
pub mod system;

use crate::notation::{
    reader::{Node, Result},
    unique,
};
use mdh_dialects::schedule::{
    model::{ComputeAt, Level, Placement, ScalarPhase, Schedule, Step, System, Tag},
    rules::Shape,
};
use serde_json::{Map, Value, json};

/// The version that is written.
pub const VERSION: u64 = 2;
/// The older version, which can also be read.
const OLD_VERSION: u64 = 1;

/// The contents of a schedule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File<T> {
    /// One schedule, for the only computation of a module.
    One(T),
    /// By function: one schedule for each of its computations, in order; `None` selects the default.
    Several(Vec<(String, Vec<Option<T>>)>),
}

/// Parses a schedule file without its computations; their shapes are needed later to infer the fields that the
/// schedules omit.
pub fn parse_file(text: &str) -> Result<File<Value>> {
    let value = unique::parse("the schedule", text)?;
    let root = Node::root(&value);
    if value.get("schedules").is_none() {
        root.object()?;
        return Ok(File::One(value));
    }
    root.fields(&["version", "schedules", "$schema"])?;
    version(&root, true)?;
    let schedules = root.field("schedules")?;
    let functions = schedules.object()?.keys().map(|function| {
        let list = schedules.field(function)?;
        let entries = list.array()?.into_iter();
        Ok((function.clone(), entries.map(|entry| (!entry.value.is_null()).then(|| entry.value.clone())).collect()))
    });
    Ok(File::Several(functions.collect::<Result<_>>()?))
}

/// Reads one schedule. `resolve` maps a name to its system.
pub fn from_value(value: &Value, shape: &Shape, resolve: &dyn Fn(&str) -> Option<System>) -> Result<Schedule> {
    read(&Node::root(value), shape, resolve, true)
}

/// Reads the text of one schedule. `resolve` maps a name to its system.
pub fn from_text(text: &str, shape: &Shape, resolve: &dyn Fn(&str) -> Option<System>) -> Result<Schedule> {
    let value = unique::parse("the schedule", text)?;
    from_value(&value, shape, resolve)
}

/// One complete schedule as a JSON value.
pub fn to_value(schedule: &Schedule) -> Value {
    let (layers, rank) = (schedule.parts.len(), schedule.parts.first().map_or(0, Vec::len));
    let steps = |steps: &[Step], key: &str| {
        let levels: Vec<_> = steps.iter().map(|step| (step.level, &step.tag)).collect();
        let mut phase = phase(&levels, layers, rank);
        let buffers = steps.first().map_or(0, |step| step.placements.len());
        let by_buffer = (0..buffers).map(|buffer| {
            matrix(layers, rank, |level| {
                let step = steps.iter().find(|step| step.level == level);
                step.and_then(|step| step.placements.get(buffer))
                    .map_or(Value::Null, |placement| json!(placement.to_string()))
            })
        });
        phase.insert(key.to_owned(), by_buffer.collect());
        phase
    };
    let scalar_levels: Vec<_> = schedule.scalar.order.iter().map(|(level, tag)| (*level, tag)).collect();
    let mut scalar = phase(&scalar_levels, layers, rank);
    scalar.insert("reads".to_owned(), schedule.scalar.reads.iter().map(Placement::to_string).collect());
    scalar.insert("writes".to_owned(), schedule.scalar.writes.iter().map(Placement::to_string).collect());
    let mut value = json!({
        "version": VERSION,
        "system": system::to_value(&schedule.system),
        "parts": matrix(layers, rank, |level| match schedule.parts[level.layer][level.dimension] {
            Some(count) => json!(count),
            None => json!("?"),
        }),
        "decompose": steps(&schedule.decompose, "reads"),
        "scalar": scalar,
        "recompose": steps(&schedule.recompose, "writes"),
    });
    if let Some(at) = schedule.at {
        value["at"] = at_to_value(at);
    }
    value
}

/// A position in a consumer, as in a file.
pub fn at_to_value(at: ComputeAt) -> Value {
    let ComputeAt { consumer, level: Level { layer, dimension } } = at;
    json!({"consumer": consumer + 1, "level": [layer + 1, dimension + 1]})
}

/// One complete schedule as the text of a file.
pub fn to_text(schedule: &Schedule) -> String {
    let mut text = String::new();
    write(&to_value(schedule), 0, &mut text);
    text.push('\n');
    text
}

/// Several complete schedules as the text of a file.
pub fn several_to_text(schedules: &[(String, Vec<Option<Schedule>>)]) -> String {
    let functions: Map<String, Value> = schedules
        .iter()
        .map(|(function, list)| {
            (function.clone(), list.iter().map(|s| s.as_ref().map_or(Value::Null, to_value)).collect())
        })
        .collect();
    let mut text = String::new();
    write(&json!({"version": VERSION, "schedules": functions}), 0, &mut text);
    text.push('\n');
    text
}

/// Returns schedules, each with the function of its computation, as the text of a schedule file. A single schedule is
/// written as it is, several are grouped by function.
pub fn file_text<'a>(schedules: impl Iterator<Item = (&'a str, &'a Schedule)>) -> String {
    let mut functions: Vec<(String, Vec<Option<Schedule>>)> = vec![];
    for (function, schedule) in schedules {
        match functions.iter_mut().find(|(name, _)| name == function) {
            Some((_, schedules)) => schedules.push(Some(schedule.clone())),
            None => functions.push((function.to_owned(), vec![Some(schedule.clone())])),
        }
    }
    match functions.as_slice() {
        [(_, schedules)] if schedules.len() == 1 => schedules.iter().flatten().map(to_text).collect(),
        _ => several_to_text(&functions),
    }
}

/// The dimension of a tag: x, y, z, then numbers.
pub fn axis(dimension: usize) -> String {
    ["x", "y", "z"].get(dimension).map_or_else(|| (dimension + 1).to_string(), |&name| name.to_owned())
}

fn matrix(layers: usize, rank: usize, entry: impl Fn(Level) -> Value) -> Value {
    (0..layers).map(|layer| (0..rank).map(|dimension| entry(Level { layer, dimension })).collect::<Value>()).collect()
}

fn phase(steps: &[(Level, &Tag)], layers: usize, rank: usize) -> Map<String, Value> {
    let position = |level: Level| steps.iter().position(|(known, _)| *known == level);
    let order = matrix(layers, rank, |level| position(level).map_or(Value::Null, |p| json!(p + 1)));
    let tags = matrix(layers, rank, |level| {
        position(level).map_or(Value::Null, |p| json!(format!("{},{}", steps[p].1.layer, axis(steps[p].1.dimension))))
    });
    Map::from_iter([("order".to_owned(), order), ("tags".to_owned(), tags)])
}

/// Pretty-prints a value; arrays and objects that fit on a line are printed on one.
fn write(value: &Value, indent: usize, out: &mut String) {
    let flat = inline(value);
    let (open, close, items): (_, _, Vec<(String, &Value)>) = match value {
        Value::Object(map) if indent == 0 || flat.len() + indent > 100 => {
            ('{', '}', map.iter().map(|(key, value)| (format!("{}: ", json!(key)), value)).collect())
        }
        Value::Array(list) if flat.len() + indent > 100 => {
            ('[', ']', list.iter().map(|v| (String::new(), v)).collect())
        }
        _ => return out.push_str(&flat),
    };
    out.push(open);
    for (i, (key, value)) in items.into_iter().enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(indent + 2));
        out.push_str(&key);
        write(value, indent + 2, out);
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push(close);
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let fields: Vec<_> = map.iter().map(|(key, value)| format!("{}: {}", json!(key), inline(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Array(list) => format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", ")),
        _ => value.to_string(),
    }
}

/// The header fields of a schedule, which determine how it is read and are not parameters that a partial schedule
/// overrides.
pub(super) const HEADER: [&str; 3] = ["$schema", "version", "system"];

/// Checks that a schedule has only known fields.
pub(super) fn schedule_fields(root: &Node<'_>) -> Result<()> {
    root.fields(&["version", "system", "parts", "decompose", "scalar", "recompose", "at", "$schema"])
}

/// The version of a schedule or of a file.
pub(super) fn version(root: &Node<'_>, required: bool) -> Result<u64> {
    match root.optional("version") {
        Some(version) => match version.number()? {
            number @ (OLD_VERSION | VERSION) => Ok(number),
            _ => Err(version.error(&format!("version {OLD_VERSION} or {VERSION} is required"))),
        },
        None if required => root.field("version").map(|_| VERSION),
        None => Ok(VERSION),
    }
}

/// Reads a schedule; omitted fields are inferred from the computation, as `docs/schedules.md` describes.
pub(super) fn read(
    root: &Node<'_>,
    shape: &Shape,
    resolve: &dyn Fn(&str) -> Option<System>,
    versioned: bool,
) -> Result<Schedule> {
    schedule_fields(root)?;
    let version = version(root, versioned)?;
    let system = system::read(&root.field("system")?, version, resolve)?;
    let (layers, rank) = (system.layers(), shape.rank());
    let parts = root.field("parts")?.matrix(layers, rank, |entry| match entry.value {
        Value::String(text) if text == "?" => Ok(None),
        _ => entry.number().map(Some).map_err(|_| entry.error("a number of parts or \"?\" is required")),
    })?;
    let row_major: Vec<Vec<usize>> = (0..layers).map(|l| (0..rank).map(|d| l * rank + d).collect()).collect();
    let decompose = root.field("decompose")?;
    decompose.fields(&["order", "tags", "reads"])?;
    let order = read_order(&decompose, layers, rank)?.unwrap_or(row_major);
    let tags = decompose.field("tags")?.matrix(layers, rank, |entry| read_tag(&entry))?;
    let outermost = system.outermost().to_owned();
    let home = |ranks: &[usize]| -> Vec<Placement> {
        ranks.iter().map(|&rank| Placement::new(outermost.clone(), 0..rank)).collect()
    };
    let reads = read_steps(&decompose, "reads", layers, rank, &shape.inputs, &home(&shape.inputs))?;

    let empty = json!({});
    let scalar = root.optional("scalar").unwrap_or(Node::root(&empty));
    scalar.fields(&["order", "tags", "reads", "writes"])?;
    let scalar_order = read_order(&scalar, layers, rank)?.unwrap_or_else(|| order.clone());
    let scalar_tags = read_tags(&scalar, layers, rank)?.unwrap_or_else(|| tags.clone());
    let one = |key: &str, ranks: &[usize]| match scalar.optional(key) {
        Some(list) => list.list(ranks.len(), "a buffer", |entry| read_placement(&entry)),
        None => Ok(home(ranks)),
    };
    let (scalar_reads, scalar_writes) = (one("reads", &shape.inputs)?, one("writes", &shape.outputs)?);

    let recompose = root.optional("recompose").unwrap_or(Node::root(&empty));
    recompose.fields(&["order", "tags", "writes"])?;
    let recompose_order = read_order(&recompose, layers, rank)?.unwrap_or_else(|| order.clone());
    let recompose_tags = read_tags(&recompose, layers, rank)?.unwrap_or_else(|| tags.clone());
    let writes = read_steps(&recompose, "writes", layers, rank, &shape.outputs, &home(&shape.outputs))?;

    let step = |tags: &[Vec<Tag>], placements: &[Vec<Vec<Placement>>], Level { layer, dimension }: Level| Step {
        level: Level { layer, dimension },
        tag: tags[layer][dimension].clone(),
        placements: placements.iter().map(|buffer| buffer[layer][dimension].clone()).collect(),
    };
    Ok(Schedule {
        system,
        parts,
        decompose: sorted(&order).into_iter().map(|level| step(&tags, &reads, level)).collect(),
        scalar: ScalarPhase {
            order: sorted(&scalar_order)
                .into_iter()
                .map(|level| (level, scalar_tags[level.layer][level.dimension].clone()))
                .collect(),
            reads: scalar_reads,
            writes: scalar_writes,
        },
        recompose: sorted(&recompose_order).into_iter().map(|level| step(&recompose_tags, &writes, level)).collect(),
        at: root.optional("at").map(|at| read_at(&at)).transpose()?,
    })
}

/// The position in a consumer.
pub fn read_at(node: &Node<'_>) -> Result<ComputeAt> {
    node.fields(&["consumer", "level"])?;
    let position = |entry: Node<'_>| {
        let number = entry.number().ok().and_then(|number| u32::try_from(number).ok()?.checked_sub(1));
        let number = number.map(|number| number as usize);
        number.ok_or_else(|| entry.error("a number from 1 to 2^32 - 1 is required"))
    };
    let consumer = position(node.field("consumer")?)?;
    let level = node.field("level")?.list(2, "the layer and the dimension", position)?;
    Ok(ComputeAt { consumer, level: Level { layer: level[0], dimension: level[1] } })
}

/// The levels in the order of their positions in an order matrix.
fn sorted(order: &[Vec<usize>]) -> Vec<Level> {
    let mut levels: Vec<_> = order
        .iter()
        .enumerate()
        .flat_map(|(layer, row)| row.iter().enumerate().map(move |(dimension, &p)| (p, Level { layer, dimension })))
        .collect();
    levels.sort();
    levels.into_iter().map(|(_, level)| level).collect()
}

/// The order matrix with positions counted from 0; `None` if omitted.
fn read_order(node: &Node<'_>, layers: usize, rank: usize) -> Result<Option<Vec<Vec<usize>>>> {
    let Some(order) = node.optional("order") else { return Ok(None) };
    let count = layers * rank;
    let mut seen = vec![false; count];
    let matrix = order.matrix(layers, rank, |entry| {
        let position = entry.number().ok().filter(|&p| 1 <= p && p <= count as u64);
        let Some(position) = position else {
            return Err(entry.error(&format!("a position from 1 to {count} is required")));
        };
        let position = position as usize - 1;
        if std::mem::replace(&mut seen[position], true) {
            return Err(entry.error("a position that occurs only once is required"));
        }
        Ok(position)
    })?;
    Ok(Some(matrix))
}

fn read_tags(node: &Node<'_>, layers: usize, rank: usize) -> Result<Option<Vec<Vec<Tag>>>> {
    node.optional("tags").map(|tags| tags.matrix(layers, rank, |entry| read_tag(&entry))).transpose()
}

fn read_tag(entry: &Node<'_>) -> Result<Tag> {
    let required = || entry.error("a layer of the system and a dimension are required, such as \"COR,x\"");
    let (layer, axis) = entry.string().ok().and_then(|text| text.rsplit_once(',')).ok_or_else(required)?;
    let dimension = match axis.trim() {
        "x" => 1,
        "y" => 2,
        "z" => 3,
        number => number.parse::<u32>().ok().filter(|&d| d >= 1).ok_or_else(required)? as usize,
    };
    Ok(Tag { layer: layer.trim().to_owned(), dimension: dimension - 1 })
}

fn read_placement(entry: &Node<'_>) -> Result<Placement> {
    let required = || entry.error("a memory region and a layout are required, such as \"HM[1, 2]\"");
    let placement = entry.string().ok().and_then(placement_from_text).ok_or_else(required)?;
    if placement.pad > Placement::MAX_PAD {
        return Err(entry.error(&format!("a pad of 1 to {} elements is required", Placement::MAX_PAD)));
    }
    if placement.buffers > Placement::MAX_BUFFERS {
        return Err(entry.error("1 or 2 buffers are required"));
    }
    Ok(placement)
}

/// Parses a placement such as `HM[1, 2]` or `SM[2, 1] pad 1 buffers 2`; all numbers must be positive.
pub(super) fn placement_from_text(text: &str) -> Option<Placement> {
    let (front, suffixes) = text.rsplit_once(']')?;
    let (region, layout) = front.rsplit_once('[')?;
    let numbers = layout.split(',').map(str::trim).filter(|_| !layout.trim().is_empty());
    let position = |number: &str| Some(number.parse::<u32>().ok()?.checked_sub(1)? as usize);
    let layout = numbers.map(position).collect::<Option<Vec<_>>>()?;
    let mut placement = Placement::new(region.trim(), layout);
    let words: Vec<_> = suffixes.split_whitespace().collect();
    let number = |text: &str| text.parse::<u64>().ok().filter(|&number| number > 0);
    let rest = match words.as_slice() {
        ["pad", pad, rest @ ..] => {
            placement.pad = number(pad)?;
            rest
        }
        rest => rest,
    };
    match rest {
        [] => {}
        ["buffers", buffers] => placement.buffers = number(buffers)?,
        _ => return None,
    }
    Some(placement)
}

/// Placements by buffer, layer, dimension; `home` has the default placement of each buffer.
fn read_steps(
    node: &Node<'_>,
    key: &str,
    layers: usize,
    rank: usize,
    ranks: &[usize],
    home: &[Placement],
) -> Result<Vec<Vec<Vec<Placement>>>> {
    match node.optional(key) {
        Some(list) => {
            list.list(ranks.len(), "a buffer", |buffer| buffer.matrix(layers, rank, |entry| read_placement(&entry)))
        }
        None => Ok(home.iter().map(|placement| vec![vec![placement.clone(); rank]; layers]).collect()),
    }
}
