func.func private @f(!mdh.mda<4, vector<4xf32>>)
