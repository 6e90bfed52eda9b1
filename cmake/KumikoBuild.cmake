# How every library, tool and test of the compiler is built: one place for flags, the precompiled header and LLVM's paths.

set(KUMIKO_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${KUMIKO_GENERATED_DIR})

find_program(KUMIKO_CCACHE ccache)
if(KUMIKO_CCACHE)
  # A precompiled header is only cacheable when its time stamp and macros are left out of the key.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${KUMIKO_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Flags shared by all C++ of the compiler. LLVM is built without exceptions and RTTI, so its users are too.
add_library(kumiko-flags INTERFACE)
target_compile_options(kumiko-flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions -fpch-instantiate-templates -Xclang -fno-pch-timestamp>
  -Wall -Wextra -Werror -Wno-unused-parameter -Wimplicit-fallthrough -ffunction-sections -fdata-sections)
target_include_directories(kumiko-flags INTERFACE ${PROJECT_SOURCE_DIR} ${KUMIKO_GENERATED_DIR})
target_include_directories(kumiko-flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(kumiko-flags INTERFACE ${llvm_definitions})
# What was compiled by this very build is known by the linker's id of it (kumiko/Emit/BuildId.h).
target_link_options(kumiko-flags INTERFACE -Wl,--build-id=sha1)
if(KUMIKO_ASAN)
  target_compile_options(kumiko-flags INTERFACE -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(kumiko-flags INTERFACE -fsanitize=address,undefined -fno-sanitize=vptr)
endif()

# The one precompiled header; every target reuses it.
add_library(kumiko-pch STATIC ${PROJECT_SOURCE_DIR}/cmake/Pch.cpp)
target_link_libraries(kumiko-pch PRIVATE kumiko-flags)
target_precompile_headers(kumiko-pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Pch.h)

# kumiko_library(NAME SOURCES a.cpp ... [LINKS lib ...] [DEPENDS target ...])
function(kumiko_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "SOURCES;LINKS;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC kumiko-flags ${ARG_LINKS})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM kumiko-pch)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# What every executable links last: LLVM and MLIR as shared libraries.
set(KUMIKO_LLVM_LIBRARIES MLIR LLVM)

# kumiko_executable(NAME SOURCES ... [LINKS ...] [DEPENDS ...])
function(kumiko_executable name)
  cmake_parse_arguments(ARG "NO_PCH" "" "SOURCES;LINKS;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  # Compiled as libraries are: a precompiled header made with -fPIC does not fit -fPIE.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  target_link_libraries(${name} PRIVATE kumiko-flags ${ARG_LINKS} ${KUMIKO_LLVM_LIBRARIES})
  if(NOT ARG_NO_PCH)
    target_precompile_headers(${name} REUSE_FROM kumiko-pch)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# kumiko_tablegen(TARGET FILE.td (OUTPUT.inc -flag ...)...): runs mlir-tblgen into the mirror of the source folder.
function(kumiko_tablegen target td)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  set(outputs)
  set(args ${ARGN})
  get_filename_component(td ${td} ABSOLUTE)
  while(args)
    list(POP_FRONT args output flags)
    separate_arguments(flags)
    set(path ${KUMIKO_GENERATED_DIR}/${folder}/${output})
    add_custom_command(OUTPUT ${path}
      COMMAND ${MLIR_TABLEGEN_EXE} ${flags} -I ${PROJECT_SOURCE_DIR} -I ${KUMIKO_GENERATED_DIR} -I ${MLIR_INCLUDE_DIRS} ${td} -o ${path} -d ${path}.d
      DEPENDS ${td} ${KUMIKO_TABLEGEN_DEPENDS} DEPFILE ${path}.d VERBATIM)
    list(APPEND outputs ${path})
  endwhile()
  add_custom_target(${target} DEPENDS ${outputs})
endfunction()
