#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace restante::sip {

/// Method and Request-URI of a request that is written as text.
struct RequestWords {
    std::string_view method;
    std::string_view uri;
};
/// Empty words when its first line has no three words. *Pure function.*
RequestWords requestWords(std::string_view request) noexcept;

/// The request with those header lines added, and `cseqStep` added to its CSeq. *Pure function.*
std::string withHeaders(std::string_view request,
                        const std::vector<std::pair<std::string, std::string>>& headers,
                        std::uint32_t cseqStep);

/// Whether `text` can be part of one header line: no CR, no LF, no NUL.
bool isOneLine(std::string_view text) noexcept;

/// Prints a request line by line, without the Via, which the agent adds. A value with a line break
/// makes finish() fail, so that nobody can inject header lines. *One thread.*
class RequestWriter {
public:
    RequestWriter(std::string_view method, std::string_view uri);

    void addLine(std::string_view name, std::string_view value);

    /// The whole request. Invalid names the first field that has a line break or NUL; a space is
    /// wrong in the Request-URI, too.
    Result<std::string> finish(std::string_view body = {}) &&;

private:
    std::string method_;
    std::string text_;
    std::optional<std::string> invalidField_;  ///< the first field that is not one line
};

}  // namespace restante::sip
