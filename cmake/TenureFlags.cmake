# One interface target carries every compiler flag: link it, set nothing else.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

option(TENURE_WERROR "Warnings are errors" OFF)
set(TENURE_SANITIZE "" CACHE STRING "address;undefined or thread")
option(TENURE_FUZZ "Build the fuzz targets, with clang, and no other test" OFF)
option(TENURE_COVERAGE "Count what is reached, with clang" OFF)

add_library(tenure_flags INTERFACE)
add_library(tenure::flags ALIAS tenure_flags)
target_include_directories(tenure_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(tenure_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum
  -Wnon-virtual-dtor -Wold-style-cast -Wundef
  # Not in what sets this property: it is run by the hour, and never shipped.
  "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TENURE_BARE>>>:-fstack-protector-strong>"
  -fno-omit-frame-pointer
  # CHECK prints a path in the tree, not the builder's.
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
if(TENURE_WERROR)
  target_compile_options(tenure_flags INTERFACE -Werror)
endif()
if(TENURE_SANITIZE)
  list(JOIN TENURE_SANITIZE "," _sanitize)
  target_compile_options(tenure_flags INTERFACE
    "-fsanitize=${_sanitize}" -fno-sanitize-recover=all)
  target_link_options(tenure_flags INTERFACE "-fsanitize=${_sanitize}")
  if("thread" IN_LIST TENURE_SANITIZE)
    # Asio's fences are beside its mutexes; TSan sees those.
    target_compile_options(tenure_flags INTERFACE -Wno-tsan)
  endif()
elseif(CMAKE_BUILD_TYPE STREQUAL "Release" OR
       CMAKE_BUILD_TYPE STREQUAL "MinSizeRel" OR
       CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  target_compile_options(tenure_flags INTERFACE
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -ffunction-sections -fdata-sections)
  target_link_options(tenure_flags INTERFACE
    -Wl,--gc-sections -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()
if(TENURE_COVERAGE)
  target_compile_options(tenure_flags INTERFACE
    -fprofile-instr-generate -fcoverage-mapping
    -fprofile-update=atomic)  # the exhaustive ring has threads
  target_link_options(tenure_flags INTERFACE -fprofile-instr-generate)
endif()

include(CheckPIESupported)
check_pie_supported()

find_program(TENURE_CCACHE ccache)
if(TENURE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TENURE_CCACHE}")
endif()
