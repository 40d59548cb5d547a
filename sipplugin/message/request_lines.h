#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::sip {

/// First words of a request that is written as text.
struct RequestWords {
    std::string_view method;
    std::string_view uri;
};
/// Empty words when it is no request. *Pure function.*
RequestWords requestWords(std::string_view request) noexcept;

/// The request with those header lines before its others, and with `step` added to the number of
/// its CSeq. Body and other lines stay as they are. *Pure function.*
std::string withHeaders(std::string_view request,
                        const std::vector<std::pair<std::string, std::string>>& headers,
                        std::uint32_t step);

}  // namespace restante::sip
