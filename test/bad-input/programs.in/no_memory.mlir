mdh.lowlevel.system @none memory [] cores [COR: threads]
