# Debian's packages, found where they are installed; nothing is downloaded.
# Each becomes one tenure_dep_<name> target; our headers include none of them.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.74 REQUIRED)  # headers only: Asio and Beast
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(yaml-cpp REQUIRED)

add_library(tenure_dep_asio INTERFACE)
target_link_libraries(tenure_dep_asio INTERFACE
  Boost::headers OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
# No macro that changes what Asio's inline functions do: cpprestsdk has copies of
# them, built without any, and the linker keeps one of each (NO_DEPRECATED makes
# asio_handler_allocate return null).

# Header-only in every build: the release links no shared library but libc.
add_library(tenure_dep_spdlog INTERFACE)
find_path(TENURE_SPDLOG_INCLUDE spdlog/spdlog.h REQUIRED)
target_include_directories(tenure_dep_spdlog SYSTEM INTERFACE
  "${TENURE_SPDLOG_INCLUDE}")
target_compile_definitions(tenure_dep_spdlog INTERFACE
  SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
target_link_libraries(tenure_dep_spdlog INTERFACE Threads::Threads)

add_library(tenure_dep_sqlite INTERFACE)
find_package(SQLite3 REQUIRED)
target_link_libraries(tenure_dep_sqlite INTERFACE SQLite::SQLite3)

add_library(tenure_dep_cpprest INTERFACE)
add_library(tenure_dep_prometheus INTERFACE)
if(TENURE_STATIC)
  include(TenureStaticDependencies)
else()
  find_package(cpprestsdk REQUIRED)
  target_link_libraries(tenure_dep_cpprest INTERFACE cpprestsdk::cpprest)
  find_package(prometheus-cpp REQUIRED)
  target_link_libraries(tenure_dep_prometheus INTERFACE prometheus-cpp::core)
endif()
