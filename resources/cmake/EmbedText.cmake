# Writes OUTPUT, which defines FUNCTION of HEADER: `std::string_view FUNCTION() noexcept`, the text
# of the file TEXT.
file(READ "${TEXT}" text)
string(REGEX REPLACE "::[^:]*$" "" namespace "${FUNCTION}")
string(REGEX REPLACE "^.*::" "" name "${FUNCTION}")
file(WRITE "${OUTPUT}" "// Generated; see resources/cmake/EmbedText.cmake.
#include \"${HEADER}\"

namespace ${namespace} {

std::string_view ${name}() noexcept
{
    return R\"TEXT(${text})TEXT\";
}

}  // namespace ${namespace}
")
