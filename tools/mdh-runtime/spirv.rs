//! Reads the kernel parameters of a SPIR-V module. OpenCL requires the sizes of arguments, and only newer versions can
//! query them.
use std::collections::HashMap;

/// The kind of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A pointer to global memory.
    Pointer,
    /// A pointer to local memory of dynamic size, which the launch specifies.
    Shared,
    /// A value of this many bytes.
    Value(usize),
    /// Any type that compiled programs do not use.
    Other,
}

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
const ENTRY_POINT: u32 = 15;
const TYPE_INT: u32 = 21;
const TYPE_FLOAT: u32 = 22;
const TYPE_VECTOR: u32 = 23;
const TYPE_POINTER: u32 = 32;
const FUNCTION: u32 = 54;
const FUNCTION_PARAMETER: u32 = 55;
const KERNEL: u32 = 6;
const UNIFORM_CONSTANT: u32 = 0;
const WORKGROUP: u32 = 4;
const CROSS_WORKGROUP: u32 = 5;

/// The kernels of a module with their parameters, by name.
pub fn kernels(image: &[u8]) -> Result<HashMap<String, Vec<Parameter>>, String> {
    if image.len() < HEADER_WORDS * 4 || !image.len().is_multiple_of(4) {
        let bytes = image.len();
        return Err(format!(
            "a SPIR-V module requires whole words of 4 bytes and a header of 20 bytes, got {bytes} bytes"
        ));
    }
    let words: Vec<u32> =
        image.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    if words[0] != MAGIC {
        return Err(format!("a SPIR-V module requires the magic number {MAGIC:#010x}, got {:#010x}", words[0]));
    }
    let mut names = vec![];
    let mut types = HashMap::new();
    let mut functions: HashMap<u32, Vec<Parameter>> = HashMap::new();
    let mut function = 0;
    let mut rest = &words[HEADER_WORDS..];
    while let Some(&first) = rest.first() {
        let (length, code) = ((first >> 16) as usize, first & 0xffff);
        if length == 0 || length > rest.len() {
            let at = words.len() - rest.len();
            return Err(format!("the SPIR-V module ends within the instruction of {length} words at word {at}"));
        }
        let (instruction, others) = rest.split_at(length);
        rest = others;
        match (code, &instruction[1..]) {
            (ENTRY_POINT, [KERNEL, id, name @ ..]) => names.push((*id, text(name))),
            (TYPE_INT | TYPE_FLOAT, [id, bits, ..]) => {
                types.insert(*id, Parameter::Value(*bits as usize / 8));
            }
            (TYPE_VECTOR, [id, element, count]) => {
                if let Some(Parameter::Value(bytes)) = types.get(element) {
                    // A vector of 3 elements has the size of 4.
                    let bytes = bytes * (*count).min(16).next_power_of_two() as usize;
                    types.insert(*id, Parameter::Value(bytes));
                }
            }
            (TYPE_POINTER, [id, UNIFORM_CONSTANT | CROSS_WORKGROUP, _]) => {
                types.insert(*id, Parameter::Pointer);
            }
            (TYPE_POINTER, [id, WORKGROUP, _]) => {
                types.insert(*id, Parameter::Shared);
            }
            (FUNCTION, [_, id, ..]) => {
                function = *id;
                functions.insert(function, vec![]);
            }
            (FUNCTION_PARAMETER, [of, ..]) => {
                let parameter = types.get(of).copied().unwrap_or(Parameter::Other);
                functions.entry(function).or_default().push(parameter);
            }
            _ => {}
        }
    }
    Ok(names.into_iter().map(|(id, name)| (name, functions.get(&id).cloned().unwrap_or_default())).collect())
}

/// A null-terminated string of SPIR-V.
fn text(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    const HEADER: [u32; 5] = [MAGIC, 0x0001_0400, 0, 20, 0];

    #[test]
    fn parameters_of_a_kernel() {
        let mut words = HEADER.to_vec();
        words.extend([4 << 16 | ENTRY_POINT, KERNEL, 9, u32::from_le_bytes(*b"mul\0")]);
        words.extend([3 << 16 | TYPE_FLOAT, 1, 32, 4 << 16 | TYPE_POINTER, 2, CROSS_WORKGROUP, 1]);
        words.extend([4 << 16 | TYPE_INT, 3, 64, 0, 4 << 16 | TYPE_VECTOR, 4, 1, 3, 4 << 16 | TYPE_POINTER, 5, 7, 1]);
        words.extend([4 << 16 | TYPE_POINTER, 6, WORKGROUP, 1, 5 << 16 | FUNCTION, 7, 9, 0, 8]);
        words.extend([2, 1, 3, 4, 6, 5].iter().flat_map(|of| [3 << 16 | FUNCTION_PARAMETER, *of, 10 + of]));
        let kernels = kernels(&image(&words)).expect("a module");
        let expected = [
            Parameter::Pointer,
            Parameter::Value(4),
            Parameter::Value(8),
            Parameter::Value(16),
            Parameter::Shared,
            Parameter::Other,
        ];
        assert_eq!(kernels.get("mul").map(Vec::as_slice), Some(expected.as_slice()));
        assert_eq!(kernels.len(), 1);
    }

    #[test]
    fn what_is_no_module() {
        let error = |image: &[u8]| kernels(image).expect_err("no module");
        let short = "a SPIR-V module requires whole words of 4 bytes and a header of 20 bytes, got 7 bytes";
        assert_eq!(error(&[0; 7]), short);
        let magic = "a SPIR-V module requires the magic number 0x07230203, got 0x00000000";
        assert_eq!(error(&[0; 20]), magic);
        let mut words = HEADER.to_vec();
        words.push(9 << 16 | TYPE_INT);
        assert_eq!(error(&image(&words)), "the SPIR-V module ends within the instruction of 9 words at word 5");
        words[5] = 0;
        assert_eq!(error(&image(&words)), "the SPIR-V module ends within the instruction of 0 words at word 5");
    }
}
