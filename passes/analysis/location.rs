//! Locations in messages: those of errors, and of assertions in generated code.
use mdh_dialects::ir::Op;
use melior::ir::{Location, operation::OperationLike};

/// The prefix of the messages of the assertions that the compiler adds to programs; it is not printed. Other assertions
/// are those of the program.
pub const CHECK: &str = "mdh check: ";

/// The message of an assertion, which fails if an operation cannot be executed.
pub fn assertion(operation: Op<'_>, problem: &str) -> String {
    format!("{CHECK}{}error: {problem}", place(&operation.location()))
}

/// A location as the prefix of a message; empty if it is unknown. Frontends wrap positions in names and calls, of which
/// the innermost position is shown.
pub fn place(location: &Location<'_>) -> String {
    position(*location).map_or_else(|| place_of(&location.to_string()), |position| format!("{position}: "))
}

/// The first position in a file that a location has: of a call, that of the function that is called.
fn position(location: Location<'_>) -> Option<String> {
    if location.is_file_line_col_range() {
        let name = location.file_line_col_range_filename();
        let (line, column) = (location.file_line_col_range_start_line(), location.file_line_col_range_start_column());
        return Some(format!("{}:{line}:{column}", name.as_string_ref().as_str().ok()?));
    }
    if location.is_name() {
        return position(location.name_child_location());
    }
    if location.is_call_site() {
        return position(location.call_site_callee()).or_else(|| position(location.call_site_caller()));
    }
    let parts = if location.is_fused() { location.fused_num_locations() } else { 0 };
    (0..parts).find_map(|part| position(location.fused_location(part)))
}

/// The text of a location as the prefix of a message; empty if it is unknown.
pub fn place_of(location: &str) -> String {
    let place =
        location.strip_prefix("loc(").and_then(|place| place.strip_suffix(')')).unwrap_or(location).replace('"', "");
    if place == "unknown" { String::new() } else { format!("{place}: ") }
}
