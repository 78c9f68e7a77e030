//===- Nesting.cpp - mdh-opt with a check before parsing ----------------------===//
//
// MLIR's opt has no hook between reading a file and parsing it, and its bytecode reader has none between building
// operations and verifying them.
//
//===----------------------------------------------------------------------===//
#include "capi/Mdh.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

int mdhOptMain(int argc, char **argv, MlirStringRef toolName,
               MlirDialectRegistry registry, MdhAcceptSource accept) {
  DialectRegistry &dialects = *unwrap(registry);
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, unwrap(toolName), dialects);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, dialects));
  llvm::InitLLVM init(argc, argv);
  if (input == "-" && llvm::sys::Process::FileDescriptorIsDisplayed(0))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> source = openInputFile(input, &message);
  std::unique_ptr<llvm::ToolOutputFile> target =
      source ? openOutputFile(output, &message) : nullptr;
  if (!source || !target) {
    llvm::errs() << message << "\n";
    return EXIT_FAILURE;
  }
  {
    MLIRContext context(dialects);
    if (!accept(wrap(source->getBufferIdentifier()), wrap(source->getBuffer()),
                wrap(&context)))
      return EXIT_FAILURE;
  }
  // Raising knows operations of dialects that are not registered.
  StringRef text = source->getBuffer();
  if (text.contains("stablehlo") || text.contains("tm_tensor"))
    config.allowUnregisteredDialects(true);
  if (failed(MlirOptMain(target->os(), std::move(source), dialects, config)))
    return EXIT_FAILURE;
  target->keep();
  return EXIT_SUCCESS;
}

bool mdhBytecodeNestsAtMost(MlirContext context, MlirStringRef source,
                            intptr_t most) {
  // Suppress diagnostics: the real parser reports the errors.
  ScopedDiagnosticHandler quiet(unwrap(context),
                                [](Diagnostic &) { return success(); });
  Block block;
  ParserConfig config(unwrap(context), /*verifyAfterParse=*/false);
  if (failed(parseSourceString(unwrap(source), &block, config)))
    return true;
  // Neither the traversal nor the deletion is recursive.
  SmallVector<std::pair<Operation *, intptr_t>> found;
  for (Operation &op : block)
    found.push_back({&op, 1});
  bool fits = true;
  for (size_t i = 0; i < found.size(); ++i) {
    auto [op, level] = found[i];
    fits &= level <= most;
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        for (Operation &nested : inner)
          found.push_back({&nested, level + 1});
  }
  for (auto [op, level] : found) {
    op->dropAllUses();
    op->setOperands({});
  }
  for (auto [op, level] : llvm::reverse(found))
    op->erase();
  return fits;
}
