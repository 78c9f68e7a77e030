// The opt tool of an external project: all of upstream MLIR, and mdh from find_package(MDH).
#include "mdh/MdhDialect.h"
#include "mdh/capi/Mdh.h"
#include "mlir/CAPI/IR.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mdhRegisterDialect(wrap(&registry));
  mdhRegisterAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "out-of-tree optimizer with mdh\n", registry));
}
