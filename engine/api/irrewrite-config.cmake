# find_package(irrewrite): irrewrite::irrewrite, the library behind <irrewrite/testing.hpp>, and irrewrite::tool, the command.
get_filename_component(irrewrite_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(Threads)
if(NOT TARGET irrewrite::irrewrite)
  add_library(irrewrite::irrewrite STATIC IMPORTED)
  set_target_properties(irrewrite::irrewrite PROPERTIES
    IMPORTED_LOCATION "${irrewrite_PREFIX}/lib/libirrewrite.a"
    INTERFACE_INCLUDE_DIRECTORIES "${irrewrite_PREFIX}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES "fmt::fmt;Threads::Threads")
  add_executable(irrewrite::tool IMPORTED)
  set_target_properties(irrewrite::tool PROPERTIES IMPORTED_LOCATION "${irrewrite_PREFIX}/bin/irrewrite")
endif()
