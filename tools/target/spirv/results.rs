//! Checks that all result ids of a SPIR-V module are unique.
//!
//! LLVM's SPIR-V code generator (22) caches the ids of blocks by the addresses of their functions for the lifetime of
//! the process (llvm-project issue 160613). If memory is reused, a block gets the id of a block of an earlier module,
//! which may collide with another id. Device compilers reject such a module, or crash.
use std::collections::HashSet;

const HEADER_WORDS: usize = 5;
const LABEL: u32 = 248;
const EXTENDED_INSTRUCTIONS: u32 = 11;
const STRING: u32 = 7;
/// Types: the result id is their first operand; in all other instructions it follows the type.
const TYPES: std::ops::RangeInclusive<u32> = 19..=39;
/// Instructions without a result that occur in kernels: debug text, modes, decorations, stores, control flow and
/// barriers.
const WITHOUT_RESULT: [u32; 31] = [
    0, 2, 3, 4, 5, 6, 8, 10, 14, 15, 16, 17, 56, 62, 63, 64, 71, 72, 224, 225, 228, 246, 247, 249, 250, 251, 252, 253,
    254, 255, 331,
];

/// Returns true if no two instructions of a module have the same result id.
pub fn are_unique(words: &[u8]) -> bool {
    let words: Vec<u32> =
        words.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    let mut known = HashSet::new();
    let mut rest = words.get(HEADER_WORDS..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        let (length, code) = ((first >> 16) as usize, first & 0xffff);
        let Some((instruction, others)) = rest.split_at_checked(length.max(1)) else { return false };
        rest = others;
        let place = match code {
            _ if WITHOUT_RESULT.contains(&code) => continue,
            LABEL | EXTENDED_INSTRUCTIONS | STRING => 1,
            _ if TYPES.contains(&code) => 1,
            _ => 2,
        };
        if instruction.get(place).is_some_and(|result| !known.insert(*result)) {
            return false;
        }
    }
    true
}

/// Returns true if no two lines of a module's text have the same result id.
pub fn are_unique_in_text(text: &str) -> bool {
    let mut known = HashSet::new();
    let results = text.lines().filter_map(|line| line.trim_start().strip_prefix('%')?.split_once(" = "));
    results.into_iter().all(|(result, _)| known.insert(result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::{compiler::Compiler, spirv::Spirv};
    use inkwell::{context::Context, memory_buffer::MemoryBuffer, targets::FileType};

    fn module(instructions: &[&[u32]]) -> Vec<u8> {
        let header = [0x0723_0203, 0x0001_0400, 0, 9, 0];
        let words = instructions.iter().flat_map(|instruction| {
            let first = (instruction.len() as u32) << 16 | instruction[0];
            [first].into_iter().chain(instruction[1..].iter().copied())
        });
        header.into_iter().chain(words).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn results_of_blocks() {
        let integer = [21, 1, 32, 0];
        // Literals are not result ids.
        let constant = [43, 1, 2, 4];
        let sound = module(&[&integer, &constant, &[248, 3], &[249, 4], &[248, 4], &[253]]);
        assert!(are_unique(&sound));
        assert!(!are_unique(&module(&[&integer, &constant, &[248, 3], &[249, 3], &[248, 3], &[253]])));
        assert!(!are_unique(&module(&[&integer, &constant, &[248, 3], &[249, 2], &[248, 2], &[253]])));
        assert!(!are_unique(&module(&[&integer, &constant, &[248, 1], &[253]])));
        // A truncated instruction.
        assert!(!are_unique(&module(&[&integer])[..28]));
    }

    /// A kernel with a sequence of loops.
    fn kernel(loops: usize) -> String {
        let blocks = (0..loops).map(|i| {
            let before = if i == 0 { "entry".to_owned() } else { format!("next{}", i - 1) };
            format!(
                "br label %loop{i}
                 loop{i}:
                 %n{i} = phi i64 [ 0, %{before} ], [ %m{i}, %loop{i} ]
                 %m{i} = add i64 %n{i}, 1
                 store i64 %m{i}, ptr addrspace(1) %x
                 %c{i} = icmp ult i64 %m{i}, %n
                 br i1 %c{i}, label %loop{i}, label %{}\n",
                if i + 1 == loops { "exit".to_owned() } else { format!("next{i}") }
            ) + &if i + 1 == loops { String::new() } else { format!("next{i}:\n") }
        });
        let blocks: String = blocks.collect();
        format!(
            "define spir_kernel void @kernel{loops}(ptr addrspace(1) %x, i64 %n) {{\nentry:\n{blocks}exit:\nret void\n}}\n"
        )
    }

    #[test]
    fn of_many_modules_in_one_process() {
        let compiler = Spirv::new().expect("a compiler");
        for i in 0..40 {
            let context = Context::create();
            let text = (1..4 + i % 5).map(kernel).collect::<String>();
            let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "kernels");
            let llvm = context.create_module_from_ir(buffer).expect("a module");
            llvm.set_triple(&compiler.machine().get_triple());
            llvm.set_data_layout(&compiler.machine().get_target_data().get_data_layout());
            let words = compiler.write(&llvm, FileType::Object).expect("SPIR-V");
            assert!(are_unique(&words), "module {i}");
            let text = compiler.write(&llvm, FileType::Assembly).expect("SPIR-V");
            assert!(are_unique_in_text(&String::from_utf8_lossy(&text)), "text of module {i}");
        }
    }

    #[test]
    fn results_in_text() {
        assert!(are_unique_in_text("\t%1 = OpTypeInt 32 0\n\t%2 = OpConstant %1 4\n\tOpStore %3 %2\n"));
        assert!(!are_unique_in_text("\t%1 = OpTypeInt 32 0\n\t%2 = OpLabel\n\tOpBranch %2\n\t%2 = OpLabel\n"));
    }
}
