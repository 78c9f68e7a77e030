func.func private @f(f32) -> f32
