//! The documentation of the dialect, as its `.td` files have it, by the names that programs use.

/// What `mlir-tblgen -gen-dialect-doc` writes, in Markdown.
const TEXT: &str = include_str!(env!("MDH_DIALECT_DOCUMENTATION"));

/// The summary and the description of an operation (`mdh.hom.md_hom`), an attribute (`#mdh.pw`) or a type (`!mdh.mda`).
pub fn of(name: &str) -> Option<String> {
    let kind = match name.chars().next()? {
        '#' => "\n## Attributes\n",
        '!' => "\n## Types\n",
        _ => "\n## Operations\n",
    };
    let all = TEXT.split_once(kind)?.1;
    let all = all.split("\n## ").next()?;
    let section = all.split("\n### ").skip(1).find(|section| is_about(section, name))?;
    // The tables after the description repeat what the assembly shows.
    let described = section.split_once('\n')?.1;
    let end = ["\nTraits: ", "\nInterfaces: ", "\nEffects: ", "\n#### "];
    let end = end.iter().filter_map(|end| described.find(end)).min().unwrap_or(described.len());
    Some(described[..end].trim().to_owned())
}

/// Returns true if a section is about a name: operations have theirs in the title, attributes and types in the last one of
/// their examples, because earlier ones may be of others.
fn is_about(section: &str, name: &str) -> bool {
    if !name.starts_with(['#', '!']) {
        return section.starts_with(&format!("`{name}` "));
    }
    let sigil = &name[..1];
    let Some((_, example)) = section.rsplit_once(&format!("{sigil}mdh.")) else { return false };
    let found = example.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    found.is_some_and(|found| format!("{sigil}mdh.{found}") == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mdh_dialects::{
        hom::{Compute, MdHom},
        ir::OpView,
    };

    #[test]
    fn everything_in_programs_is_documented() {
        for (name, summary) in [
            (MdHom::NAME, "_A multi-dimensional homomorphism_"),
            (Compute::NAME, "_"),
            ("#mdh.cc", "_Concatenation_"),
            ("#mdh.pw", "_Point-wise combination_"),
            ("#mdh.ps", "_Prefix"),
            ("#mdh.placement", "_A memory region"),
            ("#mdh.memory_role", "_The role of a memory layer_"),
            ("!mdh.mda", "_"),
        ] {
            let text = of(name).unwrap_or_else(|| panic!("{name} is not documented"));
            assert!(text.starts_with(summary) && !text.contains("####"), "{name}: {text}");
        }
        assert!(["mdh.hom", "#mdh.other", "!mdh.", "arith.addf", ""].iter().all(|name| of(name).is_none()));
    }
}
