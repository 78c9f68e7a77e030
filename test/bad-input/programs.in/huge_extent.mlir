func.func private @f(!mdh.mda<99999999999999999999, f32>)
