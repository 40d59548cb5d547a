#include "core/http/server/request_reader.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <optional>
#include <string>

namespace restante::http {
namespace {

using Progress = RequestReader::Progress;

constexpr RequestReader::Limits kLimits{512, 256};

/// The first request of `bytes`, which come `piece` at a time; none when there is no whole one.
std::optional<Request> firstRequest(std::string_view bytes, std::size_t piece)
{
    RequestReader reader(kLimits);
    std::string input;
    while (!bytes.empty()) {
        input.append(bytes.substr(0, piece));
        bytes.remove_prefix(std::min(piece, bytes.size()));
        auto progress = Progress::HeaderEnd;
        while (progress == Progress::HeaderEnd) {
            std::string_view rest = input;
            progress = reader.read(rest);
            input.erase(0, input.size() - rest.size());
        }
        if (progress == Progress::Refused) {
            fuzz::require(reader.refusal().status >= 400, "a refusal is an error");
            fuzz::require(!reader.refusal().detail.empty(), "a refusal says why");
            return {};
        }
        if (progress == Progress::Complete) {
            return std::move(reader.request());
        }
    }
    return {};
}

}  // namespace
}  // namespace restante::http

/// What comes over the wire, whole and byte by byte: both must be read alike.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace restante;
    const auto bytes = fuzz::textOf(data, size);
    const auto whole = http::firstRequest(bytes, size);
    const auto dripped = http::firstRequest(bytes, 1);
    fuzz::require(whole.has_value() == dripped.has_value(), "framing does not depend on pieces");
    if (whole) {
        fuzz::require(whole->body == dripped->body && whole->path == dripped->path &&
                          whole->headers.size() == dripped->headers.size(),
                      "a request does not depend on pieces");
        fuzz::require(!whole->path.empty(), "a request has a path");
        fuzz::require(whole->body.size() <= http::kLimits.body, "a body keeps to its limit");
    }
    return 0;
}
