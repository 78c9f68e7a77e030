func.func private @f(!mdh.mda<-4, f32>)
