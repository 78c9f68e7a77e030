//! Names of the source, from debug information.
use super::{nest::NestInput, pointer::Base};
use mdh_dialects::ir::{self, Val};

/// The operations that say which variable a value is.
const DEBUG: [&str; 2] = ["llvm.intr.dbg.value", "llvm.intr.dbg.declare"];

/// The name of what a nest takes.
pub fn of_input(input: &NestInput<'_>) -> Option<String> {
    match input {
        NestInput::Number(value) => of_value(*value),
        NestInput::Memory(memory) => match memory.object {
            Base::Global(symbol) => ir::symbol_attribute(symbol).map(str::to_owned),
            _ => of_value(memory.base),
        },
    }
}

/// The name of a variable that has a value.
fn of_value(value: Val<'_>) -> Option<String> {
    let says = ir::users(value).into_iter().find(|user| DEBUG.contains(&ir::name(*user)))?;
    own_name(&ir::attribute(says, "varInfo")?.to_string())
}

/// The name in the text of a variable, not that of its scope or its type.
fn own_name(text: &str) -> Option<String> {
    let (mut depth, mut is_quoted) = (0usize, false);
    for (position, character) in text.char_indices() {
        match character {
            '"' => is_quoted = !is_quoted,
            '<' | '{' if !is_quoted => depth += 1,
            '>' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            'n' if depth == 1 && !is_quoted => {
                if let Some(rest) = text[position..].strip_prefix("name = \"") {
                    return rest.split('"').next().map(str::to_owned);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::own_name;

    #[test]
    fn a_variable_has_a_name_of_its_own() {
        let text = "#llvm.di_local_variable<scope = #llvm.di_subprogram<name = \"f\">, name = \"n>\", type = <name = \"int\">>";
        assert_eq!(own_name(text).as_deref(), Some("n>"));
        assert_eq!(own_name("#llvm.di_local_variable<scope = <name = \"f\">>"), None);
    }
}
