#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace restante::sip {

/// First words of a request that is written as text.
struct RequestWords {
    std::string_view method;
    std::string_view uri;
};
/// Empty words when it is no request. *Pure function.*
RequestWords requestWords(std::string_view request) noexcept;

/// Adds those header lines, and `step` to the number of its CSeq. *Pure function.*
std::string withHeaders(std::string_view request,
                        const std::vector<std::pair<std::string, std::string>>& headers,
                        std::uint32_t step);

/// Whether it can be part of one header line: no CR, no LF, no NUL.
bool isOneLine(std::string_view text) noexcept;

/// Prints a request line by line, but for the Via that the agent adds. Remembers the first field
/// that would be more than one line, so that nobody smuggles in lines of their own. *One thread.*
class RequestWriter {
public:
    RequestWriter(std::string_view method, std::string_view uri);

    void line(std::string_view name, std::string_view value);

    /// The whole request. Invalid names the field that has a line break, NUL or space.
    Result<std::string> finish(std::string_view body = {}) &&;

private:
    std::string method_;
    std::string text_;
    std::optional<std::string> broken_;  ///< the first field that is no line
};

}  // namespace restante::sip
