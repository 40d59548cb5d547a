# What keeps the house in shape: layers, names, sizes, documents, formatting, static analysis.
restante_add_tests(architecture_tests architecture LABELS architecture LIBRARIES restante_sip nlohmann_json::nlohmann_json)

# Makes what comes from the catalogues of keys and metrics anew: the tables of docs/operations.md, the
# manual page restante.toml(5), and resources/config/restante.toml.
add_custom_target(documents DEPENDS architecture_tests VERBATIM
    COMMAND ${CMAKE_COMMAND} -E env ${test_environment} RESTANTE_UPDATE_DOCUMENTS=1 $<TARGET_FILE:architecture_tests>
        --gtest_brief=1 --gtest_filter=Documents.whatIsMadeFromTheCataloguesIsUpToDate)

# Every header compiles alone. Where its own source includes it first, that source has shown it, unless it
# is compiled with others, as the test programs' are; for each of the others a source is generated.
# Not part of the ordinary build; the test builds it.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
    ${CMAKE_SOURCE_DIR}/core/*.h ${CMAKE_SOURCE_DIR}/sipplugin/*.h ${CMAKE_SOURCE_DIR}/tests/*.h ${CMAKE_SOURCE_DIR}/gui/*.h)
if(NOT TARGET restante_gui)
    list(FILTER headers EXCLUDE REGEX "^(gui|tests/gui)/")
endif()
set(header_sources "")
foreach(header IN LISTS headers)
    string(REGEX REPLACE "h$" "cpp" own ${CMAKE_SOURCE_DIR}/${header})
    if(EXISTS ${own} AND NOT (header MATCHES "^tests/" AND NOT header MATCHES "^tests/support/"))
        file(STRINGS ${own} includes REGEX "^#include " LIMIT_COUNT 1)
        if(includes STREQUAL "#include \"${header}\"")
            continue()
        endif()
    endif()
    string(MAKE_C_IDENTIFIER ${header} unit)
    set(unit ${CMAKE_CURRENT_BINARY_DIR}/headers/${unit}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
    list(APPEND header_sources ${unit})
endforeach()
add_library(header_units OBJECT EXCLUDE_FROM_ALL ${header_sources})
target_link_libraries(header_units PRIVATE restante_core GTest::gtest GTest::gmock PkgConfig::HIREDIS PkgConfig::SOFIA
    nlohmann_json::nlohmann_json $<TARGET_NAME_IF_EXISTS:Qt6::Widgets> $<TARGET_NAME_IF_EXISTS:Qt6::Svg>
    $<TARGET_NAME_IF_EXISTS:Qt6::Test>)
restante_add_command_test(architecture.everyHeaderCompilesAlone LABEL architecture TIMEOUT 1200
    COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target header_units -- -k 0)

# Both tools judge differently from version to version: 14, Debian 12's, is the one of record.
# Elsewhere there is nothing to hold the code to, so there are no such tests.
find_program(CLANG_FORMAT_14 clang-format-14)
if(CLANG_FORMAT_14)
    restante_add_command_test(lint.formattingIsTheAgreedOne LABEL lint TIMEOUT 120
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/architecture/format.sh ${CLANG_FORMAT_14})
else()
    message(STATUS "clang-format-14 is not here: the formatting is not tested")
endif()
find_program(CLANG_TIDY_14 clang-tidy-14)
if(CLANG_TIDY_14 AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT RESTANTE_SANITIZE AND RESTANTE_UNITY STREQUAL "OFF")
    # Ten seconds a file and core when nothing is remembered, none when nothing has changed.
    restante_add_command_test(lint.clangTidyFindsNothing LABEL lint TIMEOUT 2400
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/architecture/tidy.py ${CMAKE_BINARY_DIR})
else()
    message(STATUS "clang-tidy-14 is not here, or this is a sanitizer's build or RESTANTE_UNITY: no static analysis")
endif()

if(TARGET restanted AND TARGET restantectl AND TARGET restante-phone AND NOT RESTANTE_SANITIZE AND NOT RESTANTE_FUZZ)
    restante_add_command_test(e2e.everyCommandAndOptionIsCompleted LABEL e2e TIMEOUT 60
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/architecture/completion.sh $<TARGET_FILE:restantectl> ${CMAKE_SOURCE_DIR})
    restante_add_command_test(e2e.thePackageInstallsAndItsProgramsRun LABEL e2e TIMEOUT 180
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/architecture/package.sh ${CMAKE_BINARY_DIR})
    set(hardened $<TARGET_FILE:restanted> $<TARGET_FILE:restantectl> $<TARGET_FILE:restante-phone>)
    foreach(target restante-admin librestante_sip)
        if(TARGET ${target})
            list(APPEND hardened $<TARGET_FILE:${target}>)
        endif()
    endforeach()
    restante_add_command_test(e2e.theProgramsAreHardened LABEL e2e TIMEOUT 120
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/architecture/hardening.sh ${CMAKE_BUILD_TYPE} ${hardened})
    restante_add_command_test(e2e.theUnitIsNarrowAndValid LABEL e2e TIMEOUT 60
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/architecture/unit.sh ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
endif()

if(TARGET restante_gui)
    # A process has one scale and one platform: what other ones show is a run of its own. The screen
    # without a window system is half as large then, too small for the invented longer language.
    restante_add_command_test(gui.everyPictureAtScaleTwo LABEL gui TIMEOUT 240
        COMMAND ${CMAKE_COMMAND} -E env QT_SCALE_FACTOR=2 QT_QPA_PLATFORM=offscreen
        $<TARGET_FILE:gui_tests> --gtest_filter=*Screens*-*/long)
    find_program(XVFB_RUN xvfb-run REQUIRED)
    restante_add_command_test(gui.theMainWorkflowOnAnXServer LABEL gui TIMEOUT 300
        COMMAND ${XVFB_RUN} -a -s "-screen 0 1600x1000x24" ${CMAKE_COMMAND} -E env QT_QPA_PLATFORM=xcb
        $<TARGET_FILE:gui_tests> --gtest_filter=Workflow*:KeyboardOnly*)
    restante_add_command_test(gui.everyTextIsTranslated LABEL gui TIMEOUT 120
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/architecture/translations.sh $<TARGET_FILE:Qt6::lupdate> $<TARGET_FILE:Qt6::lrelease> ${CMAKE_SOURCE_DIR})
    find_program(DESKTOP_FILE_VALIDATE desktop-file-validate REQUIRED)
    find_program(APPSTREAMCLI appstreamcli REQUIRED)
    restante_add_command_test(gui.theDesktopFileIsValid LABEL gui TIMEOUT 60
        COMMAND ${DESKTOP_FILE_VALIDATE} ${CMAKE_SOURCE_DIR}/resources/desktop/org.restante.Admin.desktop)
    restante_add_command_test(gui.theMetainfoIsValid LABEL gui TIMEOUT 60
        COMMAND ${APPSTREAMCLI} validate --no-net ${CMAKE_SOURCE_DIR}/resources/desktop/org.restante.Admin.metainfo.xml)
endif()
