mdh.lowlevel.system @no memory [MM: global] cores [COR: threads] limit [0]
