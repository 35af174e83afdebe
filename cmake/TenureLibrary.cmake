# tenure_library(<folder> SOURCES a.cc ... DEPS x y): one static library a
# folder, tenure_<folder>, alias tenure::<folder>.
function(tenure_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(tenure_${folder} STATIC ${ARG_SOURCES})
  add_library(tenure::${folder} ALIAS tenure_${folder})
  target_link_libraries(tenure_${folder}
    PUBLIC tenure::flags ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS})
endfunction()

# tenure_test(<name> SOURCES a_test.cc ... DEPS x y LABELS unit): one GoogleTest
# program; ctest runs it whole, so that its own counts are what is reported.
# Tests run in the root of the tree: TENURE_SOURCE_DIR is ".", not an absolute
# path, so that ccache serves every clone.
function(tenure_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE
    tenure::flags ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    TENURE_SOURCE_DIR=".")
  add_test(NAME ${name}
    COMMAND ${name} --gtest_output=xml:${CMAKE_BINARY_DIR}/reports/${name}.xml
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES
    LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()
