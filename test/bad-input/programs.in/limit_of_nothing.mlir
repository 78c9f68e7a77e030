mdh.lowlevel.system @no memory [MM] cores [COR] limit [0]
