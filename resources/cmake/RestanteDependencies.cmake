# Every foreign package, in one place. All of them come from Debian 12 or 13;
# resources/setup/packages.sh installs them.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(Boost 1.74 REQUIRED)
# SOCI brings no CMake package in Debian. The back-ends are linked, so that the package's
# dependencies name them.
find_path(SOCI_INCLUDE_DIR soci/soci.h REQUIRED)
find_path(MYSQL_INCLUDE_DIR mysql.h PATH_SUFFIXES mariadb mysql REQUIRED)
find_path(POSTGRESQL_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)
find_package(SQLite3 REQUIRED)
set(RESTANTE_SOCI)
foreach(part core mysql postgresql)
    find_library(SOCI_${part} soci_${part} REQUIRED)
    list(APPEND RESTANTE_SOCI ${SOCI_${part}})
endforeach()
pkg_check_modules(HIREDIS REQUIRED IMPORTED_TARGET hiredis)
pkg_check_modules(SOFIA REQUIRED IMPORTED_TARGET sofia-sip-ua)
pkg_check_modules(CARES REQUIRED IMPORTED_TARGET libcares)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)
pkg_check_modules(JEMALLOC REQUIRED IMPORTED_TARGET jemalloc)

# Debian's package of 1.12.11 carries the fixes of CVE-2022-31001/2/3, 2022-47516, 2023-22741 and
# 2023-32307; the plain release of that number does not, and its number does not tell.
if(SOFIA_VERSION VERSION_LESS 1.13 AND NOT EXISTS /usr/share/doc/libsofia-sip-ua-dev/changelog.Debian.gz)
    message(WARNING "sofia-sip ${SOFIA_VERSION} is not Debian's package: unless it is 1.13.15 or later, "
        "or patched, it has known holes (CVE-2022-31001, CVE-2022-47516, CVE-2023-22741, CVE-2023-32307)")
endif()
