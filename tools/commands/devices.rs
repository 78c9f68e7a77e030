//! `mdh devices`: lists the devices that kernels can run on, and their limits.
use super::failure;
use anyhow::{Result, bail};
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use comfy_table::{Table, presets::UTF8_BORDERS_ONLY};
use mdh_runtime::{Api, Device, Error};
use serde_json::{Map, Value, json};
use std::io::Write;

/// List the CUDA and OpenCL devices that kernels can run on, with their limits
///
/// A device is named by its API and its index there, such as 'opencl 0'. If no option selects a device, the environment
/// variable MDH_DEVICE does, an index or a part of a name; without it, the first GPU is used, else the first device.
/// MDH_OPENCL_LIBRARY is the path of OpenCL's ICD loader if it is not in the library search path, and OCL_ICD_VENDORS
/// tells the loader where drivers are.
#[derive(Args, Clone, Debug)]
pub struct Devices {
    /// List only the devices of one API
    #[arg(long, value_name = "ENGINE", value_parser = apis())]
    engine: Option<Api>,
    /// Print JSON: exact numbers, in bytes and MHz
    #[arg(long)]
    json: bool,
}

/// A parser of API names.
fn apis() -> impl TypedValueParser<Value = Api> {
    let value = |api: Api| PossibleValue::new(api.name()).help(api.driver());
    PossibleValuesParser::new(Api::ALL.map(value)).try_map(|name| Api::named(&name).ok_or("no such API"))
}

impl Devices {
    /// Runs the command.
    pub fn run(&self) -> Result<u8> {
        let apis = self.engine.map_or(Api::ALL.to_vec(), |api| vec![api]);
        let (mut devices, mut missing) = (vec![], vec![]);
        for api in apis {
            match mdh_runtime::devices(api) {
                Ok(found) => devices.extend(found),
                Err(Error::NoDevice(sentence)) => missing.push((api, sentence)),
                Err(Error::Failed(problem)) => bail!(problem),
            }
        }
        if self.json {
            let missing: Map<_, _> =
                missing.into_iter().map(|(api, sentence)| (api.name().to_owned(), sentence.into())).collect();
            let list: Vec<_> = devices.iter().map(value).collect();
            failure::print(&format!("{:#}\n", json!({ "devices": list, "missing": missing })))?;
        } else {
            if !devices.is_empty() {
                failure::print(&format!("{}\n", table(&devices)))?;
            }
            let kind = if devices.is_empty() { "error" } else { "note" };
            for (_, sentence) in missing {
                let _ = writeln!(std::io::stderr(), "{kind}: {sentence}");
            }
        }
        Ok(if devices.is_empty() { failure::NO_DEVICE } else { failure::DONE })
    }
}

fn value(device: &Device) -> Value {
    json!({
        "api": device.api.name(),
        "index": device.index,
        "name": device.name,
        "vendor": device.vendor,
        "driver": device.version,
        "is_gpu": device.is_gpu,
        "compute_units": device.compute_units,
        "max_threads_per_block": device.most_threads,
        "max_block": device.most_block,
        "max_grid": device.most_grid,
        "shared_bytes_per_block": device.shared_bytes,
        "memory_bytes": device.memory_bytes,
        "max_allocation_bytes": device.most_allocation_bytes,
        "warp_sizes": device.warp,
        "registers_per_block": device.registers,
        "has_f64": device.has_f64,
        "has_f16": device.has_f16,
        "has_subgroup_shuffles": device.has_subgroup_shuffles,
        "clock_mhz": device.clock_mhz,
        "compute_capability": device.capability.map(|(major, minor)| format!("{major}.{minor}")),
    })
}

/// One column per device, one row per limit.
fn table(devices: &[Device]) -> Table {
    let sizes = |sizes: [u64; 3]| sizes.map(|size| size.to_string()).join(" x ");
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let list = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    type Row<'a> = (&'a str, Box<dyn Fn(&Device) -> String + 'a>);
    let rows: Vec<Row<'_>> = vec![
        ("name", Box::new(|device| device.name.clone())),
        ("vendor", Box::new(|device| device.vendor.clone())),
        ("driver", Box::new(|device| device.version.clone())),
        ("GPU", Box::new(|device| yes(device.is_gpu))),
        ("compute capability", Box::new(|device| or_none(device.capability.map(|(a, b)| format!("{a}.{b}"))))),
        ("compute units", Box::new(|device| device.compute_units.to_string())),
        ("threads of a block", Box::new(|device| device.most_threads.to_string())),
        ("block", Box::new(|device| sizes(device.most_block))),
        // No launch exceeds 32 bits; OpenCL limits only the product of grid and block size.
        (
            "grid",
            Box::new(|device| match device.most_grid.iter().all(|size| *size > u64::from(u32::MAX)) {
                true => "any".to_owned(),
                false => sizes(device.most_grid),
            }),
        ),
        ("shared memory of a block", Box::new(|device| bytes(device.shared_bytes))),
        ("memory", Box::new(|device| bytes(device.memory_bytes))),
        ("largest buffer", Box::new(|device| bytes(device.most_allocation_bytes))),
        ("threads of a warp", Box::new(|device| or_none(Some(list(&device.warp)).filter(|text| !text.is_empty())))),
        ("registers of a block", Box::new(|device| or_none(device.registers.map(|count| count.to_string())))),
        ("f64", Box::new(|device| yes(device.has_f64))),
        ("f16", Box::new(|device| yes(device.has_f16))),
        ("shuffles in a warp", Box::new(|device| yes(device.has_subgroup_shuffles))),
        (
            "clock",
            Box::new(|device| {
                or_none(Some(device.clock_mhz).filter(|rate| *rate > 0).map(|rate| format!("{rate} MHz")))
            }),
        ),
    ];
    let names = devices.iter().map(|device| format!("{} {}", device.api.name(), device.index));
    let mut table = Table::new();
    table.load_preset(UTF8_BORDERS_ONLY).set_header([String::new()].into_iter().chain(names));
    for (title, cell) in rows {
        table.add_row([title.to_owned()].into_iter().chain(devices.iter().map(cell)));
    }
    table
}

/// Formats a size in the largest unit of which there is at least one.
fn bytes(count: u64) -> String {
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, unit)| count >= *unit) {
        Some((name, unit)) if count.is_multiple_of(unit) => format!("{} {name}", count / unit),
        Some((name, unit)) => format!("{:.1} {name}", count as f64 / unit as f64),
        None => format!("{count} B"),
    }
}
