# Static libraries that travel inside the tool, one copy for each kind of machine that it compiles for: the machine we
# build on, and those whose C headers Debian's cross packages have put in place. A machine without headers gets none, and
# the tool says so when a shared library is asked for.
set(KUMIKO_EMBED_MACHINES x86_64 aarch64)

# kumiko_cross_archive(OUTPUT MACHINE TARGET): compiles the C sources of a static library for another machine.
function(kumiko_cross_archive output machine target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(includes ${target} INCLUDE_DIRECTORIES)
  list(TRANSFORM includes PREPEND -I)
  set(objects)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${machine}/${target}/${name}.o)
    # Atomics inline: the functions that would choose among them at run time are in no C library.
    set(flags --target=${machine}-linux-gnu -nostdlibinc -isystem ${KUMIKO_INCLUDE_${machine}} -std=c11 -O2 -fPIC
      -fvisibility=hidden -ffunction-sections -fdata-sections -D_GNU_SOURCE -DNDEBUG -Wall -Wextra -Werror
      ${includes})
    if(machine STREQUAL aarch64)
      list(APPEND flags -mno-outline-atomics)
    endif()
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER} ${flags} -MD -MF ${object}.d -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${machine}/${target})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${output}
    COMMAND ${CMAKE_AR} rcsD ${output} ${objects} DEPENDS ${objects} VERBATIM)
endfunction()

# kumiko_embed_archives(SOURCE TARGET...): SOURCE is compiled with the list KUMIKO_ARCHIVES of entries
# ARCHIVE(machine, library, "path"), one for each machine and static library.
function(kumiko_embed_archives source)
  set(entries)
  set(archives)
  foreach(target ${ARGN})
    foreach(machine ${KUMIKO_EMBED_MACHINES})
      set(archive ${CMAKE_CURRENT_BINARY_DIR}/${target}-${machine}.a)
      if(machine STREQUAL CMAKE_SYSTEM_PROCESSOR)
        # A copy, because a source's dependency must be a plain file name.
        add_custom_command(OUTPUT ${archive} COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${target}> ${archive}
          DEPENDS ${target} VERBATIM)
      else()
        find_path(KUMIKO_INCLUDE_${machine} stdio.h PATHS /usr/${machine}-linux-gnu/include NO_DEFAULT_PATH)
        if(NOT KUMIKO_INCLUDE_${machine})
          continue()
        endif()
        kumiko_cross_archive(${archive} ${machine} ${target})
      endif()
      string(APPEND entries "ARCHIVE(${machine}, ${target}, \"${archive}\")\n")
      list(APPEND archives ${archive})
    endforeach()
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/EmbeddedArchives.def CONTENT "${entries}")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${archives}"
    COMPILE_DEFINITIONS KUMIKO_ARCHIVES="${CMAKE_CURRENT_BINARY_DIR}/EmbeddedArchives.def")
endfunction()
