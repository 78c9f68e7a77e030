mdh.lowlevel.system @same memory [MM, MM] cores [COR]
