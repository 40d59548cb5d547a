#include "core/redis/store/stream_id.h"

#include <charconv>
#include <fmt/format.h>

namespace restante::redis {

std::optional<StreamId> StreamId::parse(std::string_view text)
{
    StreamId id;
    const auto* end = text.data() + text.size();
    const auto ms = std::from_chars(text.data(), end, id.ms);
    if (ms.ec != std::errc{} || ms.ptr == end || *ms.ptr != '-') {
        return std::nullopt;
    }
    const auto seq = std::from_chars(ms.ptr + 1, end, id.seq);
    if (seq.ec != std::errc{} || seq.ptr != end) {
        return std::nullopt;
    }
    return id;
}

std::string StreamId::print() const
{
    return fmt::format("{}-{}", ms, seq);
}

}  // namespace restante::redis
