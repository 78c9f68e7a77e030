# The imported target MDH::MDH.
if(TARGET MDH::MDH)
  return()
endif()

# Debian has MLIR's C API only as static archives. They are linked by path: as targets they would pull in MLIR's static
# libraries, a second copy beside libMLIR.so.
get_property(_mdh_capi_targets GLOBAL PROPERTY MLIR_UPSTREAM_CAPI_LIBS)
set(_mdh_capi_files "")
foreach(_mdh_target IN LISTS _mdh_capi_targets)
  if(TARGET ${_mdh_target})
    list(APPEND _mdh_capi_files "$<TARGET_FILE:${_mdh_target}>")
  endif()
endforeach()
string(REPLACE ";" "," _mdh_capi_files "${_mdh_capi_files}")

find_package(Threads REQUIRED)
add_library(MDH::MDH STATIC IMPORTED)
set_target_properties(MDH::MDH PROPERTIES
  IMPORTED_LOCATION "${MDH_INSTALL_PREFIX}/lib/libmdh.a"
  IMPORTED_LINK_INTERFACE_LANGUAGES "CXX"
  INTERFACE_INCLUDE_DIRECTORIES "${MDH_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS}"
  INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS}"
  INTERFACE_COMPILE_FEATURES "cxx_std_17"
  # The layout of Pass::Statistic depends on NDEBUG, and the LLVM packages are built without assertions.
  INTERFACE_COMPILE_DEFINITIONS "$<$<NOT:$<BOOL:${LLVM_ENABLE_ASSERTIONS}>>:NDEBUG>"
  INTERFACE_LINK_LIBRARIES
    "$<LINK_GROUP:RESCAN,${_mdh_capi_files}>;MLIR;LLVM;Threads::Threads;${CMAKE_DL_LIBS};m")
unset(_mdh_capi_targets)
unset(_mdh_capi_files)
