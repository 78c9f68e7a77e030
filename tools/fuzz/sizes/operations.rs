//! The operations on tensors and memrefs of computed sizes.
use super::{HUGE, MAX_SIZE, Sizes, Tensor};

/// The identity of an axis, and of two.
const MAPS: [&str; 2] = ["affine_map<(d0) -> (d0)>", "affine_map<(d0, d1) -> (d0, d1)>"];

impl Sizes<'_> {
    pub(super) fn operation(&mut self) {
        match self.random.below(27) {
            0..=6 => self.compute(),
            7 => self.filled(),
            8 => self.generated(),
            9 | 10 => self.slice(),
            11 => self.inserted(),
            12 => self.pad(),
            13 => self.concatenation(),
            14 => self.cast(),
            15 => self.expansion(),
            16 => self.collapse(),
            17 | 18 => self.elementwise(),
            19 => self.computation(),
            20 => self.element(),
            21 => self.softmax(),
            22 => self.destination(),
            23 => self.changed(),
            24 => self.copied(),
            25 => self.viewed(),
            _ => self.memory(),
        }
    }

    /// A tensor with an element for each index.
    fn filled(&mut self) {
        let sizes: Vec<_> = (0..1 + self.random.below(2)).map(|_| self.index(|size| size < 9)).collect();
        self.fill(&sizes);
    }

    /// Loops run over the axes around an empty one, so no axis of a tensor without elements is huge.
    fn fill(&mut self, sizes: &[(String, i64)]) -> Tensor {
        let least = sizes.iter().min_by_key(|(_, size)| *size).cloned();
        let is_endless = |size: i64| size >= HUGE && least.as_ref().is_some_and(|(_, least)| *least <= 0);
        let sizes: Vec<_> =
            sizes.iter().map(|size| least.clone().filter(|_| is_endless(size.1)).unwrap_or(size.clone())).collect();
        let tensor = Tensor {
            name: String::new(),
            sizes: sizes.iter().map(|(_, size)| *size).collect(),
            is_static: vec![false; sizes.len()],
        };
        let (ty, names) = (tensor.ty(), sizes.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", "));
        let empty = self.define(&format!("tensor.empty({names}) : {ty}"));
        let name = self.define(&format!("linalg.fill ins(%fill : i32) outs({empty} : {ty}) -> {ty}"));
        self.add(name.clone(), tensor.sizes.clone(), tensor.is_static.clone());
        Tensor { name, ..tensor }
    }

    fn generated(&mut self) {
        let (size, value) = self.index(|size| (0..9).contains(&size));
        let name = self.define(&format!(
            "tensor.generate {size} {{\n  ^bb0(%i: index):\n    %e = arith.index_cast %i : index to i32\n    tensor.yield %e : \
             i32\n  }} : tensor<?xi32>"
        ));
        self.add(name, vec![value], vec![false]);
    }

    /// A part of a tensor: its text and its sizes.
    fn part(&mut self, of: &[i64]) -> (String, Vec<(String, i64)>) {
        let (mut offsets, mut sizes, mut strides) = (vec![], vec![], vec![]);
        for extent in of {
            // Loops run over the axes around an empty one, so no axis is huge.
            let offset = self.index(|offset| (0..=*extent).contains(&offset));
            let stride = 1 + self.random.below(2) as i64;
            let most = extent.saturating_sub(offset.1).max(0).saturating_add(stride - 1) / stride;
            let size = self.index(|size| (0..=most).contains(&size));
            sizes.push(if size.1 < HUGE { size } else { (self.constant(most), most) });
            offsets.push(offset.0);
            strides.push(stride.to_string());
        }
        let names: Vec<_> = sizes.iter().map(|(name, _)| name.clone()).collect();
        (format!("[{}] [{}] [{}]", offsets.join(", "), names.join(", "), strides.join(", ")), sizes)
    }

    fn slice(&mut self) {
        let source = self.any_tensor();
        let (part, sizes) = self.part(&source.sizes);
        let sizes: Vec<_> = sizes.into_iter().map(|(_, size)| size).collect();
        let is_static = vec![false; sizes.len()];
        let ty = Tensor { name: String::new(), sizes: sizes.clone(), is_static: is_static.clone() }.ty();
        let name = self.define(&format!("tensor.extract_slice {}{part} : {} to {ty}", source.name, source.ty()));
        self.add(name, sizes, is_static);
    }

    fn inserted(&mut self) {
        let (source, into) = (self.any_tensor(), self.any_tensor());
        if source.sizes.len() != into.sizes.len() || source.is_static.contains(&true) {
            return;
        }
        let (mut offsets, mut sizes) = (vec![], vec![]);
        for (axis, (size, extent)) in source.sizes.iter().zip(&into.sizes).enumerate() {
            offsets.push(self.index(|offset| offset >= 0 && offset <= extent - size).0);
            let of = self.constant(axis as i64);
            sizes.push(match self.random.once_in(8) {
                true => self.index(|own| own == *size).0,
                false => self.define(&format!("tensor.dim {}, {of} : {}", source.name, source.ty())),
            });
        }
        let strides = vec!["1"; sizes.len()].join(", ");
        let part = format!("[{}] [{}] [{strides}]", offsets.join(", "), sizes.join(", "));
        let (from, to) = (source.ty(), into.ty());
        let name =
            self.define(&format!("tensor.insert_slice {} into {}{part} : {from} into {to}", source.name, into.name));
        self.add(name, into.sizes, into.is_static);
    }

    fn pad(&mut self) {
        let Some(source) = self.vector() else { return };
        let (low, high) = (self.index(|low| (0..4).contains(&low)), self.index(|high| (0..4).contains(&high)));
        let size = source.sizes[0].wrapping_add(low.1).wrapping_add(high.1);
        // Canonicalization removes a pad that does not change the type.
        let is_changed = !source.is_static[0] || source.sizes[0] != size;
        let may_be_static = is_changed && (0..=MAX_SIZE).contains(&size);
        let ty = if self.random.once_in(3) && may_be_static { format!("{size}") } else { "?".to_owned() };
        let name = self.define(&format!(
            "tensor.pad {} low[{}] high[{}] {{\n  ^bb0(%i: index):\n    tensor.yield %fill : i32\n  }} : {} to \
             tensor<{ty}xi32>",
            source.name,
            low.0,
            high.0,
            source.ty()
        ));
        self.add(name, vec![size], vec![ty != "?"]);
    }

    fn concatenation(&mut self) {
        let (one, other) = (self.any_tensor(), self.any_tensor());
        let rank = one.sizes.len();
        if other.sizes.len() != rank || one.is_static.contains(&true) || other.is_static.contains(&true) {
            return;
        }
        let axis = self.random.below(rank);
        let mut sizes = one.sizes.clone();
        sizes[axis] += other.sizes[axis];
        let (name, ty) = (self.name(), one.ty());
        let line = format!("{name} = tensor.concat dim({axis}) {}, {} : ({ty}, {ty}) -> {ty}", one.name, other.name);
        self.line(&line);
        self.add(name, sizes, vec![false; rank]);
    }

    /// A static type of a tensor, of which a size may be another one.
    fn cast(&mut self) {
        let source = self.any_tensor();
        if source.is_static.contains(&true) {
            return;
        }
        let wrong = usize::from(self.random.once_in(4));
        let sizes: Vec<_> = source.sizes.iter().map(|size| (size + wrong as i64).min(MAX_SIZE)).collect();
        let result = Tensor { name: String::new(), is_static: vec![true; sizes.len()], sizes };
        let fixed = self.define(&format!("tensor.cast {} : {} to {}", source.name, source.ty(), result.ty()));
        self.add(fixed, result.sizes, result.is_static);
    }

    fn expansion(&mut self) {
        let Some(source) = self.vector().filter(|source| !source.is_static[0]) else { return };
        let size = source.sizes[0];
        let (rows, count) = self.index(|rows| rows > 0 && size % rows == 0);
        let (columns, width) = self.index(|columns| count.wrapping_mul(columns) == size);
        if count.max(width) >= HUGE && count.min(width) == 0 {
            return;
        }
        let name = self.define(&format!(
            "tensor.expand_shape {} [[0, 1]] output_shape [{rows}, {columns}] : tensor<?xi32> into tensor<?x?xi32>",
            source.name
        ));
        self.add(name, vec![count, width], vec![false; 2]);
    }

    fn collapse(&mut self) {
        let source = self.any_tensor();
        if source.sizes.len() != 2 || source.is_static.contains(&true) {
            return;
        }
        let size = source.sizes[0].wrapping_mul(source.sizes[1]);
        let name = self
            .define(&format!("tensor.collapse_shape {} [[0, 1]] : tensor<?x?xi32> into tensor<?xi32>", source.name));
        self.add(name, vec![size], vec![false]);
    }

    /// A sum of two tensors into a third one, whose sizes may differ.
    fn elementwise(&mut self) {
        let one = self.any_tensor();
        let rank = one.sizes.len();
        let alike: Vec<_> = self.tensors.iter().filter(|other| other.sizes == one.sizes).cloned().collect();
        let other =
            if self.random.once_in(8) { self.any_tensor() } else { alike[self.random.below(alike.len())].clone() };
        let is_fixed = one.is_static.contains(&true) && other.is_static.contains(&true);
        if other.sizes.len() != rank || is_fixed && other.sizes != one.sizes {
            return;
        }
        let sizes: Vec<_> = one.sizes.iter().map(|size| self.index(|own| own == *size)).collect();
        let start = self.fill(&sizes);
        let map = MAPS[rank - 1];
        let (ty, iterators) = (start.ty(), vec!["\"parallel\""; rank].join(", "));
        let name = self.define(&format!(
            "linalg.generic {{indexing_maps = [{map}, {map}, {map}], iterator_types = [{iterators}]}} ins({}, {} : {}, {}) \
             outs({} : {ty}) {{\n  ^bb0(%a: i32, %b: i32, %o: i32):\n    %s = arith.addi %a, %b : i32\n    linalg.yield %s : \
             i32\n  }} -> {ty}",
            one.name,
            other.name,
            one.ty(),
            other.ty(),
            start.name
        ));
        self.add(name, start.sizes, start.is_static);
    }

    /// A view with a stride and a computed extent, copied or summed.
    fn computation(&mut self) {
        let Some(source) = self.vector() else { return };
        // The extent does not follow from the size.
        let (stride, offset) = [(1, 1), (2, 0), (2, 1)][self.random.below(3)];
        let most = (source.sizes[0] - offset - 1).div_euclid(stride) + 1;
        let (extent, size) = self.index(|extent| (0..=most).contains(&extent));
        let is_sum = self.random.once_in(2);
        let (operator, image, axes) = if is_sum { ("pw<add>", "()", "1") } else { ("cc", "(i)", "?") };
        let input = self.define(&format!(
            "mdh.view.inp_view {}[affine_map<(i) -> (i * {stride} + {offset})>] extents({extent}) : ({}) -> !mdh.mda<?, i32>",
            source.name,
            source.ty()
        ));
        let mda = format!("!mdh.mda<{axes}, i32>");
        let homomorphism = self.define(&format!(
            "mdh.hom.md_hom {input} combine [#mdh.{operator}] {{\n  ^bb0(%a: i32):\n    mdh.hom.yield %a : i32\n  }} : \
             !mdh.mda<?, i32> -> {mda}"
        ));
        let ty = if is_sum { "tensor<i32>" } else { "tensor<?xi32>" };
        let result =
            self.define(&format!("mdh.view.out_view {homomorphism}[affine_map<(i) -> {image}>] : {mda} -> {ty}"));
        match is_sum {
            false => self.add(result, vec![size], vec![false]),
            true => {
                let element = self.define(&format!("tensor.extract {result}[] : {ty}"));
                let name = self.define(&format!("tensor.from_elements {element} : tensor<1xi32>"));
                self.add(name, vec![1], vec![true]);
            }
        }
    }

    /// An element at a computed position.
    fn element(&mut self) {
        let source = self.any_tensor();
        let positions: Vec<_> =
            source.sizes.iter().map(|size| self.index(|position| (0..*size).contains(&position)).0).collect();
        let element =
            self.define(&format!("tensor.extract {}[{}] : {}", source.name, positions.join(", "), source.ty()));
        let name = self.define(&format!("tensor.from_elements {element} : tensor<1xi32>"));
        self.add(name, vec![1], vec![true]);
    }

    /// Whether the elements of a softmax are positive.
    fn softmax(&mut self) {
        let source = self.any_tensor();
        let rank = source.sizes.len();
        if source.is_static.contains(&true) {
            return;
        }
        let floats = source.ty().replace("i32", "f32");
        let input = self.define(&format!("arith.sitofp {} : {} to {floats}", source.name, source.ty()));
        // The reference evaluator computes an expansion, which takes the sizes of the input.
        let sizes: Vec<_> = source.sizes.iter().map(|size| (self.constant(*size), *size)).collect();
        let names = sizes.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", ");
        let empty = self.define(&format!("tensor.empty({names}) : {floats}"));
        let softmax = self.define(&format!(
            "linalg.softmax dimension({}) ins({input} : {floats}) outs({empty} : {floats}) -> {floats}",
            rank - 1
        ));
        let ones = self.define(&format!("math.ceil {softmax} : {floats}"));
        let result = self.define(&format!("arith.fptosi {ones} : {floats} to {}", source.ty()));
        self.add(result, source.sizes, source.is_static);
    }

    /// A tensor as the contents of a memref.
    fn destination(&mut self) {
        let Some(source) = self.vector().filter(|source| !source.is_static[0]) else { return };
        let (size, value) = self.index(|size| size == source.sizes[0]);
        let memref = self.define(&format!("memref.alloc({size}) : memref<?xi32>"));
        self.line(&format!(
            "bufferization.materialize_in_destination {} in restrict writable {memref} : (tensor<?xi32>, memref<?xi32>) -> \
             ()",
            source.name
        ));
        self.contents(&memref, value);
    }

    /// A tensor with another element at a computed position.
    fn changed(&mut self) {
        let into = self.any_tensor();
        let positions: Vec<_> =
            into.sizes.iter().map(|size| self.index(|position| (0..*size).contains(&position)).0).collect();
        let name =
            self.define(&format!("tensor.insert %fill into {}[{}] : {}", into.name, positions.join(", "), into.ty()));
        self.add(name, into.sizes, into.is_static);
    }

    /// A memref with the same element everywhere, and its size.
    fn allocated(&mut self) -> (String, i64) {
        let (size, value) = self.index(|size| (0..9).contains(&size));
        let memref = self.define(&format!("memref.alloc({size}) : memref<?xi32>"));
        self.line(&format!("linalg.fill ins(%fill : i32) outs({memref} : memref<?xi32>)"));
        (memref, value)
    }

    fn contents(&mut self, memref: &str, size: i64) {
        let name = self.define(&format!("bufferization.to_tensor {memref} restrict : memref<?xi32> to tensor<?xi32>"));
        self.add(name, vec![size], vec![false]);
    }

    /// A memref that is copied to another one.
    fn copied(&mut self) {
        let (from, value) = self.allocated();
        let (size, other) = self.index(|size| size == value);
        let to = self.define(&format!("memref.alloc({size}) : memref<?xi32>"));
        self.line(&format!("memref.copy {from}, {to} : memref<?xi32> to memref<?xi32>"));
        self.contents(&to, other);
    }

    /// A memref of which a part is written.
    fn viewed(&mut self) {
        let (memref, value) = self.allocated();
        let (part, _) = self.part(&[value]);
        let ty = "memref<?xi32, strided<[?], offset: ?>>";
        let part = part.replace("[1]", "[%stride]").replace("[2]", "[%stride]");
        let stride = self.index(|stride| (1..3).contains(&stride)).0;
        let part = part.replace("%stride", &stride);
        let view = self.define(&format!("memref.subview {memref}{part} : memref<?xi32> to {ty}"));
        let number = self.define("arith.constant 3 : i32");
        self.line(&format!("linalg.fill ins({number} : i32) outs({view} : {ty})"));
        self.contents(&memref, value);
    }

    /// A memref that a loop writes: part of it, or more.
    fn memory(&mut self) {
        let (memref, value) = self.allocated();
        let first = self.index(|first| (0..=value).contains(&first));
        let last = self.index(|last| (first.1..=value).contains(&last));
        // The distance of the bounds does not overflow.
        if first.1.min(last.1) <= -HUGE {
            return;
        }
        let one = self.constant(1);
        self.line(&format!("scf.for %i = {} to {} step {one} {{", first.0, last.0));
        self.line("  %e = arith.index_cast %i : index to i32");
        self.line(&format!("  memref.store %e, {memref}[%i] : memref<?xi32>\n  }}"));
        self.contents(&memref, value);
    }
}
