# find_package(irrewrite): irrewrite::tool, the command; irrewrite_add_library(), programs as C++ headers; where fmt is found
# irrewrite::irrewrite, the library behind <irrewrite/testing.hpp>. The variable IRREWRITE names another command.
get_filename_component(irrewrite_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET irrewrite::tool)
  add_executable(irrewrite::tool IMPORTED GLOBAL)
  if(IRREWRITE)
    set_target_properties(irrewrite::tool PROPERTIES IMPORTED_LOCATION "${IRREWRITE}")
  else()
    set_target_properties(irrewrite::tool PROPERTIES IMPORTED_LOCATION "${irrewrite_PREFIX}/bin/irrewrite")
  endif()
endif()
find_package(fmt QUIET)
find_package(Threads QUIET)
if(NOT TARGET irrewrite::irrewrite AND fmt_FOUND AND EXISTS "${irrewrite_PREFIX}/lib/libirrewrite.a")
  add_library(irrewrite::irrewrite STATIC IMPORTED)
  set_target_properties(irrewrite::irrewrite PROPERTIES
    IMPORTED_LOCATION "${irrewrite_PREFIX}/lib/libirrewrite.a"
    INTERFACE_INCLUDE_DIRECTORIES "${irrewrite_PREFIX}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_LINK_LIBRARIES "fmt::fmt;Threads::Threads")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/irrewrite-add-library.cmake")
