#include "core/http/server/request_reader.h"

#include "core/base/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <limits>

namespace restante::http {

namespace {

namespace beast = boost::beast;
namespace asio = boost::asio;
using boost::system::error_code;
using Parser = beast::http::request_parser<beast::http::string_body>;

/// A chunk's size line and its extensions; nobody needs more than a few bytes.
constexpr std::size_t kLongestChunkLine = 4'096;
/// An empty body in chunks: "0", CRLF, CRLF.
constexpr std::size_t kShortestChunked = 5;

std::string_view view(boost::beast::string_view text)
{
    return {text.data(), text.size()};
}

std::size_t countOf(const Parser::value_type& message, beast::http::field name)
{
    const auto range = message.equal_range(name);
    return static_cast<std::size_t>(std::distance(range.first, range.second));
}

/// What Beast would take but must not pass: RFC 9112 sections 2.2, 5.2 and 9.2.
std::optional<std::string> suspicious(std::string_view header)
{
    if (header.find('\0') != std::string_view::npos) {
        return "the header contains a NUL";
    }
    for (auto end = header.find('\n'); end != std::string_view::npos;
         end = header.find('\n', end + 1)) {
        if (end == 0 || header[end - 1] != '\r') {
            return "a header line ends with LF instead of CRLF";
        }
        if (end + 1 < header.size() && (header[end + 1] == ' ' || header[end + 1] == '\t')) {
            return "a header is folded over two lines";
        }
    }
    return {};
}

}  // namespace

std::optional<std::vector<std::pair<std::string, std::string>>> parseQuery(std::string_view text)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    std::string_view rest = spaced;
    while (!rest.empty()) {
        const auto pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty()) {
            continue;
        }
        const auto equals = std::min(pair.find('='), pair.size());
        auto name = percentDecoded(pair.substr(0, equals));
        auto value = percentDecoded(pair.substr(std::min(equals + 1, pair.size())));
        if (!name || !value) {
            return {};
        }
        pairs.emplace_back(std::move(*name), std::move(*value));
    }
    return pairs;
}

class RequestReader::Impl {
public:
    explicit Impl(Limits limits) : limits_(limits) { begin(); }

    void begin()
    {
        parser_.emplace();
        parser_->header_limit(static_cast<std::uint32_t>(limits_.header + 4));
        // Of a chunked body; a Content-Length is looked at when the address is known, so that the
        // refusal can speak the route's language.
        parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
        request_ = {};
        refused_ = {};
        authority_.clear();
        inBody_ = false;
        inChunks_ = false;
    }

    Progress read(std::string_view& bytes) { return inBody_ ? readBody(bytes) : readHeader(bytes); }

    bool limitBody(std::size_t bytes)
    {
        bodyLimit_ = std::min(bytes, limits_.body);
        if (const auto length = parser_->content_length(); length && *length > bodyLimit_) {
            refuse(beast::http::error::body_limit);
            return false;
        }
        parser_->body_limit(bodyLimit_);
        return true;
    }

    Progress refuse(int status, std::string detail)
    {
        refused_ = {status, std::move(detail)};
        return Progress::Refused;
    }

    Progress readHeader(std::string_view& bytes)
    {
        // RFC 9112 section 2.2: an empty line before the request line is overlooked.
        while (bytes.starts_with("\r\n")) {
            bytes.remove_prefix(2);
        }
        const auto end = bytes.find("\r\n\r\n");
        const auto size = end == std::string_view::npos ? bytes.size() : end + 4;
        if (size > limits_.header) {
            return refuse(431, fmt::format("the header is longer than {} bytes", limits_.header));
        }
        if (auto wrong = suspicious(bytes.substr(0, size))) {
            return refuse(400, std::move(*wrong));
        }
        if (end == std::string_view::npos) {
            return Progress::Header;
        }
        error_code error;
        auto left = size;
        parser_->eager(false);
        while (!error && !parser_->is_header_done()) {
            const auto taken = parser_->put(asio::buffer(bytes.data(), left), error);
            bytes.remove_prefix(taken);
            left -= taken;
        }
        if (error) {
            return refuse(error);
        }
        return takeHeader();
    }

    Progress readBody(std::string_view& bytes)
    {
        // Beast asserts that it never sees less of a last chunk that is also the first.
        if (parser_->chunked() && !inChunks_ && bytes.size() < kShortestChunked) {
            return Progress::Body;
        }
        inChunks_ = true;
        parser_->eager(true);
        while (!parser_->is_done()) {
            error_code error;
            const auto taken = parser_->put(asio::buffer(bytes.data(), bytes.size()), error);
            bytes.remove_prefix(taken);
            if (error == beast::http::error::need_more) {
                if (parser_->chunked() && bytes.size() > kLongestChunkLine) {
                    return refuse(400, "a chunk's size line is too long");
                }
                return Progress::Body;
            }
            if (error) {
                return refuse(error);
            }
            if (taken == 0) {
                return Progress::Body;
            }
        }
        request_.body = std::move(parser_->get().body());
        return Progress::Complete;
    }

    Limits limits_;
    std::size_t bodyLimit_ = 0;  ///< of this request
    std::optional<Parser> parser_;
    Request request_;
    Refused refused_;
    std::string authority_;
    bool inBody_ = false;
    bool inChunks_ = false;  ///< the parser has seen the beginning of a chunked body

private:
    Progress refuse(const error_code& error)
    {
        if (error == beast::http::error::body_limit) {
            return refuse(413, fmt::format("the body is longer than {} bytes", bodyLimit_));
        }
        if (error == beast::http::error::header_limit) {
            return refuse(431, fmt::format("the header is longer than {} bytes", limits_.header));
        }
        if (error == beast::http::error::bad_version) {
            return refuse(505, "the server speaks HTTP/1.1");
        }
        return refuse(400, "the request is not valid HTTP/1.1: " + error.message());
    }

    Progress takeHeader()
    {
        const auto& message = parser_->get();
        if (auto wrong = ambiguous(message)) {
            return refuse(400, std::move(*wrong));
        }
        for (const auto& field : message) {
            request_.headers.push_back(
                {std::string(view(field.name_string())), std::string(view(field.value()))});
        }
        request_.method = std::string(view(message.method_string()));
        if (countOf(message, beast::http::field::transfer_encoding) > 0 && !parser_->chunked()) {
            return refuse(501, "the only Transfer-Encoding is chunked");
        }
        inBody_ = true;
        return takeTarget(view(message.target()));
    }

    static std::optional<std::string> ambiguous(const Parser::value_type& message)
    {
        using beast::http::field;
        const auto lengths = countOf(message, field::content_length);
        const auto encodings = countOf(message, field::transfer_encoding);
        if (lengths > 1) {
            return "there is more than one Content-Length";
        }
        if (lengths == 1) {
            const auto length = view(message[field::content_length]);
            if (!std::all_of(length.begin(), length.end(),
                             [](char c) { return c >= '0' && c <= '9'; })) {
                return "Content-Length is not a number";
            }
        }
        if (encodings > 1 || (encodings == 1 && lengths == 1)) {
            return "Transfer-Encoding stands beside another Transfer-Encoding or Content-Length";
        }
        if (encodings == 1 && message.version() < 11) {
            return "HTTP/1.0 has no Transfer-Encoding";
        }
        if (countOf(message, field::host) > 1) {
            return "there is more than one Host";
        }
        return {};
    }

    Progress takeTarget(std::string_view target)
    {
        authority_ = std::string(view(parser_->get()[beast::http::field::host]));
        for (const std::string_view scheme : {"http://", "https://"}) {
            if (target.size() > scheme.size() && startsWithIgnoringCase(target, scheme)) {
                target.remove_prefix(scheme.size());
                const auto path = std::min(target.find_first_of("/?"), target.size());
                authority_ = std::string(target.substr(0, path));
                target.remove_prefix(path);
            }
        }
        const auto question = std::min(target.find('?'), target.size());
        request_.path = std::string(target.substr(0, question));
        if (request_.path.empty()) {
            request_.path = "/";
        }
        auto query = parseQuery(target.substr(std::min(question + 1, target.size())));
        if (!query || !percentDecoded(request_.path)) {
            return refuse(400, "an escape (%XX) in the request's address is broken");
        }
        request_.query = std::move(*query);
        return limitBody(limits_.body) ? Progress::HeaderEnd : Progress::Refused;
    }
};

RequestReader::RequestReader(Limits limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestReader::~RequestReader() = default;

void RequestReader::begin()
{
    impl_->begin();
}
RequestReader::Progress RequestReader::read(std::string_view& bytes)
{
    return impl_->read(bytes);
}
Request& RequestReader::request() noexcept
{
    return impl_->request_;
}
bool RequestReader::limitBody(std::size_t bytes)
{
    return impl_->limitBody(bytes);
}
const RequestReader::Refused& RequestReader::refused() const noexcept
{
    return impl_->refused_;
}
bool RequestReader::keepAlive() const noexcept
{
    return impl_->parser_->keep_alive();
}
bool RequestReader::hasBody() const noexcept
{
    if (!impl_->parser_->is_header_done()) {
        return false;
    }
    const auto length = impl_->parser_->content_length();
    return impl_->parser_->chunked() || (length && *length > 0);
}
bool RequestReader::expectsContinue() const noexcept
{
    const auto expected = impl_->request_.header("Expect");
    return expected && equalIgnoringCase(*expected, "100-continue");
}
bool RequestReader::isHttp10() const noexcept
{
    return impl_->parser_->get().version() < 11;
}
const std::string& RequestReader::authority() const noexcept
{
    return impl_->authority_;
}

}  // namespace restante::http
