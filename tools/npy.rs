//! Arrays in `.npy` files.
//!
//! | element        | NumPy type when read                     | when written     |
//! |----------------|------------------------------------------|------------------|
//! | i1             | bool                                     | bool             |
//! | i2 … i64       | int and uint of the size in memory       | int              |
//! | index          | int64, uint64                            | int64            |
//! | f16, f32, f64  | float16, float32, float64                | the same         |
//! | bf16           | `V2` (as ml_dtypes writes it) or uint16  | `V2`             |
//!
//! Big-endian and Fortran-ordered files are converted.
use crate::{
    array::{Array, Element, strides},
    memory::Bytes,
    temporary,
};
use anyhow::{Context as _, Result, anyhow, bail, ensure};
use mdh_execution::failure::os_message;
use std::{
    fs::{self, Permissions},
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Reads an array of an element type. The notes say what was converted. `is_complex`: the file has complex numbers, whose
/// parts become the last dimension of the array.
pub fn read(path: &Path, element: Element, is_complex: bool) -> Result<(Array, Vec<&'static str>)> {
    let bytes = fs::read(path).map_err(|error| anyhow!("cannot read: {}", os_message(&error)))?;
    decode(&bytes, element, is_complex)
}

fn decode(bytes: &[u8], element: Element, is_complex: bool) -> Result<(Array, Vec<&'static str>)> {
    let (NpyHeader { kind, size, big_endian, fortran, mut shape }, rest) = header(bytes)?;
    let parts = 1 + usize::from(is_complex);
    let fits = match element {
        _ if is_complex => kind == 'c',
        Element::Integer(1) => kind == 'b',
        Element::Integer(_) | Element::Index => matches!(kind, 'i' | 'u'),
        Element::Bf16 => matches!(kind, 'V' | 'u'),
        Element::F16 | Element::F32 | Element::F64 => kind == 'f',
    };
    let stored = stored_name(kind, size);
    ensure!(
        fits && size == parts * element.bytes(),
        "requires elements of type {}, but holds {stored}",
        match is_complex {
            true => format!("complex<{element}> ({})", stored_name('c', parts * element.bytes())),
            false => format!("{element} ({})", numpy_name(element).unwrap_or_else(|| "no NumPy type".into())),
        }
    );
    let count = shape.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
    let length = count.and_then(|count| count.checked_mul(size));
    let length = length.ok_or_else(|| anyhow!("has shape {shape:?}, which is larger than the address space"))?;
    if rest.len() != length {
        let what = if rest.len() < length { "truncated" } else { "damaged" };
        bail!("is {what}: shape {shape:?} of {stored} takes {length} bytes, but the file has {}", rest.len());
    }
    let mut notes = vec![];
    let mut data = rest.to_vec();
    if big_endian && size > 1 {
        notes.push("big-endian");
        data.chunks_exact_mut(size / parts).for_each(<[u8]>::reverse);
    }
    if fortran && shape.len() > 1 {
        notes.push("in Fortran order");
        data = row_major(&data, &shape, size);
    }
    narrow(&mut data, element, kind == 'u')?;
    shape.extend(is_complex.then_some(2));
    Ok((Array { element, shape, data: Bytes::from(&data[..]) }, notes))
}

/// The header of a file.
struct NpyHeader {
    /// NumPy's letter for the kind of elements.
    kind: char,
    /// Bytes per element.
    size: usize,
    big_endian: bool,
    fortran: bool,
    shape: Vec<usize>,
}

/// Parses the header of a file, versions 1 to 3; also returns the bytes that follow it.
///
/// The npyz crate is not used: it overflows on the product of a shape, and overflows the stack on nested literals.
fn header(bytes: &[u8]) -> Result<(NpyHeader, &[u8])> {
    let Some(rest) = bytes.strip_prefix(b"\x93NUMPY") else { bail!("is not an .npy file") };
    let broken = |what: &str| anyhow!("has a broken .npy header: {what}");
    let (length, rest) = match rest {
        [1, 0, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, 0, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [1..=3, 0, ..] | [] | [_] => return Err(broken("it is truncated")),
        [major, minor, ..] => return Err(broken(&format!("version {major}.{minor} is not known"))),
    };
    let (text, rest) = rest.split_at_checked(length).ok_or_else(|| broken("it is truncated"))?;
    let text = std::str::from_utf8(text).map_err(|_| broken("it is not text"))?.trim();
    let text =
        text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).ok_or_else(|| broken("it is not in braces"))?;
    let value = |key: &str| {
        let start = text.find(&format!("'{key}'")).ok_or_else(|| broken(&format!("no '{key}'")))?;
        let value = text[start + key.len() + 2..]
            .trim_start()
            .strip_prefix(':')
            .ok_or_else(|| broken(&format!("no value of '{key}'")));
        Ok::<_, anyhow::Error>(value?.trim_start())
    };
    let descriptor = value("descr")?;
    ensure!(!descriptor.starts_with('['), "holds structured elements, but requires elements of one type");
    let descriptor = descriptor
        .strip_prefix('\'')
        .and_then(|rest| rest.split_once('\''))
        .ok_or_else(|| broken("'descr' is not a string"))?
        .0;
    let unknown = || broken(&format!("unknown element type '{}'", descriptor.escape_debug()));
    let mut letters = descriptor.chars();
    let order = letters.next().filter(|order| "<>|=".contains(*order)).ok_or_else(unknown)?;
    let kind = letters.next().filter(char::is_ascii_alphabetic).ok_or_else(unknown)?;
    let size = letters.as_str().parse().ok().filter(|size| (1..=1024).contains(size)).ok_or_else(unknown)?;
    let fortran = match value("fortran_order")? {
        text if text.starts_with("True") => true,
        text if text.starts_with("False") => false,
        _ => return Err(broken("'fortran_order' is neither True nor False")),
    };
    let sizes = value("shape")?
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .ok_or_else(|| broken("'shape' is not a tuple"))?
        .0;
    let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = sizes
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| broken("'shape' has a size that is not a number"))?;
    Ok((NpyHeader { kind, size, big_endian: order == '>', fortran, shape }, rest))
}

/// Converts a column-major array to row-major order.
fn row_major(data: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let reversed: Vec<_> = shape.iter().rev().copied().collect();
    let mut columns = strides(&reversed);
    columns.reverse();
    let mut result = Vec::with_capacity(data.len());
    let mut point = vec![0; shape.len()];
    for _ in 0..data.len() / size {
        let number: usize = point.iter().zip(&columns).map(|(i, stride)| i * stride).sum();
        result.extend_from_slice(&data[number * size..(number + 1) * size]);
        for (i, size) in point.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *size {
                break;
            }
            *i = 0;
        }
    }
    result
}

/// Checks that integers fit types such as i7, and zero-extends them.
fn narrow(data: &mut [u8], element: Element, unsigned: bool) -> Result<()> {
    let bytes = element.bytes();
    let Element::Integer(width) = element else { return Ok(()) };
    if width as usize == 8 * bytes {
        return Ok(());
    }
    let container = Element::Integer(8 * bytes as u32);
    for (i, bytes) in data.chunks_exact_mut(bytes).enumerate() {
        let stored = container.load(bytes);
        let slot = stored & element.mask();
        let fits =
            if unsigned || width == 1 { stored == slot } else { container.signed(stored) == element.signed(slot) };
        let text = if unsigned { stored.to_string() } else { container.text(stored) };
        ensure!(fits, "requires elements of type {element}, but element number {i} is {text}");
        element.store(slot, bytes);
    }
    Ok(())
}

/// The NumPy name of an element type; `None` if NumPy has no such type.
fn numpy_name(element: Element) -> Option<String> {
    Some(match element {
        Element::Integer(1) => "bool".into(),
        Element::Bf16 => "V2 or uint16".into(),
        Element::F16 | Element::F32 | Element::F64 => format!("float{}", element.bits()),
        Element::Integer(_) | Element::Index if element.bytes() <= 8 => format!("int{}", 8 * element.bytes()),
        Element::Integer(_) | Element::Index => return None,
    })
}

fn stored_name(kind: char, size: usize) -> String {
    let bits = 8 * size;
    match kind {
        'b' => "bool".into(),
        'i' => format!("int{bits}"),
        'u' => format!("uint{bits}"),
        'f' => format!("float{bits}"),
        'c' => format!("complex{bits}"),
        _ => format!("{kind}{size}"),
    }
}

/// An output file that is written atomically.
pub struct Output {
    path: PathBuf,
    /// The resolved path: a symbolic link is kept.
    target: PathBuf,
    /// The folder of the file; `None` for a device or a pipe, which cannot be replaced by a new file.
    folder: Option<PathBuf>,
    /// The temporary file that has been written.
    file: Option<NamedTempFile>,
}

impl Output {
    /// Prepares to write a file. Fails if it cannot be written.
    pub fn new(path: &Path) -> Result<Self> {
        let target = temporary::target(path)
            .map_err(|error| anyhow!("cannot write '{}': {}", path.display(), os_message(&error)))?;
        let folder = match fs::metadata(path) {
            Ok(existing) if existing.is_dir() => bail!("cannot write '{}': is a directory", path.display()),
            Ok(existing) if !existing.is_file() => None,
            _ => {
                let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                Some(folder.to_owned())
            }
        };
        let output = Self { path: path.to_owned(), target, folder, file: None };
        // The probe file is removed immediately: nothing remains if a signal ends the process before there is anything
        // to write.
        output.temporary()?;
        Ok(output)
    }

    /// A new temporary file that will replace the old one; `None` for a device or a pipe.
    fn temporary(&self) -> Result<Option<NamedTempFile>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        // The usual permissions, not those of a private temporary file.
        let permissions = Permissions::from_mode(0o666);
        temporary::file_in(folder, Some(permissions)).map(Some).map_err(|error| self.problem(&error))
    }

    fn problem(&self, error: &std::io::Error) -> anyhow::Error {
        anyhow!("cannot write '{}': {}", self.path.display(), os_message(error))
    }

    /// Writes an array; the output file appears in [`Output::finish`].
    pub fn write(&mut self, array: &Array) -> Result<()> {
        let bytes = encode(array).with_context(|| format!("cannot write '{}'", self.path.display()))?;
        self.file = self.temporary()?;
        match &mut self.file {
            Some(file) => file.write_all(&bytes).and_then(|()| file.flush()),
            None => fs::write(&self.path, &bytes),
        }
        .map_err(|error| self.problem(&error))
    }

    /// Moves the complete file to its path.
    pub fn finish(self) -> Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        match file.persist(&self.target) {
            Ok(_) => Ok(()),
            Err(error) => bail!("cannot write '{}': {}", self.path.display(), os_message(&error.error)),
        }
    }
}

/// Writes one array to a file atomically.
pub fn write(path: &Path, array: &Array) -> Result<()> {
    let mut output = Output::new(path)?;
    output.write(array)?;
    output.finish()
}

/// The contents of an .npy file.
fn encode(array: &Array) -> Result<Vec<u8>> {
    let element = array.element;
    let descriptor = match element {
        Element::Integer(1) => "|b1".to_owned(),
        Element::Bf16 => "<V2".to_owned(),
        Element::F16 | Element::F32 | Element::F64 => format!("<f{}", element.bytes()),
        Element::Integer(_) | Element::Index => match element.bytes() {
            1 => "|i1".to_owned(),
            bytes @ (2 | 4 | 8) => format!("<i{bytes}"),
            _ => bail!("a .npy file requires an integer of 1, 8, 16, 32 or 64 bits, but got {element}"),
        },
    };
    let sizes = array.shape.iter().map(|size| format!("{size},")).collect::<Vec<_>>().join(" ");
    let sizes = if array.shape.len() > 1 { sizes.trim_end_matches(',') } else { &sizes };
    let mut header = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // The data are aligned to 64 bytes.
    let padding = 63 - (10 + header.len()) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).context("the shape has too many dimensions")?.to_le_bytes());
    bytes.extend(header.as_bytes());
    let start = bytes.len();
    bytes.extend_from_slice(&array.data);
    if let Element::Integer(width) = element
        && width > 1
        && width as usize != 8 * element.bytes()
    {
        // NumPy's integers are sign-extended.
        for piece in bytes[start..].chunks_exact_mut(element.bytes()) {
            let value = element.signed(element.load(piece));
            piece.copy_from_slice(&value.to_le_bytes()[..piece.len()]);
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let mut header = dictionary.to_owned();
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn error(bytes: &[u8], element: Element) -> String {
        decode(bytes, element, false).unwrap_err().to_string()
    }

    #[test]
    fn arrays_come_back_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["i1", "i7", "i8", "i16", "i24", "i32", "i64", "index", "f16", "bf16", "f32", "f64"] {
            let element = Element::from_name(name).unwrap();
            for shape in [vec![], vec![1], vec![2, 3], vec![0, 4], vec![2, 1, 2]] {
                let mut array = Array::filled(element, &shape, 0).unwrap();
                for i in 0..array.len() {
                    array.set(i, element.from_f64(if element.bits() == 1 { 1.0 } else { i as f64 - 2.0 }));
                }
                let path = folder.path().join("a.npy");
                write(&path, &array).unwrap();
                assert_eq!((fs::read(&path).unwrap().len() - array.data.len()) % 64, 0, "{name}");
                assert_eq!(read(&path, element, false).unwrap(), (array, vec![]), "{name} {shape:?}");
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn fortran_order_and_big_endian_are_converted() {
        let data: Vec<u8> = [1i16, 4, 2, 5, 3, 6].iter().flat_map(|value| value.to_be_bytes()).collect();
        let bytes = file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", &data);
        let (array, notes) = decode(&bytes, Element::Integer(16), false).unwrap();
        assert_eq!((0..6).map(|i| array.get(i)).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(notes, ["big-endian", "in Fortran order"]);
    }

    #[test]
    fn unsigned_and_narrow_integers() {
        let bytes = file("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", &[255]);
        assert_eq!(decode(&bytes, Element::Integer(8), false).unwrap().0.get(0), 255);
        assert_eq!(error(&bytes, Element::Integer(7)), "requires elements of type i7, but element number 0 is 255");
        let bytes = file("{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", &[255]);
        assert_eq!(decode(&bytes, Element::Integer(7), false).unwrap().0.get(0), 127);
    }

    #[test]
    fn wrong_types_are_named() {
        let bytes = file("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", &[0; 8]);
        assert_eq!(error(&bytes, Element::F32), "requires elements of type f32 (float32), but holds float64");
        assert_eq!(error(&bytes, Element::Integer(1)), "requires elements of type i1 (bool), but holds float64");
        let bytes = file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", &[0; 8]);
        assert_eq!(error(&bytes, Element::F32), "holds structured elements, but requires elements of one type");
    }

    #[test]
    fn damaged_files_are_errors() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        assert_eq!(
            error(&file(header, &[0; 23]), Element::F32),
            "is truncated: shape [2, 3] of float32 takes 24 bytes, but the file has 23"
        );
        assert_eq!(
            error(&file(header, &[0; 25]), Element::F32),
            "is damaged: shape [2, 3] of float32 takes 24 bytes, but the file has 25"
        );
        assert!(error(b"PK\x03\x04", Element::F32).starts_with("is not an .npy file"));
        let whole = file(header, &[0; 24]);
        for length in 6..whole.len() {
            assert!(decode(&whole[..length], Element::F32, false).is_err(), "{length}");
        }
        let huge = file("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", &[]);
        assert!(error(&huge, Element::F32).ends_with("larger than the address space"));
        for header in [
            "",
            "{}",
            "{'descr': 3}",
            "{'descr': '<f4', 'fortran_order': 2, 'shape': ()}",
            "{'descr': '<f4', 'fortran_order': True, 'shape': (-1,)}",
        ] {
            assert!(error(&file(header, &[]), Element::F32).starts_with("has a broken .npy header"), "{header}");
        }
        assert!(error(&file(&"(".repeat(60_000), &[]), Element::F32).ends_with("not in braces"));
    }

    #[test]
    fn outputs_appear_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let mut output = Output::new(&path).unwrap();
        // Not even a temporary file, because a signal may end the process now.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        let array = Array::scalar(Element::Integer(32), 7);
        output.write(&array).unwrap();
        assert!(!path.exists());
        output.finish().unwrap();
        assert_eq!(decode(&fs::read(&path).unwrap(), Element::Integer(32), false).unwrap().0, array);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let link = folder.path().join("link.npy");
        std::os::unix::fs::symlink("a.npy", &link).unwrap();
        write(&link, &Array::scalar(Element::Integer(32), 8)).unwrap();
        assert!(link.is_symlink());
        assert_eq!(read(&path, Element::Integer(32), false).unwrap().0.get(0), 8);
        assert!(Output::new(&folder.path().join("missing/a.npy")).is_err());
        assert!(Output::new(folder.path()).is_err());
    }
}
