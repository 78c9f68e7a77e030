func.func private @f(!mdh.mda<f32>)
