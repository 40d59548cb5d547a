# One interface target that every target of ours links: language level, warnings, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Paths are relative to the checkout, in debug information and for ccache: what one checkout has
# compiled serves every other, and a build is reproducible.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
find_program(RESTANTE_CCACHE ccache)
if(RESTANTE_CCACHE)
    # A precompiled header is told by its content, which has no absolute path in it either.
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_SLOPPINESS=pch_defines,time_macros ${RESTANTE_CCACHE})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()

set(RESTANTE_SANITIZE "" CACHE STRING "Value of -fsanitize= for everything, e.g. address,undefined")

# A newer compiler or Qt warns of what this one accepts, and whoever builds the product cannot mend
# that: only the `dev` preset and ./check on Debian 12 turn it on.
option(RESTANTE_WARNINGS_AS_ERRORS "A warning of the compiler ends the build" OFF)
set(fatal_warnings "")
if(RESTANTE_WARNINGS_AS_ERRORS)
    set(fatal_warnings -Werror)
endif()

# Most of a first build is reading the same headers. A folder of the product at once takes half of the
# time, ten test files little more than a third. Of no use to who edits, since a file is then compiled with
# its neighbours; they may not define the same names in their unnamed namespaces.
set(RESTANTE_UNITY "OFF" CACHE STRING "What is compiled together: nothing (OFF), the tests (TESTS), all (ON)")
set_property(CACHE RESTANTE_UNITY PROPERTY STRINGS OFF TESTS ON)
if(NOT RESTANTE_UNITY MATCHES "^(OFF|TESTS|ON)$")
    message(FATAL_ERROR "RESTANTE_UNITY is \"${RESTANTE_UNITY}\": give OFF, TESTS or ON")
endif()

# restante_unity(TARGET): the product's, folder by folder.
function(restante_unity target)
    if(NOT RESTANTE_UNITY STREQUAL "ON")
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    foreach(source ${sources})
        file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${source})
        string(REGEX REPLACE "/[^/]*$" "" folder ${folder})
        string(MAKE_C_IDENTIFIER ${folder} folder)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    restante_types_of_headers(${target})
endfunction()

# restante_unity_of_tests(TARGET): sixteen files at a time, as their folders are so large that one
# core would be waited for.
function(restante_unity_of_tests target)
    if(RESTANTE_UNITY STREQUAL "OFF")
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE BATCH UNITY_BUILD_BATCH_SIZE 16)
    restante_types_of_headers(${target})
endfunction()

# To the compiler each source of a unity is a header, whose types nobody else may name.
function(restante_types_of_headers target)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
endfunction()

add_library(restante_warnings INTERFACE)
target_compile_options(restante_warnings INTERFACE
    -Wall -Wextra -Wpedantic ${fatal_warnings} -Wnon-virtual-dtor -Wold-style-cast
    -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough -Wundef)
# Compiled with its neighbours, a source has their names in sight, and hides them without meaning to.
if(NOT RESTANTE_UNITY STREQUAL "ON")
    target_compile_options(restante_warnings INTERFACE -Wshadow)
endif()
# -Wcast-align is off: sofia's macros cast text to url_string_t, which clang reports on every machine.
# GCC 12 reports null dereferences and overlaps inside libstdc++ once it inlines at -O2.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(restante_warnings INTERFACE -Wno-null-dereference -Wno-restrict)
    # Nor does it know any more, once a header is precompiled, that the code is the library's.
    target_compile_options(restante_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    # An optimised build takes the absent member of an optional or expected for one that is read.
    if(RESTANTE_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        target_compile_options(restante_warnings INTERFACE -Wno-maybe-uninitialized)
    endif()
endif()
target_include_directories(restante_warnings INTERFACE ${CMAKE_SOURCE_DIR})

if(RESTANTE_SANITIZE)
    add_compile_options(-fsanitize=${RESTANTE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${RESTANTE_SANITIZE})
endif()
# What makes a mistake in memory a crash instead of a way in. Of sanitizers' builds nothing: they find
# more, and _FORTIFY_SOURCE hides calls from them. Debug builds, which are not optimised, get what
# the linker does; the rest, of which FORTIFY needs an optimiser, is for what is installed. CET's
# markers end in a program only where the C start files have them, too.
if(NOT RESTANTE_SANITIZE AND NOT RESTANTE_FUZZ)
    include(CheckPIESupported)
    check_pie_supported(LANGUAGES CXX)
    add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        add_compile_options(-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
            -D_GLIBCXX_ASSERTIONS)
        if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
            add_compile_options(-fcf-protection=full)
        elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
            add_compile_options(-mbranch-protection=standard)
        endif()
    endif()
endif()

# libFuzzer steers by the coverage of the code under test, so all of it is instrumented.
if(RESTANTE_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "RESTANTE_FUZZ needs clang: cmake --preset fuzz")
    endif()
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
