# find_package(restante) -> restante::core: the static library, the headers that a client needs
# (core/client/queue.h and what it includes), and where its own dependencies are found. With
# COMPONENTS journal also restante::journal, for a client of a store that has jobs in its journal alone.
include(CMakePackageConfigHelpers)

set(headers ${CMAKE_INSTALL_INCLUDEDIR}/restante)
set_target_properties(restante_core PROPERTIES EXPORT_NAME core)
target_include_directories(restante_core INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}> $<INSTALL_INTERFACE:${headers}>)
install(TARGETS restante_core EXPORT restanteTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(folder base job queue)
    install(DIRECTORY core/${folder} DESTINATION ${headers}/core FILES_MATCHING PATTERN "*.h")
endforeach()
install(FILES core/client/queue.h DESTINATION ${headers}/core/client)
# #include <restante/queue.h>
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package/queue.h
    CONTENT "#pragma once\n\n#include \"core/client/queue.h\"\n")
install(FILES ${CMAKE_BINARY_DIR}/package/queue.h DESTINATION ${headers})

if(TARGET restante_journal)
    set_target_properties(restante_journal PROPERTIES EXPORT_NAME journal)
    install(TARGETS restante_journal EXPORT restanteJournalTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(FILES core/journal/client/journal_queue.h DESTINATION ${headers}/core/journal/client)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/package/journal_queue.h
        CONTENT "#pragma once\n\n#include \"core/journal/client/journal_queue.h\"\n")
    install(FILES ${CMAKE_BINARY_DIR}/package/journal_queue.h DESTINATION ${headers})
    install(EXPORT restanteJournalTargets NAMESPACE restante:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/restante)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/restante)
install(EXPORT restanteTargets NAMESPACE restante:: DESTINATION ${package})
configure_package_config_file(resources/cmake/restanteConfig.cmake.in
    ${CMAKE_BINARY_DIR}/package/restanteConfig.cmake INSTALL_DESTINATION ${package})
# Below 1.0 every minor version may break its users.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/restanteConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/restanteConfig.cmake
    ${CMAKE_BINARY_DIR}/package/restanteConfigVersion.cmake DESTINATION ${package})
