//! Objects with a version of each function for several levels of the x86-64 architecture.
//!
//! ```text
//! NAME  ──load, jump──▶  mdh.NAME.choose, at the first call: mdh_level (level.c) ──▶ mdh.NAME.chosen
//!                        NAME.x86-64-v3, afterwards
//! ```
use super::{CHECKED_PREFIX, global};
use crate::{llvm, target::host::Processor};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use inkwell::module::{Linkage, Module};
use std::fmt::Write;

/// The levels, by LLVM's names of their processors, the least first.
const LEVELS: [&str; 4] = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"];

/// The levels that are listed as processors, separated by commas, the least first; `None` for a single processor.
pub fn listed(processors: &str) -> Result<Option<Vec<&'static str>>> {
    if !processors.contains(',') {
        return Ok(None);
    }
    let named: Vec<_> = processors.split(',').collect();
    for name in &named {
        if !LEVELS.contains(name) {
            bail!("several processors require levels of x86-64 ({}), but got '{name}'", LEVELS.join(", "));
        }
        let count = named.iter().filter(|other| *other == name).count();
        ensure!(count == 1, "several processors require different ones, but got '{name}' {count} times");
    }
    Ok(Some(LEVELS.into_iter().filter(|level| named.contains(level)).collect()))
}

/// Joins the optimized versions of a module, one for each level, the least first. The exported functions call the version
/// for the highest level that the computer has, or the least one. `least`: the processor of the first version.
pub fn join<'l>(versions: Vec<(&'static str, Module<'l>)>, least: &Processor) -> Result<Module<'l>> {
    let mut functions = vec![];
    let mut joined: Option<Module<'l>> = None;
    for (level, version) in versions {
        let names = separate(&version, level, joined.is_none());
        functions.push((level, names));
        match &joined {
            None => joined = Some(version),
            Some(joined) => {
                joined.link_in_module(version).map_err(|error| anyhow!("the version for {level}: {error}"))?
            }
        }
    }
    let joined = joined.context("no version")?;
    let mut text = include_str!(concat!(env!("OUT_DIR"), "/level.ll")).to_owned();
    let count = functions.first().map_or(0, |(_, names)| names.len());
    for i in 0..count {
        let versions: Vec<_> = functions.iter().map(|(level, names)| (*level, names[i].1.as_str())).collect();
        dispatch(&mut text, &functions[0].1[i].0, &versions);
    }
    let dispatcher = llvm::parse(&text, joined.get_context()).context("the choice of a version")?;
    dispatcher.set_triple(&joined.get_triple());
    dispatcher.set_data_layout(&joined.get_data_layout());
    least.optimize(&dispatcher)?;
    joined.link_in_module(dispatcher).map_err(|error| anyhow!("the choice of a version: {error}"))?;
    let exported: Vec<_> = functions.into_iter().next().into_iter().flat_map(|(_, names)| names).collect();
    for function in joined.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        let name = function.get_name().to_string_lossy();
        let is_exported = exported.iter().any(|(symbol, _)| *symbol == name);
        function.set_linkage(if is_exported { Linkage::External } else { Linkage::Internal });
    }
    Ok(joined)
}

/// Gives the exported functions of a version names of their own, and makes everything else internal. Returns the symbol of
/// each function and its name.
fn separate(version: &Module<'_>, level: &str, is_first: bool) -> Vec<(String, String)> {
    let is_exported = |linkage| linkage == Linkage::External;
    let mut names = vec![];
    for function in version.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        if is_exported(function.get_linkage()) {
            let symbol = function.get_name().to_string_lossy().into_owned();
            function.as_global_value().set_name(&format!("{symbol}.{level}"));
            names.push((symbol, function.get_name().to_string_lossy().into_owned()));
        }
    }
    // Every version has the same constants, of which those of the first are exported.
    for (symbol, _) in names.iter().filter(|_| !is_first) {
        llvm::remove_global(version, &format!("{CHECKED_PREFIX}{symbol}"));
    }
    for global in version.get_globals().filter(|global| global.get_initializer().is_some()) {
        let is_constant = global.get_name().to_bytes().starts_with(CHECKED_PREFIX.as_bytes());
        if is_exported(global.get_linkage()) && !is_constant {
            global.set_linkage(Linkage::Internal);
        }
    }
    names
}

/// Writes an exported function, and the function that chooses its version: the last one whose level the computer has.
fn dispatch(text: &mut String, symbol: &str, versions: &[(&'static str, &str)]) {
    let own = |what: &str| global(&format!("mdh.{symbol}.{what}"));
    let (chosen, choose) = (own("chosen"), own("choose"));
    let mut body = String::from("  %level = call i32 @mdh_level()\n");
    let mut version = String::new();
    for (i, (level, name)) in versions.iter().enumerate() {
        let name = global(name);
        let _ = writeln!(text, "declare i32 {name}(ptr, ptr, ptr)");
        if i == 0 {
            version = name;
            continue;
        }
        let number = LEVELS.iter().position(|known| known == level).map_or(0, |number| number + 1);
        let _ = writeln!(
            body,
            "  %has{i} = icmp sge i32 %level, {number}\n  %version{i} = select i1 %has{i}, ptr {name}, ptr {version}"
        );
        version = format!("%version{i}");
    }
    let given = "ptr %arguments, ptr %results, ptr %message";
    let _ = writeln!(
        text,
        "{chosen} = internal global ptr {choose}\n\
         define internal i32 {choose}({given}) noinline nounwind {{\n{body}\
         \x20 store atomic ptr {version}, ptr {chosen} monotonic, align 8\n\
         \x20 %status = tail call i32 {version}({given})\n  ret i32 %status\n}}\n\
         define i32 {}({given}) nounwind {{\n\
         \x20 %version = load atomic ptr, ptr {chosen} monotonic, align 8\n\
         \x20 %status = tail call i32 %version({given})\n  ret i32 %status\n}}",
        global(symbol)
    );
}
