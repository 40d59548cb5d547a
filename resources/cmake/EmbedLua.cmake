# Writes OUTPUT, a C++ table of SCRIPTS: { name, text, SHA-1 of the text }, sorted by name, as the
# function NAMESPACE::scripts() that HEADER declares. A line `--#include lib/x.lua` is replaced by
# that file of the script's folder, or of PARTS, because Redis knows no modules; so are such lines in it. What is
# there already is not put in once more.
if(NOT NAMESPACE)
    set(NAMESPACE restante::redis)
    set(HEADER core/redis/store/script.h)
endif()
separate_arguments(SCRIPTS)
list(SORT SCRIPTS)
list(LENGTH SCRIPTS count)
set(entries "")
foreach(script IN LISTS SCRIPTS)
    get_filename_component(name "${script}" NAME_WE)
    get_filename_component(folder "${script}" DIRECTORY)
    file(READ "${script}" text)
    set(included "")
    while(text MATCHES "--#include ([a-z_/]+[.]lua)\n")
        set(line "${CMAKE_MATCH_0}")
        set(part "${CMAKE_MATCH_1}")
        set(body "")
        list(FIND included "${part}" known)
        if(known EQUAL -1)
            list(APPEND included "${part}")
            if(PARTS AND NOT EXISTS "${folder}/${part}")
                file(READ "${PARTS}/${part}" body)
            else()
                file(READ "${folder}/${part}" body)
            endif()
        endif()
        string(FIND "${text}" "${line}" begin)
        string(LENGTH "${line}" length)
        math(EXPR end "${begin} + ${length}")
        string(SUBSTRING "${text}" 0 ${begin} before)
        string(SUBSTRING "${text}" ${end} -1 behind)
        set(text "${before}${body}${behind}")
    endwhile()
    if(text MATCHES "--#include[^\n]*")
        message(FATAL_ERROR "${script}: \"${CMAKE_MATCH_0}\" includes nothing; write --#include lib/name.lua and end the line")
    endif()
    string(SHA1 digest "${text}")
    # The text follows the bracket at once: Redis wants its `#!lua` line first. A literal knows its
    # length: counted byte by byte, all texts together are more than a compiler evaluates.
    string(APPEND entries "    ::restante::redis::Script{ \"${name}\", R\"LUA(${text})LUA\"sv, \"${digest}\" },\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated; see resources/cmake/EmbedLua.cmake.
#include \"${HEADER}\"

#include <array>
#include <string_view>

namespace ${NAMESPACE} {

using namespace std::string_view_literals;

namespace {
    constexpr std::array<::restante::redis::Script, ${count}> kScripts{
${entries}    };
}

std::span<const ::restante::redis::Script> scripts() noexcept { return kScripts; }

}  // namespace ${NAMESPACE}
")
