#include "core/redis/client/request.h"

#include <array>
#include <charconv>

namespace restante::redis {

namespace {

constexpr std::size_t kHeaderMax = 24;  // mark, 20 digits, CR LF

void appendHeader(std::string& out, char mark, std::size_t count)
{
    std::array<char, kHeaderMax> text{};
    text[0] = mark;
    auto* end = std::to_chars(text.data() + 1, text.data() + text.size(), count).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out.append(text.data(), end);
}

}  // namespace

void appendRequest(std::string& out, std::span<const std::string_view> args)
{
    appendHeader(out, '*', args.size());
    for (const auto arg : args) {
        appendHeader(out, '$', arg.size());
        out.append(arg).append("\r\n", 2);
    }
}

}  // namespace restante::redis
