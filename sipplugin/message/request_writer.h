#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace restante::sip {

/// Whether it can be part of one header line: no CR, no LF, no NUL.
bool isOneLine(std::string_view text) noexcept;

/// Prints a request line by line, but for the Via that the agent adds. Remembers the first field
/// that would be more than one line, so that nobody smuggles in lines of their own. *One thread.*
class RequestWriter {
public:
    RequestWriter(std::string_view method, std::string_view uri);

    void line(std::string_view name, std::string_view value);

    /// The request with its Content-Length and body. Invalid when a field holds a line break or a
    /// NUL, or the Request-URI a space; the message names the field.
    Result<std::string> finish(std::string_view body = {}) &&;

private:
    std::string method_;
    std::string text_;
    std::optional<std::string> broken_;  ///< the first field that is no line
};

}  // namespace restante::sip
