//! Test cases: a program with its arguments, a schedule, a number of threads, and options; generated from a seed, or
//! read from a file.
use crate::fuzz::{generate, options::Options, program::Program, text::FUNCTION};
use anyhow::{Context as _, Result, anyhow, bail};
use mdh_dialects::schedule::{
    model::{Schedule, System},
    roles::roles_of_version_1,
    rules::{self, Shape},
    systems::BUILTIN,
};
use mdh_passes::{
    notation::json,
    plan::check,
    schedule::random::{Random, random_schedule},
    target::{KernelFlavour, Target},
    tune::space::{ScheduleSpace, SpaceBounds},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::str::FromStr;

/// The systems of devices.
const DEVICES: [&str; 3] = ["opencl", "cuda", "cuda_wrp"];
/// Number of schedules to draw in search of one that fits the device.
const TRIES: usize = 200;
/// Maximum product of the other part counts of a dimension with `?`: more parts only take longer.
pub const MAX_PARTS: u64 = 20;
/// Maximum number of changes of a schedule.
const MAX_MOVES: usize = 8;
/// With drawn options, one in this many cases uses the default schedule.
const DEFAULTS: usize = 5;

/// A random system that is not a built-in one.
fn own_system(random: &mut Random) -> System {
    let (memory, cores) = (1 + random.below(4), random.below(4));
    let name = |prefix: &str, count: usize| (0..count).map(|i| format!("{prefix}{i}")).collect();
    let (memory_names, core_names): (Vec<String>, Vec<String>) = (name("M", memory), name("C", cores));
    let (memory_roles, core_roles) = roles_of_version_1("own", &memory_names, &core_names);
    System {
        name: "own".into(),
        memory: memory_names,
        memory_roles,
        cores: core_names,
        core_roles,
        combine: (0..cores).map(|_| random.below(memory)).collect(),
        limit: (0..cores).map(|_| Some(1 + random.below(32) as u64).filter(|_| random.once_in(3))).collect(),
    }
}

/// The engine of cases that do not run on the processor: a target with kernels, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Engine(pub &'static Target);

impl From<Engine> for String {
    fn from(engine: Engine) -> Self {
        engine.0.name.to_owned()
    }
}

impl TryFrom<String> for Engine {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        KernelFlavour::named(&name).and_then(|_| Target::named(&name)).map(Self)
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::try_from(name.to_owned())
    }
}

/// A random schedule: one of all legal ones with the same probability, which hardly ever has equal orders or few loops; one
/// of those that [`random_schedule`] prefers; or one a few changes away from one of these.
fn drawn(shape: &Shape, system: &System, random: &mut Random) -> Schedule {
    let first = random_schedule(shape, system, random);
    let way = random.below(4);
    // Counting with limits takes long, and is not required for samples.
    let bounds = SpaceBounds { products: vec![Some(MAX_PARTS); shape.rank()], limit_work: 0, ..SpaceBounds::default() };
    let Some(space) = (way < 2).then(|| ScheduleSpace::within(shape, system, &bounds).ok()).flatten() else {
        return first;
    };
    if way == 0 && !system.is_device() {
        return space.sample(random).unwrap_or(first);
    }
    let changes = 1 + random.below(MAX_MOVES);
    space.walk(first, changes, random)
}

/// A test case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// The schedule; `None` for the default one of the system `cpu`.
    pub schedule: Option<Schedule>,
    /// The number of threads.
    pub threads: usize,
    /// The device that it runs on; `None` for the processor.
    pub device: Option<Engine>,
    /// The options of the compiler.
    pub options: Options,
}

impl Case {
    /// The case of a seed, for the processor or for a device; the same for all devices. If `varies`, options are drawn,
    /// and some schedules are left to the compiler; program, schedule and threads are otherwise the same.
    pub fn from_seed(seed: u64, device: Option<Engine>, varies: bool) -> Self {
        let mut random = Random::new(seed);
        let mut case = Self::with_default_options(&mut random, device);
        if varies {
            case.options = Options::drawn(&mut random, device.is_some());
            case.schedule = case.schedule.filter(|_| !random.once_in(DEFAULTS));
        }
        case
    }

    fn with_default_options(random: &mut Random, device: Option<Engine>) -> Self {
        let options = Options::default();
        let program = generate::program(random);
        if device.is_some() {
            let name = DEVICES[random.below(DEVICES.len())];
            let system = System::builtin(name).filter(|_| !random.once_in(20));
            let shape = program.shape();
            let schedule = system.and_then(|system| {
                let mut drawn = (0..TRIES).map(|_| drawn(&shape, &system, random));
                drawn.find(|schedule| check::schedule(schedule).is_ok())
            });
            return Self { program, schedule, threads: 1, device, options };
        }
        let builtin = System::builtin(BUILTIN[random.below(BUILTIN.len())]);
        let system = if random.once_in(6) { Some(own_system(random)) } else { builtin };
        let system = system.filter(|_| !random.once_in(20));
        let schedule = system.map(|system| drawn(&program.shape(), &system, random));
        Self { program, schedule, threads: 1 + random.below(3), device, options }
    }

    /// The target that runs its loops.
    pub fn target(&self) -> &'static Target {
        self.device.map(|engine| engine.0).unwrap_or_default()
    }

    /// The text of the schedule file.
    pub fn schedule_text(&self) -> Option<String> {
        let schedule = self.schedule.as_ref()?;
        if self.program.producers.is_empty() {
            return Some(json::to_text(schedule));
        }
        let mut list = vec![None; self.program.producers.len()];
        list.push(Some(schedule.clone()));
        Some(json::several_to_text(&[(FUNCTION.to_owned(), list)]))
    }

    /// The case as JSON.
    pub fn to_value(&self) -> Result<Value> {
        Ok(json!({
            "program": serde_json::to_value(&self.program)?,
            "schedule": self.schedule.as_ref().map(json::to_value),
            "threads": self.threads,
            "device": self.device,
            "options": self.options,
        }))
    }

    /// Reads a case from JSON.
    pub fn from_value(value: &Value) -> Result<Self> {
        let field = |name: &str| value.get(name).with_context(|| format!("the case has no {name}"));
        let program: Program = serde_json::from_value(field("program")?.clone()).context("the program of the case")?;
        let schedule = match field("schedule")? {
            Value::Null => None,
            schedule => Some(
                json::from_value(schedule, &program.shape(), &System::builtin).map_err(|error| anyhow!("{error}"))?,
            ),
        };
        let threads = field("threads")?.as_u64().context("the threads of the case")?;
        let device = serde_json::from_value(field("device")?.clone()).context("the device of the case")?;
        let options = serde_json::from_value(field("options")?.clone()).context("the options of the case")?;
        Ok(Self { program, schedule, threads: threads as usize, device, options })
    }

    /// Checks that the schedule is legal, and that it survives a round trip through its file format.
    pub fn check_schedule(&self) -> Result<()> {
        let Some(schedule) = &self.schedule else { return Ok(()) };
        let shape = self.program.shape();
        rules::check(schedule, &shape)
            .map_err(|violations| anyhow!("an illegal schedule: {}", violations.join("; ")))?;
        let read = json::from_text(&json::to_text(schedule), &shape, &System::builtin);
        let read = read.map_err(|error| anyhow!("a schedule that is not read back: {error}"))?;
        if read != *schedule {
            bail!("a schedule that is read back as another one");
        }
        Ok(())
    }
}
