# irrewrite_add_library(NAME SOURCES program.ir... [RULES file.rules...] [INCLUDES folder...] [NAMESPACE name] [OPTIONS option...])
#
# The target NAME: each program as a C++ header, `#include "program.hpp"` with its functions in namespace `program`, in `name::program` with
# NAMESPACE. RULES are files of the project or shipped ones, applied in order; INCLUDES are folders in which rule files and their imports
# are looked for; OPTIONS go to the command. A header is made again when its program, a rule file beside those of RULES or in INCLUDES, or
# the command changes. What links to NAME is compiled as emitted code has to be: C++20, OpenMP, strict floats.
function(irrewrite_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAMESPACE" "SOURCES;RULES;INCLUDES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "irrewrite_add_library(${name}): unknown arguments '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "irrewrite_add_library(${name}): SOURCES names no program")
  endif()
  find_package(OpenMP REQUIRED)

  set(options ${arg_OPTIONS})
  set(folders "")
  foreach(folder IN LISTS arg_INCLUDES)
    get_filename_component(folder "${folder}" ABSOLUTE)
    list(APPEND options -I "${folder}")
    list(APPEND folders "${folder}")
  endforeach()
  foreach(rules IN LISTS arg_RULES)
    get_filename_component(path "${rules}" ABSOLUTE)
    if(EXISTS "${path}")
      list(APPEND options -rules "${path}")
      get_filename_component(folder "${path}" DIRECTORY)
      list(APPEND folders "${folder}")
    else() # a shipped one, or one in INCLUDES
      list(APPEND options -rules "${rules}")
    endif()
  endforeach()
  set(files "")
  foreach(folder IN LISTS folders) # what rule files import is among them
    file(GLOB found CONFIGURE_DEPENDS "${folder}/*.rules")
    list(APPEND files ${found})
  endforeach()

  set(made "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set(headers "")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(program "${source}" ABSOLUTE)
    get_source_file_property(generated "${program}" GENERATED)
    if(NOT generated AND NOT EXISTS "${program}")
      message(FATAL_ERROR "irrewrite_add_library(${name}): there is no program '${source}'")
    endif()
    get_filename_component(stem "${source}" NAME_WE)
    get_filename_component(folder "${program}" DIRECTORY)
    get_filename_component(file "${program}" NAME)
    string(MAKE_C_IDENTIFIER "${stem}" namespace)
    if(arg_NAMESPACE)
      set(namespace "${arg_NAMESPACE}::${namespace}")
    endif()
    set(header "${made}/${stem}.hpp")
    if(header IN_LIST headers)
      message(FATAL_ERROR "irrewrite_add_library(${name}): two programs would be '${stem}.hpp'")
    endif()
    add_custom_command(
      OUTPUT "${header}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}"
      COMMAND irrewrite::tool ${options} -emit cpp -header -namespace "${namespace}" -o "${header}" "${file}"
      WORKING_DIRECTORY "${folder}" # faults name the program as it stands there
      DEPENDS "${program}" ${files} irrewrite::tool
      VERBATIM)
    list(APPEND headers "${header}")
  endforeach()

  add_custom_target("${name}-headers" DEPENDS ${headers})
  add_library("${name}" INTERFACE)
  add_dependencies("${name}" "${name}-headers")
  target_include_directories("${name}" INTERFACE "${made}")
  target_compile_features("${name}" INTERFACE cxx_std_20)
  # -ffp-contract=off is part of the meaning of emitted code.
  target_compile_options("${name}" INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off> $<$<COMPILE_LANGUAGE:CXX>:-fno-math-errno>)
  target_link_libraries("${name}" INTERFACE OpenMP::OpenMP_CXX)
endfunction()
