mdh.lowlevel.system @other memory [MM] cores [COR] combine [L1]
