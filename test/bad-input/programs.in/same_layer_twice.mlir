mdh.lowlevel.system @same memory [MM: global, MM: cache] cores [COR: threads]
