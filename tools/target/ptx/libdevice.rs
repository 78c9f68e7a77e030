//! Mathematical functions of kernels from CUDA's libdevice.
use anyhow::{Context as _, Result, anyhow, bail};
use inkwell::{
    context::Context,
    intrinsics::Intrinsic,
    module::{Linkage, Module},
    values::BasicValue,
};
use std::{
    env,
    path::{Path, PathBuf},
};

/// Functions of libdevice that are single instructions on NVIDIA GPUs: the name without the suffix `f`, and LLVM's
/// intrinsic.
const INSTRUCTIONS: [(&str, &str); 8] = [
    ("__nv_fma", "llvm.fma"),
    ("__nv_sqrt", "llvm.sqrt"),
    ("__nv_fabs", "llvm.fabs"),
    ("__nv_floor", "llvm.floor"),
    ("__nv_ceil", "llvm.ceil"),
    ("__nv_trunc", "llvm.trunc"),
    ("__nv_rint", "llvm.rint"),
    ("__nv_copysign", "llvm.copysign"),
];

/// Resolves the functions of libdevice that kernels call. An error names a missing function and the searched paths.
pub fn link<'l>(module: &Module<'l>, context: &'l Context) -> Result<()> {
    let declared = |module: &Module<'l>| {
        let all = module.get_functions().filter(|function| function.count_basic_blocks() == 0);
        all.filter(|function| function.get_name().to_bytes().starts_with(b"__nv_")).collect::<Vec<_>>()
    };
    let mut missing = None;
    for function in declared(module) {
        let name = function.get_name().to_string_lossy().into_owned();
        let double = name.strip_suffix('f').unwrap_or(&name);
        let found = INSTRUCTIONS.iter().find(|(known, _)| *known == name || *known == double);
        let ty = function.get_type().get_return_type();
        let replaced =
            found.zip(ty).and_then(|((_, intrinsic), ty)| Intrinsic::find(intrinsic)?.get_declaration(module, &[ty]));
        match replaced {
            Some(intrinsic) => function.replace_all_uses_with(intrinsic),
            None => missing = missing.or(Some(name)),
        }
    }
    let Some(missing) = missing else { return Ok(()) };
    let places = places();
    let Some(path) = places.iter().find(|path| path.is_file()) else {
        let places: Vec<_> = places.iter().map(|path| path.display().to_string()).collect();
        bail!(
            "a kernel calls '{missing}' of CUDA's libdevice, which is not there: looked for {} (set MDH_LIBDEVICE to its path)",
            places.join(", ")
        );
    };
    let problem = || format!("cannot read libdevice '{}'", path.display());
    let library =
        Module::parse_bitcode_from_path(path, context).map_err(|error| anyhow!("{error}")).with_context(problem)?;
    library.set_triple(&module.get_triple());
    library.set_data_layout(&module.get_data_layout());
    let own: Vec<_> = library.get_functions().filter(|function| function.count_basic_blocks() > 0).collect();
    let names: Vec<_> = own.iter().map(|function| function.get_name().to_owned()).collect();
    module.link_in_module(library).map_err(|error| anyhow!("{error}")).with_context(problem)?;
    for name in names {
        if let Some(function) = module.get_function(&name.to_string_lossy()) {
            function.set_linkage(Linkage::Internal);
        }
    }
    match declared(module)
        .into_iter()
        .find(|function| function.as_global_value().as_pointer_value().get_first_use().is_some())
    {
        Some(function) => bail!("libdevice '{}' has no function {:?}", path.display(), function.get_name()),
        None => Ok(()),
    }
}

/// Candidate paths of libdevice, in order of preference.
fn places() -> Vec<PathBuf> {
    const FILE: &str = "nvvm/libdevice/libdevice.10.bc";
    let mut places = vec![];
    if let Some(path) = env::var_os("MDH_LIBDEVICE") {
        return vec![path.into()];
    }
    places
        .extend(["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(env::var_os).map(|path| Path::new(&path).join(FILE)));
    places.push(Path::new("/usr/local/cuda").join(FILE));
    places.extend(super::ptxas::packages().into_iter().map(|folder| folder.join(FILE)));
    places
}
