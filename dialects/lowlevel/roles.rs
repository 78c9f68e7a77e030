//! Conversion of the roles of layers between the IR and [`crate::schedule::roles`]: the attributes, and the roles that
//! the parser of `mdh.lowlevel.system` requests (`lowlevel/Roles.h`).
use crate::{
    ffi::*,
    schedule::roles::{CoreRole, MemoryRole, layers_text, roles_of_version_1},
};
use melior::{
    Context, StringRef,
    ir::{Attribute, AttributeLike},
};
use mlir_sys::{MlirStringCallback, MlirStringRef};
use std::{ffi::c_void, slice};

/// The role in a `#mdh.memory_role`.
pub fn memory_role(attribute: Attribute<'_>) -> Option<MemoryRole> {
    // SAFETY: the attribute is valid.
    memory_of(unsafe { mlirMdhMemoryRoleAttrGetValue(attribute.to_raw()) })
}

/// The role in a `#mdh.core_role`.
pub fn core_role(attribute: Attribute<'_>) -> Option<CoreRole> {
    // SAFETY: the attribute is valid.
    core_of(unsafe { mlirMdhCoreRoleAttrGetValue(attribute.to_raw()) })
}

/// Builds a `#mdh.memory_role`.
pub fn memory_role_attribute(context: &Context, role: MemoryRole) -> Attribute<'_> {
    // SAFETY: the context is valid, and the value is one of the enumeration.
    unsafe { Attribute::from_raw(mlirMdhMemoryRoleAttrGet(context.to_raw(), role as i32)) }
}

/// Builds a `#mdh.core_role`.
pub fn core_role_attribute(context: &Context, role: CoreRole) -> Attribute<'_> {
    // SAFETY: the context is valid, and the value is one of the enumeration.
    unsafe { Attribute::from_raw(mlirMdhCoreRoleAttrGet(context.to_raw(), role as i32)) }
}

fn memory_of(number: i32) -> Option<MemoryRole> {
    MemoryRole::ALL.get(usize::try_from(number).ok()?).copied()
}

fn core_of(number: i32) -> Option<CoreRole> {
    CoreRole::ALL.get(usize::try_from(number).ok()?).copied()
}

/// Layers as passed from C++: their names and the enumeration values of their roles.
#[repr(C)]
pub struct Layers {
    count: usize,
    names: *const MlirStringRef,
    roles: *mut i32,
}

impl Layers {
    /// # Safety
    /// Both lists must have `count` entries, and the names must be text that outlives the result.
    unsafe fn names<'a>(&self) -> Vec<&'a str> {
        // SAFETY: guaranteed by the caller; an empty list may be null.
        let names = if self.count == 0 { &[] } else { unsafe { slice::from_raw_parts(self.names, self.count) } };
        // SAFETY: as above.
        names.iter().map(|name| unsafe { crate::ir::text(*name) }.unwrap_or_default()).collect()
    }

    /// # Safety
    /// As for [`Layers::names`]; there must be no other reference to the list of roles.
    unsafe fn roles<'a>(&self) -> &'a mut [i32] {
        // SAFETY: guaranteed by the caller; an empty list may be null.
        if self.count == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(self.roles, self.count) } }
    }
}

/// Writes the roles of a system of version 1, which has none, and passes the layers with their roles to `text`.
///
/// # Safety
/// The layers must be valid, and the callback must accept `data`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mdhRolesOfVersion1(
    name: MlirStringRef,
    memory: Layers,
    cores: Layers,
    text: MlirStringCallback,
    data: *mut c_void,
) {
    // SAFETY: guaranteed by the caller.
    let (name, memory_names, core_names) =
        unsafe { (crate::ir::text(name).unwrap_or_default(), memory.names(), cores.names()) };
    let (memory_roles, core_roles) = roles_of_version_1(name, &memory_names, &core_names);
    let layers = layers_text(&memory_names, &memory_roles, &core_names, &core_roles);
    // SAFETY: as above; the two lists do not overlap.
    let (memory, cores) = unsafe { (memory.roles(), cores.roles()) };
    memory.iter_mut().zip(memory_roles).for_each(|(number, role)| *number = role as i32);
    cores.iter_mut().zip(core_roles).for_each(|(number, role)| *number = role as i32);
    if let Some(text) = text {
        // SAFETY: as above.
        unsafe { text(StringRef::new(&layers).to_raw(), data) }
    }
}
