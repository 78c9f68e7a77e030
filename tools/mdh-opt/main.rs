//! `mdh-opt`: MLIR's opt with the mdh dialect and its passes.

fn main() {
    std::process::exit(mdh_tools::opt::run(std::env::args_os().collect()));
}
