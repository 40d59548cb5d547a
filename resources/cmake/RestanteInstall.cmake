# cmake --install (FHS) and cpack (.deb). Only what is built is installed, so that a tree without
# the SIP plugin is still a valid one.
include(GNUInstallDirs)

foreach(program restanted restantectl restante-phone restante-admin)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()
if(TARGET librestante_sip)
    install(TARGETS librestante_sip
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        PUBLIC_HEADER DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/restante)
endif()

include(RestantePackage)

file(GLOB example_folders LIST_DIRECTORIES true ${CMAKE_SOURCE_DIR}/resources/examples ${CMAKE_SOURCE_DIR}/resources/kamailio
    ${CMAKE_SOURCE_DIR}/resources/opensips ${CMAKE_SOURCE_DIR}/resources/flexisip ${CMAKE_SOURCE_DIR}/resources/asterisk
    ${CMAKE_SOURCE_DIR}/resources/nftables ${CMAKE_SOURCE_DIR}/resources/prometheus)
foreach(folder IN LISTS example_folders)
    install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/restante)
endforeach()
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
foreach(program restanted restantectl restante-phone)
    install(FILES resources/completion/restantectl.bash RENAME ${program}
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endforeach()
install(FILES resources/completion/_restantectl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES resources/man/restanted.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)
install(FILES resources/man/restante.toml.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES resources/man/restantectl.1 resources/man/restante-phone.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET restante-admin)
    set(admin_id org.restante.Admin)
    install(FILES resources/desktop/${admin_id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES resources/desktop/${admin_id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    install(FILES resources/desktop/icons/${admin_id}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
    foreach(size 16 32 48 64 128 256)
        install(FILES resources/desktop/icons/${size}.png RENAME ${admin_id}.png
            DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${size}x${size}/apps)
    endforeach()
endif()
install(FILES README.md CHANGELOG.md LICENSE resources/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_file(resources/cmake/InstallService.cmake.in ${CMAKE_BINARY_DIR}/InstallService.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/InstallService.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME restante)
set(CPACK_PACKAGE_CONTACT "Restante <restante@localhost>")
set(CPACK_PACKAGE_VENDOR Restante)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DESCRIPTION
    "Keeps a SIP MESSAGE for somebody who is offline and delivers it in order at their next
registration; runs any job later, with retries, leases and dead letters, on Redis.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "redis-server | valkey-server, tzdata, adduser")
# For the console's tunnels (docs/console.md).
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openssh-client")
# For who builds against the library (docs/cpp-client.md).
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libhiredis-dev, libcurl4-openssl-dev, libspdlog-dev, libfmt-dev, libexpected-dev, libssl-dev, zlib1g-dev, pkg-config")
set(debian ${CMAKE_SOURCE_DIR}/resources/debian)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "${debian}/postinst;${debian}/prerm;${debian}/postrm;${debian}/conffiles;${debian}/triggers")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
