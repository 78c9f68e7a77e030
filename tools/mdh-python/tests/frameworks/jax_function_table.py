"""The functions of JAX that `jax_functions.py` compares, and the arrays that they are called with.

An expression has the names of the arrays in `arrays`; a template has those of functions in place of `@`.
"""

from __future__ import annotations

import itertools
import re

import jax.numpy as jnp
import numpy

# How results are compared: bit for bit, with a few roundings, or with those of sums in another order.
EXACT, CLOSE, SUM = "exact", "close", "sum"

UNARY = "@(e) @(x) @(s) @(n) @(o)"
BINARY = "@(a,b) @(x,y) @(v,x) @(s,x) @(s,s) @(n,n) @(o,o) @(x,2)"
TERNARY = "@(x,y,z) @(s,s,s) @(n,n,n)"
REDUCTION = "@(t) @(t,axis=1) @(x,axis=-1,keepdims=True) @(r,axis=1) @(c,axis=0) @(t,axis=(0,2)) @(o) @(s) @(n) @(n,axis=1)"
MASKED = "@(x,axis=0,where=p) @(x,axis=1,where=p,initial=2) @(x,initial=3) @(n,axis=0,initial=1)"
LAX_REDUCTION = "@(t,axes=(1,)) @(t,axes=(0,2)) @(r,axes=(1,)) @(c,axes=(0,)) @(n,axes=(0,)) @(o,axes=(0,))"
INDEX_OF = "@(t) @(t,axis=1) @(r,axis=1) @(c,axis=0) @(o) @(x,axis=0,keepdims=True)"
CUMULATIVE = "@(t,axis=1) @(r,axis=1) @(x,axis=0) @(o,axis=0) @(n,axis=1)"

# (how it is compared, template, functions).
_TEMPLATES = [
    (
        EXACT,
        UNARY,
        "jnp.abs jnp.absolute jnp.fabs jnp.negative jnp.positive jnp.sign jnp.signbit jnp.floor jnp.ceil jnp.trunc jnp.rint jnp.round "
        "jnp.around jnp.sqrt jnp.square jnp.reciprocal jnp.isnan jnp.isinf jnp.isfinite jnp.isposinf jnp.isneginf jnp.isreal "
        "jnp.iscomplex jnp.logical_not jnp.invert jnp.bitwise_not jnp.bitwise_count jnp.nan_to_num jnp.real jnp.imag jnp.conj jnp.angle "
        "jnp.modf jnp.frexp jnp.spacing jnp.copy jnp.zeros_like jnp.ones_like lax.abs lax.neg lax.sign lax.floor lax.ceil "
        "lax.round lax.sqrt lax.square lax.reciprocal lax.is_finite lax.bitwise_not lax.population_count lax.clz lax.stop_gradient "
        "lax.optimization_barrier nn.relu nn.relu6 nn.identity nn.hard_tanh nn.leaky_relu",
    ),
    (
        CLOSE,
        UNARY,
        "jnp.sin jnp.cos jnp.tan jnp.arcsin jnp.arccos jnp.arctan jnp.sinh jnp.cosh jnp.tanh jnp.arcsinh jnp.arccosh jnp.arctanh "
        "jnp.exp jnp.exp2 jnp.expm1 jnp.log jnp.log2 jnp.log10 jnp.log1p jnp.cbrt jnp.deg2rad jnp.rad2deg jnp.sinc jnp.i0 lax.sin lax.cos "
        "lax.tan lax.asin lax.acos lax.atan lax.sinh lax.cosh lax.tanh lax.asinh lax.acosh lax.atanh lax.exp lax.exp2 lax.expm1 lax.log "
        "lax.log1p lax.cbrt lax.rsqrt lax.logistic lax.erf lax.erfc lax.erf_inv lax.bessel_i0e lax.bessel_i1e "
        "nn.sigmoid nn.log_sigmoid nn.softplus nn.silu nn.elu nn.celu nn.selu nn.soft_sign nn.hard_sigmoid nn.hard_silu nn.mish "
        "nn.squareplus nn.sparse_plus nn.sparse_sigmoid nn.log1mexp",
    ),
    (
        EXACT,
        BINARY,
        "jnp.add jnp.subtract jnp.multiply jnp.divide jnp.floor_divide jnp.remainder jnp.fmod jnp.divmod jnp.maximum jnp.minimum jnp.fmax "
        "jnp.fmin jnp.copysign jnp.nextafter jnp.heaviside jnp.equal jnp.not_equal jnp.less jnp.less_equal jnp.greater jnp.greater_equal "
        "jnp.logical_and jnp.logical_or jnp.logical_xor jnp.bitwise_and jnp.bitwise_or jnp.bitwise_xor jnp.left_shift jnp.right_shift "
        "jnp.bitwise_left_shift jnp.isclose lax.add lax.sub lax.mul lax.div lax.rem lax.max lax.min lax.eq lax.ne lax.lt "
        "lax.le lax.gt lax.ge lax.nextafter lax.bitwise_and lax.bitwise_or lax.bitwise_xor lax.shift_left lax.shift_right_logical "
        "lax.shift_right_arithmetic lax.mulhi lax.complex",
    ),
    (
        CLOSE,
        BINARY,
        "jnp.power jnp.float_power jnp.arctan2 jnp.hypot lax.pow lax.atan2",
    ),
    # Loops that do not end at edges, also with JAX.
    (EXACT, "@(x,y) @(v,x) @(s,x) @(s,s) @(n,n) @(o,o) @(x,2)", "jnp.gcd jnp.lcm"),
    # Loops of a million steps at edges.
    (SUM, "@(abs(x),abs(y)) @(abs(s),abs(s)) @(n,n) @(x,abs(y)) @(round(abs(x)*3),abs(y)+1)", "lax.igamma lax.igammac lax.polygamma lax.zeta"),
    # Roundings near a zero of the function are large.
    (SUM, UNARY, "nn.gelu lax.lgamma lax.digamma"),
    (SUM, BINARY, "jnp.logaddexp jnp.logaddexp2"),
    (EXACT, TERNARY, "jnp.clip lax.clamp"),
    (CLOSE, TERNARY, "lax.betainc"),
    (SUM, REDUCTION, "jnp.sum jnp.prod jnp.mean jnp.std jnp.var jnp.nansum jnp.nanprod jnp.nanmean jnp.nanstd jnp.nanvar nn.logsumexp"),
    (EXACT, REDUCTION, "jnp.max jnp.min jnp.any jnp.all jnp.nanmax jnp.nanmin jnp.ptp jnp.count_nonzero"),
    (SUM, REDUCTION, "jnp.median jnp.nanmedian"),
    (SUM, MASKED, "jnp.sum jnp.prod jnp.nansum"),
    (EXACT, MASKED, "jnp.max jnp.min jnp.nanmax jnp.nanmin"),
    (SUM, "@(x,axis=0,where=p) @(x,axis=1,where=p,keepdims=True)", "jnp.mean jnp.std jnp.var jnp.any jnp.all nn.logsumexp"),
    (EXACT, LAX_REDUCTION, "lax.reduce_max lax.reduce_min lax.reduce_and lax.reduce_or lax.reduce_xor"),
    (SUM, LAX_REDUCTION, "lax.reduce_sum lax.reduce_prod"),
    (EXACT, INDEX_OF, "jnp.argmax jnp.argmin jnp.nanargmax jnp.nanargmin"),
    (EXACT, "@(t,1,jnp.int32) @(r,1,jnp.int64) @(o,0,jnp.int8)", "lax.argmax lax.argmin"),
    (SUM, CUMULATIVE, "jnp.cumsum jnp.cumprod jnp.nancumsum jnp.nancumprod lax.cumsum lax.cumprod lax.cumlogsumexp"),
    (EXACT, CUMULATIVE, "lax.cummax lax.cummin"),
    (SUM, "@(t,1,reverse=True) @(r,1,reverse=True)", "lax.cumsum lax.cumprod lax.cummax lax.cummin lax.cumlogsumexp"),
    (SUM, "@(x,axis=-1) @(t,axis=1) @(r,axis=1) @(o)", "nn.softmax nn.log_softmax nn.logmeanexp"),
    (SUM, "@(x,axis=-1) @(t,axis=1) @(o)", "nn.standardize"),
    (EXACT, "@(x) @(x,axis=0) @(r,axis=1) @(e) @(n) @(o)", "jnp.sort jnp.argsort"),
]

TYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128 "
    "float8_e4m3fn float8_e5m2"
).split()

# (how it is compared, expressions); the function is that of the first one.
_ROWS = [
    *[(EXACT, f"lax.convert_element_type(e,jnp.{one}) x.astype(jnp.{one}) n.astype(jnp.{one})") for one in TYPES],
    *[(EXACT, f"lax.bitcast_convert_type(x,jnp.{one})") for one in ("int8", "uint16", "int32", "float32", "float64", "bfloat16")],
    (EXACT, "lax.reduce_precision(e,5,2) lax.reduce_precision(e,8,7) lax.reduce_precision(e,8,23)"),
    (CLOSE, "lax.integer_pow(e,2) lax.integer_pow(x,3) lax.integer_pow(e,-2) lax.integer_pow(x,0)"),
    (CLOSE, "jnp.power(e,2) jnp.power(x,0.5) jnp.power(e,-1)"),
    (EXACT, "jnp.ldexp(x,k) jnp.ldexp(e,3)"),
    (EXACT, "jnp.round(e,1) jnp.round(e,-1)"),
    (EXACT, "jnp.where(p,x,y) jnp.where(p,x,0) jnp.where(x>y,x,v)"),
    (EXACT, "lax.select(p,x,y) lax.select_n(p,x,y) lax.select_n(k%2,x,y)"),
    (EXACT, "jnp.select([x>1,x<0],[x,y],3) jnp.choose(k%2,[x,y]) jnp.piecewise(x,[x>0],[1,2])"),
    (EXACT, "jnp.clip(e,min=1) jnp.clip(e,max=2) lax.clamp(s,x,s)"),
    (EXACT, "jnp.take(x,i,axis=1) jnp.take(x,i,axis=0,mode='clip') jnp.take(x,i,mode='wrap') jnp.take(x,i,mode='fill') jnp.take(t,k)"),
    (EXACT, "jnp.take(x,i,mode='fill',fill_value=7) x.at[i].get(mode='fill',fill_value=1) x.at[i].get(mode='clip') x[i]"),
    (EXACT, "jnp.take_along_axis(x,k%3,axis=0) jnp.take_along_axis(x,k,axis=1)"),
    (EXACT, "x[1] x[-1,1:3] x[::2,::-1] x[j] x[j,j] x[:,q] x[q] t[...,None,1] t[:,j,1:] x[p.any(1),:][:0] x[k[:,:2]%3]"),
    *[(SUM, f"x.at[i].{one}(v) x.at[i].{one}(v,mode='clip') v.at[i].{one}(2,mode='drop') x.at[1:,::2].{one}(1)") for one in "set add mul min max".split()],
    *[(SUM, f"v.at[j].{one}(2) x.at[j,j].{one}(3) x.at[q].{one}(v) t.at[:,j,1].{one}(1)") for one in "set add subtract mul divide power min max".split()],
    (EXACT, "x.at[j].set(y[0],unique_indices=True) x.at[jnp.sort(j)].add(y[0],indices_are_sorted=True) v.at[::2].apply(jnp.abs)"),
    (EXACT, "lax.dynamic_slice(x,(q,q),(2,2)) lax.dynamic_slice(x,(-1,9),(2,2)) lax.dynamic_index_in_dim(x,q,1) lax.dynamic_slice_in_dim(x,q,2)"),
    (EXACT, "lax.dynamic_update_slice(x,y[:2,:2],(q,q)) lax.dynamic_update_index_in_dim(x,v,q,0) lax.dynamic_update_slice(x,y[:2,:2],(9,-2))"),
    (EXACT, "lax.slice(x,(1,0),(3,4),(1,2)) lax.slice_in_dim(x,0,3,2,1) lax.index_in_dim(x,1,0) lax.index_take(x,(j,),(0,))"),
    (EXACT, "lax.pad(x,jnp.asarray(1,x.dtype),((1,2,1),(0,-1,0))) lax.pad(x,jnp.asarray(1,x.dtype),((-1,0,0),(2,1,2)))"),
    *[(SUM, f"jnp.pad(x,2,mode='{one}') jnp.pad(x,((0,1),(2,0)),mode='{one}')") for one in "constant edge reflect symmetric wrap mean maximum linear_ramp".split()],
    (EXACT, "lax.rev(x,(0,1)) jnp.flip(x) jnp.flip(x,0) jnp.fliplr(x) jnp.flipud(x) jnp.rot90(x) jnp.rot90(x,2)"),
    (EXACT, "jnp.roll(x,2) jnp.roll(x,-1,0) jnp.roll(x,(1,2),(0,1)) jnp.roll(x,q,1) jnp.roll(n,1)"),
    (EXACT, "jnp.tile(x,2) jnp.tile(x,(2,1,3)) lax.tile(x,(2,1)) jnp.repeat(x,2) jnp.repeat(x,3,0) jnp.repeat(v,jnp.array([1,0,2,1]),total_repeat_length=4)"),
    (EXACT, "jnp.reshape(t,(4,6)) jnp.ravel(t) lax.reshape(x,(4,3),(1,0)) jnp.transpose(t) jnp.swapaxes(t,0,2) jnp.moveaxis(t,0,-1) x.T"),
    (EXACT, "jnp.broadcast_to(v,(3,4)) lax.broadcast(v,(2,)) lax.broadcast_in_dim(v,(4,2),(0,)) jnp.broadcast_arrays(x,v) jnp.expand_dims(x,1)"),
    (EXACT, "jnp.concatenate([x,y]) jnp.concatenate([x,y,x],1) jnp.stack([x,y],1) jnp.hstack([x,y]) jnp.vstack([x,v]) jnp.dstack([x,y]) jnp.append(x,v)"),
    (EXACT, "jnp.split(t,2,2) jnp.array_split(v,3) lax.split(x,(1,2)) jnp.unstack(x) jnp.squeeze(o) jnp.column_stack([v,w]) jnp.block([[x,y],[y,x]])"),
    (EXACT, "jnp.diag(v) jnp.diag(m,1) jnp.diagonal(m,-1) jnp.diagflat(v,1) jnp.tril(x) jnp.triu(x,1) jnp.tril(m,-1) jnp.fill_diagonal(m,2,inplace=False)"),
    (EXACT, "jnp.insert(v,1,2) jnp.delete(v,1) jnp.resize(x,(2,5)) jnp.put_along_axis(x,k[:,:1],1,axis=1,inplace=False)"),
    (EXACT, "jnp.eye(3,4,1,dtype=x.dtype) jnp.arange(5).astype(x.dtype) jnp.full_like(x,3) jnp.tri(3,dtype=x.dtype) jnp.meshgrid(v,w) jnp.vander(v,3)"),
    (SUM, "jnp.linspace(s,5,7) jnp.logspace(0,s,3) jnp.geomspace(1,8,4) jnp.interp(x,jnp.sort(v),w)"),
    (EXACT, "jnp.sort(x,descending=True) jnp.argsort(x,descending=True) lax.sort([v,w],num_keys=1) lax.sort_key_val(v,w) jnp.lexsort((v,w))"),
    (EXACT, "lax.top_k(x,2) jnp.partition(v,2) jnp.argpartition(v,2)[:0] lax.approx_max_k(v,2) nn.one_hot(j,4,dtype=x.dtype) nn.one_hot(i,3)"),
    (EXACT, "jnp.searchsorted(jnp.sort(v),x) jnp.searchsorted(jnp.sort(v),x,side='right') jnp.digitize(x,jnp.array([0,1,2])) jnp.searchsorted(jnp.sort(v),x,method='compare_all')"),
    (EXACT, "jnp.unique(v,size=4) jnp.nonzero(x,size=5) jnp.flatnonzero(v,size=3) jnp.argwhere(x,size=3) jnp.isin(x,v) jnp.intersect1d(v,w,size=4)"),
    (SUM, "jnp.bincount(j,length=5) jnp.bincount(j,weights=v,length=5) jnp.histogram(x,5)"),
    (SUM, "jnp.diff(x) jnp.diff(x,2,0) jnp.ediff1d(v) jnp.gradient(v) jnp.trapezoid(x) jnp.cross(x[:,:3],y[:,:3]) jnp.unwrap(v)"),
    (SUM, "jnp.quantile(x,0.3) jnp.percentile(x,40,axis=1) jnp.nanquantile(r,0.5,axis=1) jnp.quantile(x,0.5,method='lower')"),
    (SUM, "jnp.average(x,axis=1) jnp.average(x,weights=abs(y)+1) jnp.cov(x) jnp.corrcoef(x) jnp.trace(m) jnp.trace(t,1,0,1)"),
    (SUM, "jnp.sum(x,dtype=jnp.float64) jnp.sum(x,dtype=jnp.int8) jnp.mean(x,dtype=jnp.float32) jnp.std(x,ddof=1) jnp.var(t,axis=(0,1),ddof=1)"),
    (SUM, "jnp.matmul(m,m) m@v v@m v@w t@m jnp.dot(x,m) jnp.dot(t,v) jnp.matmul(x,y.T,preferred_element_type=jnp.float32)"),
    (SUM, "jnp.tensordot(t,t,axes=((0,2),(0,2))) jnp.inner(x,y) jnp.outer(v,w) jnp.vdot(x,y) jnp.kron(v,w) jnp.kron(x,y) jnp.vecdot(x,y)"),
    (SUM, "jnp.einsum('ij,kj->ik',x,y) jnp.einsum('bij,jk->bki',t,m) jnp.einsum('ii->i',m) jnp.einsum('ij->',x) jnp.einsum('ij,ij->j',x,y)"),
    (SUM, "lax.dot(m,m) lax.dot_general(t,t,(((2,),(2,)),((0,),(0,)))) lax.batch_matmul(t,t.swapaxes(1,2)) n.T@n n@n.T jnp.matvec(m,v) jnp.vecmat(v,m)"),
    (SUM, "lax.dot_general(x,y,(((1,),(1,)),((),())),preferred_element_type=jnp.int32) lax.dot_general(x,y,(((1,),(1,)),((),())),preferred_element_type=jnp.float32)"),
    (SUM, "jnp.convolve(v,w) jnp.convolve(e[:9],v,'same') jnp.correlate(v,w,'full') jnp.polyval(v,x) jnp.polymul(v,w) jnp.polyder(v)"),
    (SUM, "lax.conv(t[:,:,None],jnp.ones((2,3,1,2),t.dtype),(1,1),'SAME') lax.conv_general_dilated(t,t,(2,),((1,1),),lhs_dilation=(2,)) lax.conv_general_dilated(t,jnp.ones((3,1,2),t.dtype),(1,),'VALID',rhs_dilation=(2,),feature_group_count=3)"),
    (SUM, "lax.conv_transpose(t,jnp.ones((2,4,3),t.dtype),(2,),'SAME') lax.conv_general_dilated_patches(t,(2,),(1,),'VALID')"),
    (SUM, "lax.reduce_window(x,jnp.asarray(0,x.dtype),lax.add,(2,2),(1,1),'SAME') lax.reduce_window(x,jnp.asarray(0,x.dtype),lax.add,(2,2),(2,2),'VALID') lax.reduce_window(t,jnp.asarray(1,t.dtype),lax.mul,(1,2,2),(1,1,1),'VALID')"),
    (EXACT, "lax.reduce_window(x,jnp.asarray(0,x.dtype),lax.max,(2,2),(1,1),'SAME') lax.reduce_window(r,jnp.asarray(1,r.dtype),lax.min,(1,2),(1,2),'VALID') lax.reduce_window(x,jnp.asarray(0,x.dtype),lax.max,(2,2),(1,1),'VALID',window_dilation=(1,2),base_dilation=(2,1))"),
    (SUM, "lax.reduce((x,y),(jnp.asarray(0,x.dtype),jnp.asarray(1,x.dtype)),lambda aa,bb:(aa[0]+bb[0],aa[1]*bb[1]),(1,)) lax.reduce(x,jnp.asarray(0,x.dtype),lax.max,(0,))"),
    (SUM, "lax.associative_scan(jnp.add,x) lax.associative_scan(jnp.maximum,x,axis=1,reverse=True) lax.associative_scan(jnp.multiply,e[:7])"),
    (SUM, "lax.scan(lambda cc,uu:(cc+uu,cc*2),v,x) lax.map(lambda uu:uu*2,x) lax.fori_loop(0,3,lambda ii,cc:cc+cc,x) lax.while_loop(lambda cc:(cc<9).all(),lambda cc:cc+1,x)"),
    (EXACT, "lax.cond(q>0,lambda:x,lambda:y) lax.switch(q,[lambda:x,lambda:y,lambda:x+y]) lax.iota(x.dtype,4) lax.broadcasted_iota(x.dtype,(2,3),1)"),
    (SUM, "lax.scatter_add(x,j[:,None],y[:,:][j%3],lax.ScatterDimensionNumbers((1,),(0,),(0,))) lax.gather(x,j[:,None],lax.GatherDimensionNumbers((1,),(0,),(0,)),(1,4),mode='clip')"),
    (SUM, "jnp.linalg.norm(x) jnp.linalg.norm(v,1) jnp.linalg.norm(x,axis=1) jnp.linalg.norm(v,jnp.inf) jnp.linalg.vector_norm(x) jnp.linalg.matrix_norm(m)"),
    (SUM, "jnp.linalg.matrix_power(m,3) jnp.linalg.multi_dot([x,m,v]) jnp.linalg.cross(x[:,:3],y[:,:3]) jnp.linalg.matrix_transpose(t) jnp.linalg.vecdot(x,y)"),
    *[(SUM, f"jnp.linalg.{one}(m@m.T+4*jnp.eye(4,dtype=m.dtype))") for one in "cholesky cond det inv eigvalsh matrix_rank pinv slogdet svdvals".split()],
    (SUM, "jnp.linalg.solve(m+9*jnp.eye(4,dtype=m.dtype),v) jnp.linalg.lstsq(x.T,v)[0]"),
    (SUM, "abs(jnp.linalg.qr(m+9*jnp.eye(4,dtype=m.dtype))[1]) jnp.linalg.eigh(m@m.T)[0]"),
    *[(SUM, f"jnp.fft.{one}(x)") for one in "fft ifft rfft irfft fft2".split()],
    (EXACT, "jnp.fft.fftshift(x) jnp.fft.ifftshift(v) jnp.fft.fftfreq(5)"),
    (SUM, "nn.glu(x) nn.gelu(e,approximate=False) nn.elu(e,2.0) nn.leaky_relu(e,0.2) nn.softmax(x,where=p) nn.standardize(x,axis=0)"),
    (SUM, "nn.dot_product_attention(t[None],t[None],t[None]) nn.dot_product_attention(t[None],t[None],t[None],is_causal=True)"),
    (EXACT, "jnp.packbits(x) jnp.unpackbits(x) jnp.array_equal(x,y) jnp.allclose(x,y) jnp.signbit(-x) jnp.unravel_index(k,(3,4)) jnp.ravel_multi_index((k%3,k),(3,4))"),
    (SUM, "lax.exp(x*2)+y*lax.rsqrt(abs(x)+1) (x-x.mean(1,keepdims=True))/x.std(1,keepdims=True) jnp.where(p,x,y).sum(0)*v"),
    *[
        (SUM, f"jax.scipy.special.{one}(x) jax.scipy.special.{one}(e[:24])")
        for one in "entr erfinv exp1 expi expit gammaln i0 i1 log_ndtr log_softmax logit ndtr ndtri softmax sinc spence".split()
    ],
    *[(SUM, f"jax.scipy.special.{one}(abs(x),abs(y)+1)") for one in "beta betaln gammainc kl_div rel_entr xlog1py xlogy zeta".split()],
    *[
        (SUM, f"jax.random.{one}(jax.random.key(3),(3,5)).astype(x.dtype)")
        for one in "bits cauchy exponential gumbel laplace logistic normal rademacher uniform".split()
    ],
    (SUM, "jax.random.randint(jax.random.key(q),(9,),-3,8) jax.random.permutation(jax.random.key(q),x) jax.random.choice(jax.random.key(q),v,(3,))"),
    (SUM, "jax.random.categorical(jax.random.key(q),x) jax.random.split(jax.random.key(q),3)[1:].shape[0]*x jax.random.fold_in(jax.random.key(q),3)==jax.random.key(q)"),
    *[
        (SUM, f"jax.grad(lambda uu:{one}.sum())(x)")
        for one in (
            "(jnp.sort(uu)*jnp.arange(4))", "jnp.max(uu,1)", "jnp.prod(uu,0)", "jnp.cumprod(uu,1)", "lax.cummax(uu,1)", "nn.softmax(uu)[:,1]", "nn.logsumexp(uu,0)",
            "jnp.var(uu,1)", "(uu@uu.T)", "uu[jnp.array([0,2,0])]", "jnp.where(uu>0,uu,uu**2)", "jnp.linalg.norm(uu,axis=1)", "jnp.take_along_axis(uu,jnp.array([[1],[0],[3]]),1)",
            "lax.reduce_window(uu,-jnp.inf,lax.max,(2,2),(1,2),'SAME')", "lax.reduce_window(uu,0.0,lax.add,(2,2),(1,1),'VALID')", "lax.dynamic_slice(uu,(1,1),(2,2))",
            "lax.conv_general_dilated(uu[None],uu[:,:2][None],(1,),'SAME')", "lax.scan(lambda cc,xx:(cc*xx+1,cc),uu[0],uu)[1]", "jnp.pad(uu,1,mode='reflect')", "lax.associative_scan(jnp.multiply,uu)",
            "nn.gelu(uu)", "jnp.clip(uu,-1,1)", "jnp.einsum('ij,ik->jk',uu,uu)", "lax.cumlogsumexp(uu,1)",
        )
    ],
    (SUM, "jax.vmap(lambda uu,ii:lax.dynamic_slice(uu,(ii,),(2,)))(x,jnp.array([0,9,-1])) jax.vmap(lambda uu,ii:uu[ii])(x,k[:,0]) jax.vmap(lambda uu,ii:uu.at[ii].add(1))(x,k[:,:2])"),
    (SUM, "jax.vmap(lambda uu,ii:lax.dynamic_update_slice(uu,uu[:2],(ii,)))(x,k[:,1]) jax.vmap(jnp.matmul)(t,t.swapaxes(1,2)) jax.vmap(lambda uu:lax.cond(uu[0]>0,lambda:uu,lambda:-uu))(x)"),
    (SUM, "jax.vmap(lambda uu:lax.while_loop(lambda cc:cc[0]<9,lambda cc:cc+1,uu))(x) jax.checkpoint(lambda uu:uu*uu)(x) lax.switch(q+7,[lambda:x,lambda:y]) lax.switch(q-7,[lambda:x,lambda:y])"),
    (SUM, "lax.fori_loop(0,q+3,lambda ii,cc:cc.at[ii%3].add(v),x) lax.scan(lambda cc,xx:(cc^xx,cc),p[0],p) lax.scan(lambda cc,xx:(cc+xx,(cc,xx.sum())),v,x,reverse=True,unroll=2)"),
    (SUM, "lax.conv_general_dilated(t,jnp.ones((4,3,2),t.dtype),(1,),'SAME',batch_group_count=2) lax.conv_general_dilated(t[:,:,:,None],jnp.ones((2,2,1,3),t.dtype),(2,1),'SAME',dimension_numbers=('NHWC','HWIO','NHWC'))"),
    (SUM, "lax.ragged_dot(x,jnp.stack([m,m]),jnp.array([1,2])) lax.conv_general_dilated_local(t,jnp.ones((3,6,3),t.dtype),(1,),'VALID',(2,))"),
    (EXACT, "lax.scatter(x,j[:2,None],y[:2],lax.ScatterDimensionNumbers((1,),(0,),(0,))) lax.scatter_mul(x,k[:,:2],y[:,0],lax.ScatterDimensionNumbers((),(0,1),(0,1)),mode='drop') x.at[i].set(v,mode='promise_in_bounds')[:0]"),
    (EXACT, "x+1 x*2.5 x-True x//2 x%3 -x x<1 x+y.astype(jnp.int8) x*y.astype(jnp.float32) x+jnp.uint8(3) abs(x)"),
]


def rows():
    """The functions: name, how results are compared, expressions."""
    found = []
    for kind, template, names in _TEMPLATES:
        found += [(name, kind, template.replace("@", name).split()) for name in names.split()]
    return found + [(_name(text), kind, _split(text)) for kind, text in _ROWS]


def _split(text):
    """The expressions of a text. A space is a part of one after `lambda` only."""
    return re.split(r"(?<!lambda) ", text)


def _name(text):
    """The function of an expression: what is called first, or the expression itself."""
    first = _split(text)[0]
    if first.startswith("jax.grad"):
        return f"jax.grad of {first.removeprefix('jax.grad(lambda uu:').partition('.sum())(x)')[0]}"
    return first.partition("(")[0] if first.startswith(("jnp.", "lax.", "nn.", "jax.")) else first


def edges(dtype):
    """Values at the edges of a type, and some others."""
    if dtype == bool:
        return numpy.array([False, True])
    if dtype.kind in "iu":
        low, high = int(jnp.iinfo(dtype).min), int(jnp.iinfo(dtype).max)
        values = [0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100, high // 2, high - 1, high, low, low + 1, -1, -2, -3, -7, -8]
        return numpy.array([one for one in dict.fromkeys(values) if low <= one <= high], dtype)
    if dtype.kind == "c":
        parts = [0.0, -0.0, 1.0, -2.5, numpy.inf, numpy.nan]
        return numpy.array([complex(*one) for one in itertools.product(parts, parts)], dtype)
    info = jnp.finfo(dtype)
    positive = [0.0, 1, 0.5, 1.5, 2, 2.5, 3, 3.7, 0.1, 7, 20, 90, 1e3, 3e4, 1e-3, float(info.eps), float(info.max), float(info.tiny), numpy.inf]
    big = [2.0**31, 2.0**53, 2.0**63, 1e20] if info.maxexp > 20 else []
    # XLA makes subnormal numbers zero, but those of f16.
    small = [float(info.smallest_subnormal), float(info.tiny) / 2] if info.bits == 16 and info.nmant == 10 else []
    values = [*positive, *big, *small, numpy.nan]
    with numpy.errstate(all="ignore"):
        return numpy.array([sign * one for one in values for sign in (1, -1)], "f8").astype(dtype)


def arrays(dtype, is_large=False):
    """By name: the arrays of expressions."""
    random = numpy.random.default_rng(7)
    two, three, four, five = (5, 37, 130, 67) if is_large else (2, 3, 4, 5)

    def some(*shape):
        if dtype.kind == "c":
            return numpy.asarray(random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)
        if dtype.kind in "iub":
            low = 0 if dtype.kind in "ub" else -5
            return numpy.asarray(random.integers(low, 2 if dtype.kind == "b" else 9, shape)).astype(dtype)
        return numpy.asarray(random.normal(size=shape)).astype(dtype)

    e = edges(dtype)
    # NaN apart: most of the pairs have one otherwise.
    pairs = e if len(e) < 30 else numpy.concatenate([e[:20:2], e[1:30:3], e[-14:]])
    a, b = (numpy.ascontiguousarray(one.ravel()) for one in numpy.meshgrid(pairs, pairs, indexing="ij"))
    r = some(len(e), five)
    r[:, 2] = e
    r[::3, 4] = e[::3]
    return {
        "e": numpy.concatenate([e, some(1000)]) if is_large else e, "a": a, "b": b, "r": r, "c": numpy.ascontiguousarray(r.T),
        "x": some(three, four), "y": some(three, four), "z": some(three, four), "v": some(four), "w": some(four), "s": some(),
        "m": some(four, four), "t": some(two, three, four), "n": numpy.zeros((0, three), dtype), "o": some(1),
        "i": numpy.array([0, -1, 5, -7], "i4"), "j": numpy.array([2, 0, 1, 0], "i4"),
        "k": random.integers(0, four, (three, four)).astype("i4"), "p": random.integers(0, 2, (three, four)).astype(bool),
        "q": numpy.array(1, "i4"),
    }  # fmt: skip
