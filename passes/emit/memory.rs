//! Buffers: loads and stores, allocation and deallocation, views and copies.
use super::emission::{Emission, Named, Site};
use crate::nest::{
    address::LINE,
    tree::{Buffer, MemorySpace, Storage, Value, VectorAccess},
};
use mdh_dialects::{
    attributes::{BUFFER, MANUAL},
    ir::{self, AddressSpace, Builder, DYNAMIC, Val},
};

/// The attributes of a vector load or store: `nontemporal` and `alignment`.
pub(super) fn attributes<'c>(b: &Builder<'c>, access: VectorAccess) -> Vec<Named<'c>> {
    let is_nontemporal = access.is_nontemporal.then(|| ("nontemporal", b.truth(true)));
    is_nontemporal.into_iter().chain(alignment(b, access.alignment)).collect()
}

/// The attribute of a load or store whose address has a known alignment in bytes.
pub(super) fn alignment<'c>(b: &Builder<'c>, alignment: Option<i64>) -> Vec<Named<'c>> {
    alignment.map(|bytes| ("alignment", b.i64_number(bytes))).into_iter().collect()
}

/// The attributes of a prefetch: for reading, with the highest temporal locality.
pub(super) fn prefetch_attributes<'c>(b: &Builder<'c>) -> [Named<'c>; 3] {
    [("isWrite", b.truth(false)), ("localityHint", b.i32_number(3)), ("isDataCache", b.truth(true))]
}

/// The dynamic shared memory of the launch, as bytes.
pub(super) fn dynamic_shared_memory<'c>(b: &Builder<'c>) -> Vec<Val<'c>> {
    let bytes = b.memref(&[None], b.integer(8), Some(AddressSpace::Workgroup));
    vec![b.value("gpu.dynamic_shared_memory", &[], bytes, &[])]
}

impl<'c> Emission<'_, 'c> {
    /// Emits an operation whose first operand is a buffer.
    pub(super) fn read(&self, site: &Site<'c>, name: &str, buffer: Buffer, attributes: &[Named<'c>]) -> Vec<Val<'c>> {
        site.on(name, &[&[self.buffer(buffer)], &site.operands[..]].concat(), attributes)
    }

    /// Emits a store: its operands are the value, the buffer and the indices, in this order.
    pub(super) fn write(&self, site: &Site<'c>, name: &str, buffer: Buffer, attributes: &[Named<'c>]) -> Vec<Val<'c>> {
        let (value, indices) = site.operands.split_at(1);
        site.on(name, &[value, &[self.buffer(buffer)], indices].concat(), attributes)
    }

    /// Allocates a buffer.
    pub(super) fn allocate(&mut self, site: &Site<'c>, buffer: Buffer, storage: &Storage) -> Vec<Val<'c>> {
        let b = &site.b;
        let handed_out = if *storage == Storage::Result { self.results.next().copied() } else { None };
        let ty = handed_out.unwrap_or_else(|| self.memref(b, buffer));
        let count = site.operands.len();
        let (segments, alignment) = (b.segments(&[count, 0]), ("alignment", b.i64_number(LINE)));
        let manual = (MANUAL, b.unit());
        let (name, attributes) = match storage {
            Storage::Stack if self.is_of_lines(buffer) => ("memref.alloca", vec![segments, alignment]),
            Storage::Stack => ("memref.alloca", vec![segments]),
            Storage::Heap => ("memref.alloc", vec![segments, alignment, manual]),
            Storage::Plain => ("memref.alloc", vec![segments, manual]),
            Storage::Result => ("memref.alloc", vec![segments, alignment]),
            Storage::Device(role) => ("gpu.alloc", vec![b.segments(&[0, count, 0]), (BUFFER, b.string(role))]),
        };
        self.bind_buffer(buffer, b.value(name, &site.operands, ty, &attributes));
        vec![]
    }

    /// True if a buffer is in memory of the processor, and has at least a line.
    fn is_of_lines(&self, buffer: Buffer) -> bool {
        let array = self.nest.array(buffer);
        array.space == MemorySpace::Global && array.bytes().is_some_and(|bytes| bytes >= LINE as u64)
    }

    /// Frees a buffer.
    pub(super) fn free(&self, b: &Builder<'c>, buffer: Buffer, storage: &Storage) -> Vec<Val<'c>> {
        let manual = [(MANUAL, b.unit())];
        let (name, attributes) = match storage {
            Storage::Device(_) => ("gpu.dealloc", &[][..]),
            _ => ("memref.dealloc", &manual[..]),
        };
        ir::results(b.op(name, &[self.buffer(buffer)], &[], attributes, vec![]))
    }

    /// Emits a subview, such as a thread's part of a buffer for all threads.
    pub(super) fn subview(
        &mut self,
        site: &Site<'c>,
        (buffer, of): (Buffer, Buffer),
        offsets: &[Option<i64>],
        lengths: &[Option<i64>],
    ) -> Vec<Val<'c>> {
        let b = &site.b;
        let list = |list: &[Option<i64>]| {
            let numbers: Vec<_> = list.iter().map(|number| number.unwrap_or(DYNAMIC)).collect();
            b.numbers(&numbers)
        };
        let [at, count] = [offsets, lengths].map(|list| list.iter().filter(|number| number.is_none()).count());
        let operands = [&[self.buffer(of)], &site.operands[..]].concat();
        let attributes = [
            b.segments(&[1, at, count, 0]),
            ("static_offsets", list(offsets)),
            ("static_sizes", list(lengths)),
            ("static_strides", b.numbers(&vec![1; lengths.len()])),
        ];
        let part = b.value("memref.subview", &operands, self.memref(b, buffer), &attributes);
        self.bind_buffer(buffer, part);
        vec![]
    }

    /// Emits a view of a buffer in the dynamic shared memory of a launch.
    pub(super) fn view(&mut self, site: &Site<'c>, buffer: Buffer, of: Value) -> Vec<Val<'c>> {
        let operands = [&[self.value(of)], &site.operands[..]].concat();
        let part = site.b.value("memref.view", &operands, self.memref(&site.b, buffer), &[]);
        self.bind_buffer(buffer, part);
        vec![]
    }

    /// Copies all elements.
    pub(super) fn copy(&self, b: &Builder<'c>, from: Buffer, to: Buffer, is_transfer: bool) -> Vec<Val<'c>> {
        let (from, to) = (self.buffer(from), self.buffer(to));
        let (name, operands) = if is_transfer { ("gpu.memcpy", [to, from]) } else { ("memref.copy", [from, to]) };
        ir::results(b.op(name, &operands, &[], &[], vec![]))
    }

    /// Copies the previous contents of an output to its destination.
    pub(super) fn copy_before(&self, b: &Builder<'c>, output: usize) -> Vec<Val<'c>> {
        let Some(copy) = self.program.copies[output] else { unreachable!("output {output} has a copy before") };
        ir::results(b.op("memref.copy", &ir::operands(copy), &[], &[], vec![]))
    }
}
