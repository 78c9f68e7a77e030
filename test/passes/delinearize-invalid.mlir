// RUN: mdh-opt %s --mdh-delinearize=least-points=-1 --verify-diagnostics
// RUN: mdh-opt %s --mdh-delinearize=least-points=2147483648 --verify-diagnostics

// expected-error @below {{requires least-points from 0 to 2147483647, but is}}
module {}
