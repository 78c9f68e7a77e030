//! Windows of `stablehlo.reduce_window`: which elements each result combines.
use mdh_dialects::ir::{self, Op};

/// The window along an axis.
struct WindowAxis {
    /// The number of elements of a window.
    window: i128,
    /// The distance of the windows of consecutive results.
    stride: i128,
    /// The distance of consecutive elements of a window.
    dilation: i128,
    /// The number of elements before the first one of the tensor.
    low: i128,
    /// The number of windows.
    results: usize,
}

/// The windows along all axes.
pub(super) struct Windows {
    axes: Vec<WindowAxis>,
    /// The number of elements of a window.
    count: usize,
}

impl Windows {
    /// Reads the attributes of a reduction of a tensor of this shape.
    pub(super) fn of(operation: Op<'_>, shape: &[usize]) -> Result<Self, String> {
        let rank = shape.len();
        let list = |name: &str| -> Result<Vec<i128>, String> {
            let Some(attribute) = ir::attribute(operation, name) else { return Ok(vec![1; rank]) };
            let list = ir::dense_array_attribute(attribute).filter(|list| list.len() == rank);
            let list = list.filter(|list| list.iter().all(|number| *number > 0));
            let list = list.ok_or_else(|| format!("requires {rank} positive {}", name.replace('_', " ")))?;
            Ok(list.into_iter().map(i128::from).collect())
        };
        let (windows, strides) = (list("window_dimensions")?, list("window_strides")?);
        let (dilations, bases) = (list("window_dilations")?, list("base_dilations")?);
        if bases.iter().any(|base| *base != 1) {
            return Err(format!("requires base dilations of 1, but they are {bases:?}"));
        }
        let padding = padding(operation, rank).ok_or_else(|| format!("requires a padding of {rank} pairs"))?;
        let axis = |d: usize| {
            let (window, stride, dilation, [low, high]) = (windows[d], strides[d], dilations[d], padding[d]);
            let size = shape[d] as i128;
            // Negative padding removes elements of the tensor, and there must be as many.
            let is_valid = size + low.min(0) + high.min(0) >= 0;
            let rest = size + low + high - ((window - 1) * dilation + 1);
            let results = if rest < 0 { 0 } else { rest / stride + 1 };
            is_valid.then_some(WindowAxis { window, stride, dilation, low, results: results as usize })
        };
        let axes = (0..rank).map(axis).collect::<Option<Vec<_>>>();
        let axes =
            axes.ok_or_else(|| format!("requires as many elements as the padding removes, but has {shape:?}"))?;
        let count = windows.iter().try_fold(1usize, |count, window| count.checked_mul(usize::try_from(*window).ok()?));
        let count = count.ok_or("requires less than 2^64 elements in a window")?;
        let windows = Self { axes, count };
        let wanted = ir::results(operation).first().and_then(|result| ir::shape(melior::ir::ValueLike::r#type(result)));
        let wanted = wanted.unwrap_or_default();
        let results = windows.result();
        let fits = wanted.len() == rank
            && wanted.iter().zip(&results).all(|(wanted, size)| wanted.is_none_or(|wanted| wanted == *size as u64));
        if fits { Ok(windows) } else { Err(format!("requires a result of shape {results:?}, but it has {wanted:?}")) }
    }

    /// The shape of the result.
    pub(super) fn result(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.results).collect()
    }

    /// The number of elements of a window.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The index of an element of a window, which may be outside of the tensor. Elements are numbered in row-major order.
    pub(super) fn element(&self, result: &[usize], number: usize) -> Vec<i128> {
        let mut rest = number as i128;
        let mut index = vec![0; self.axes.len()];
        for (d, WindowAxis { window, stride, dilation, low, .. }) in self.axes.iter().enumerate().rev() {
            index[d] = result[d] as i128 * stride + rest % window * dilation - low;
            rest /= window;
        }
        index
    }
}

/// The padding before and after each axis.
fn padding(operation: Op<'_>, rank: usize) -> Option<Vec<[i128; 2]>> {
    let Some(attribute) = ir::attribute(operation, "padding") else { return Some(vec![[0, 0]; rank]) };
    let (bytes, data) = ir::dense_elements(attribute).filter(|(bytes, _)| *bytes == size_of::<i64>())?;
    let number = |bytes: &[u8]| bytes.try_into().map(|bytes| i128::from(i64::from_le_bytes(bytes))).ok();
    let numbers: Vec<_> = data.chunks_exact(bytes).map(number).collect::<Option<_>>()?;
    match numbers[..] {
        [all] => Some(vec![[all, all]; rank]),
        _ if numbers.len() == 2 * rank => Some(numbers.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()),
        _ => None,
    }
}
