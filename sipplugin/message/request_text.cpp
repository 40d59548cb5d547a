#include "sipplugin/message/request_text.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kCSeq = "\r\nCSeq: ";

}  // namespace

RequestWords requestWords(std::string_view request) noexcept
{
    const auto line = request.substr(0, request.find(kLineEnd));
    const auto first = line.find(' ');
    const auto second = line.find(' ', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) {
        return {};
    }
    return {line.substr(0, first), line.substr(first + 1, second - first - 1)};
}

std::string withHeaders(std::string_view request,
                        const std::vector<std::pair<std::string, std::string>>& headers,
                        std::uint32_t cseqStep)
{
    const auto end = request.find(kLineEnd);
    if (end == std::string_view::npos) {
        return std::string{request};
    }
    std::string text{request.substr(0, end)};
    for (const auto& [name, value] : headers) {
        text += fmt::format("\r\n{}: {}", name, value);
    }
    auto rest = request.substr(end);
    const auto cseq = rest.substr(0, rest.find("\r\n\r\n")).find(kCSeq);
    if (cseqStep > 0 && cseq != std::string_view::npos) {
        const auto digits = rest.substr(cseq + kCSeq.size());
        std::uint32_t number = 0;
        const auto [stop, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error == std::errc{}) {
            text.append(rest.substr(0, cseq + kCSeq.size()));
            text += std::to_string(number + cseqStep);
            rest = digits.substr(static_cast<std::size_t>(stop - digits.data()));
        }
    }
    return text.append(rest);
}

bool isOneLine(std::string_view text) noexcept
{
    return text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos;
}

RequestWriter::RequestWriter(std::string_view method, std::string_view uri) : method_(method)
{
    if (!isOneLine(uri) || uri.find(' ') != std::string_view::npos) {
        invalidField_ = "Request-URI";
    }
    text_.append(method).append(" ").append(uri).append(" SIP/2.0\r\n");
}

void RequestWriter::addLine(std::string_view name, std::string_view value)
{
    if (!invalidField_ && (!isOneLine(name) || !isOneLine(value))) {
        invalidField_ = name;
    }
    text_.append(name).append(": ").append(value).append("\r\n");
}

Result<std::string> RequestWriter::finish(std::string_view body) &&
{
    if (invalidField_) {
        return invalid("the " + method_ + " cannot be sent: its " + *invalidField_ +
                       " holds a line break, a NUL or a space");
    }
    addLine("Content-Length", std::to_string(body.size()));
    text_.append("\r\n").append(body);
    return std::move(text_);
}

}  // namespace restante::sip
