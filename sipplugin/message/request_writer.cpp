#include "sipplugin/message/request_writer.h"

#include <utility>

namespace restante::sip {

bool isOneLine(std::string_view text) noexcept
{
    return text.find_first_of(std::string_view{"\r\n\0", 3}) == std::string_view::npos;
}

RequestWriter::RequestWriter(std::string_view method, std::string_view uri) : method_(method)
{
    if (!isOneLine(uri) || uri.find(' ') != std::string_view::npos) {
        broken_ = "Request-URI";
    }
    text_.append(method).append(" ").append(uri).append(" SIP/2.0\r\n");
}

void RequestWriter::line(std::string_view name, std::string_view value)
{
    if (!broken_ && (!isOneLine(name) || !isOneLine(value))) {
        broken_ = name;
    }
    text_.append(name).append(": ").append(value).append("\r\n");
}

Result<std::string> RequestWriter::finish(std::string_view body) &&
{
    if (broken_) {
        return failure(ErrorCode::Invalid, "the " + method_ + " cannot be sent: its " + *broken_ +
                                               " holds a line break, a NUL or a space");
    }
    line("Content-Length", std::to_string(body.size()));
    text_.append("\r\n").append(body);
    return std::move(text_);
}

}  // namespace restante::sip
