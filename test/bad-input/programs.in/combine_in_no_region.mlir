mdh.lowlevel.system @other memory [MM: global] cores [COR: threads] combine [L1]
