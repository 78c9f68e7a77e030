//===- ViewVerify.cpp - the rules of views -------------------------------------===//
#include "MdhDialect.h"

using namespace mlir;
using namespace mdh;

LogicalResult MdaType::verify(function_ref<InFlightDiagnostic()>, ArrayRef<int64_t>, ArrayRef<Type>) { return success(); }
LogicalResult InpViewOp::verify() { return success(); }
LogicalResult OutViewOp::verify() { return success(); }
