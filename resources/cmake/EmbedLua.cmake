# Writes OUTPUT, a C++ table of SCRIPTS: { name, text, SHA-1 of the text }, sorted by name.
separate_arguments(SCRIPTS)
list(SORT SCRIPTS)
set(entries "")
foreach(script IN LISTS SCRIPTS)
    get_filename_component(name "${script}" NAME_WE)
    file(READ "${script}" text)
    file(SHA1 "${script}" digest)
    string(APPEND entries "    { \"${name}\", R\"LUA(${text})LUA\", \"${digest}\" },\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from core/lua; see resources/cmake/EmbedLua.cmake.
#include \"core/redis/script.h\"

#include <array>

namespace restante::redis {

namespace {
    constexpr Script kScripts[] = {
${entries}    };
}

std::span<const Script> scripts() noexcept { return kScripts; }

}  // namespace restante::redis
")
