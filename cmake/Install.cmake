# What `cmake --install` puts in place besides the runtime (runtime/CMakeLists.txt): the tool, libkumiko with its header,
# and how CMake and pkg-config find it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(kumiko PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS kumiko RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS KumikoShared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/kumiko/compiler.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kumiko)

set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/Kumiko)
configure_package_config_file(cmake/KumikoConfig.cmake.in ${PROJECT_BINARY_DIR}/KumikoConfig.cmake
  INSTALL_DESTINATION ${folder} NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/KumikoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/KumikoConfig.cmake ${PROJECT_BINARY_DIR}/KumikoConfigVersion.cmake DESTINATION ${folder})

file(RELATIVE_PATH KUMIKO_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/kumiko.pc.in ${PROJECT_BINARY_DIR}/kumiko.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kumiko.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
