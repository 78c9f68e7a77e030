"""Decompositions of attention: PyTorch's own returns something else than the second result, which the gradient reads."""

from __future__ import annotations

import math
from typing import Any

from ..frameworks.modules import module
from .table import decomposition, torch_module


def _scores(query: Any, key: Any, is_causal: bool, mask: Any, scale: float | None) -> tuple[Any, float]:
    """The logits of attention in f32 or f64, and their scale."""
    torch = torch_module()
    wide = torch.promote_types(query.dtype, torch.float32)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    if key.shape[1] != query.shape[1]:
        key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
    scores = query.to(wide) @ key.to(wide).transpose(-1, -2) * factor
    if is_causal:
        rows, columns = scores.shape[-2:]
        is_seen = torch.arange(columns) <= torch.arange(rows).unsqueeze(1)
        scores = torch.where(is_seen, scores, -math.inf)
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf) if mask.dtype is torch.bool else scores + mask.to(wide)
    return scores, factor


@decomposition("_scaled_dot_product_flash_attention_for_cpu.default")
def _attention(
    query: Any,
    key: Any,
    value: Any,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    if dropout_p:
        return NotImplemented
    known = module("torch._decomp.decompositions", "the backend mdh").scaled_dot_product_flash_attention_for_cpu
    output = known(query, key, value, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)[0]
    scores = _scores(query, key, is_causal, attn_mask, scale)[0]
    return output, torch_module().logsumexp(scores, -1)


@decomposition("_scaled_dot_product_flash_attention_for_cpu_backward.default")
def _attention_backward(
    gradient: Any,
    query: Any,
    key: Any,
    value: Any,
    out: Any,
    logsumexp: Any,
    dropout_p: float,
    is_causal: bool,
    *,
    attn_mask: Any = None,
    scale: float | None = None,
) -> Any:
    """As FlashAttention (Dao et al. 2022, section 3.1), without tiles."""
    if dropout_p or key.shape[1] != query.shape[1]:
        return NotImplemented
    scores, factor = _scores(query, key, is_causal, attn_mask, scale)
    weights = torch_module().exp(scores - logsumexp.unsqueeze(-1))
    given = gradient.to(weights.dtype)
    of_weights = given @ value.to(weights.dtype).transpose(-1, -2)
    of_scores = weights * (of_weights - (given * out.to(weights.dtype)).sum(-1, True)) * factor
    of_query = of_scores @ key.to(weights.dtype)
    of_key = of_scores.transpose(-1, -2) @ query.to(weights.dtype)
    of_value = weights.transpose(-1, -2) @ given
    return of_query.to(query.dtype), of_key.to(key.dtype), of_value.to(value.dtype)


@decomposition("_transformer_encoder_layer_fwd.default")
def _encoder_layer(
    source: Any,
    width: int,
    heads: int,
    projection: Any,
    projection_bias: Any,
    output: Any,
    output_bias: Any,
    use_gelu: bool,
    norm_first: bool,
    epsilon: float,
    norm1: Any,
    norm1_bias: Any,
    norm2: Any,
    norm2_bias: Any,
    inner: Any,
    inner_bias: Any,
    outer: Any,
    outer_bias: Any,
    mask: Any = None,
    mask_type: int | None = None,
) -> Any:
    if mask is not None or source.dim() != 3:
        return NotImplemented
    torch = torch_module()
    functional = module("torch.nn.functional", "the backend mdh")
    batch, length, _ = source.shape

    def attention(x: Any) -> Any:
        parts = functional.linear(x, projection, projection_bias).chunk(3, -1)
        parts = [part.view(batch, length, heads, width // heads).transpose(1, 2) for part in parts]
        joined = functional.scaled_dot_product_attention(*parts).transpose(1, 2).reshape(batch, length, width)
        return functional.linear(joined, output, output_bias)

    def network(x: Any) -> Any:
        hidden = functional.linear(x, inner, inner_bias)
        return functional.linear(functional.gelu(hidden) if use_gelu else torch.relu(hidden), outer, outer_bias)

    def normalized(x: Any, weight: Any, bias: Any) -> Any:
        return functional.layer_norm(x, (width,), weight, bias, epsilon)

    if norm_first:
        x = source + attention(normalized(source, norm1, norm1_bias))
        return x + network(normalized(x, norm2, norm2_bias))
    x = normalized(source + attention(source), norm1, norm1_bias)
    return normalized(x + network(x), norm2, norm2_bias)
