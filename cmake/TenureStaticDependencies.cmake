# The release's libraries, static, so that it needs nothing but libc: Debian's
# archives where there are some, and what build_static_dependencies.sh built.
if(NOT TENURE_DEPS_PREFIX)
  execute_process(
    COMMAND "${CMAKE_CURRENT_LIST_DIR}/build_static_dependencies.sh"
            --print-prefix
    OUTPUT_VARIABLE TENURE_DEPS_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT EXISTS "${TENURE_DEPS_PREFIX}/complete")
  message(FATAL_ERROR "expected the static libraries in "
    "'${TENURE_DEPS_PREFIX}', found none; run `make deps` first")
endif()

# Points an imported target of Debian's at its archive.
function(tenure_link_archive target archive)
  get_target_property(_configurations ${target} IMPORTED_CONFIGURATIONS)
  foreach(_configuration IN LISTS _configurations)
    set_property(TARGET ${target} PROPERTY
      IMPORTED_LOCATION_${_configuration} "${archive}")
    set_property(TARGET ${target} PROPERTY IMPORTED_SONAME_${_configuration})
  endforeach()
  set_property(TARGET ${target} PROPERTY IMPORTED_LOCATION "${archive}")
endfunction()

foreach(_pair "OpenSSL::SSL=ssl" "OpenSSL::Crypto=crypto" "yaml-cpp=yaml-cpp"
             "SQLite::SQLite3=sqlite3")
  string(REPLACE "=" ";" _pair "${_pair}")
  list(GET _pair 0 _target)
  list(GET _pair 1 _library)
  find_library(TENURE_ARCHIVE_${_library} "lib${_library}.a" REQUIRED)
  tenure_link_archive(${_target} "${TENURE_ARCHIVE_${_library}}")
endforeach()

# Imported targets, not bare files: CMake then knows what must follow them.
add_library(tenure_archive_cpprest STATIC IMPORTED GLOBAL)
set_target_properties(tenure_archive_cpprest PROPERTIES
  IMPORTED_LOCATION "${TENURE_DEPS_PREFIX}/lib/libcpprest.a"
  INTERFACE_INCLUDE_DIRECTORIES "${TENURE_DEPS_PREFIX}/include")
target_link_libraries(tenure_archive_cpprest INTERFACE
  Boost::headers OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
target_compile_definitions(tenure_archive_cpprest INTERFACE
  CPPREST_EXCLUDE_WEBSOCKETS=1 CPPREST_FORCE_HTTP_CLIENT_ASIO
  CPPREST_FORCE_HTTP_LISTENER_ASIO CPPREST_NO_SSL_LEAK_SUPPRESS
  TENURE_CPPREST_PATCHED)  # cmake/patches
target_link_libraries(tenure_dep_cpprest INTERFACE tenure_archive_cpprest)

add_library(tenure_archive_prometheus STATIC IMPORTED GLOBAL)
set_target_properties(tenure_archive_prometheus PROPERTIES
  IMPORTED_LOCATION "${TENURE_DEPS_PREFIX}/lib/libprometheus-cpp-core.a"
  INTERFACE_INCLUDE_DIRECTORIES "${TENURE_DEPS_PREFIX}/include")
target_link_libraries(tenure_archive_prometheus INTERFACE Threads::Threads)
target_link_libraries(tenure_dep_prometheus INTERFACE
  tenure_archive_prometheus)

# glibc stays shared: a static one could not resolve names. The sanitizers'
# run-times need the shared libstdc++.
if(NOT TENURE_SANITIZE)
  target_link_options(tenure_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()
