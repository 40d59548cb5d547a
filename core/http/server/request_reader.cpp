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
constexpr std::size_t kShortestChunkedBody = 5;

std::string_view view(boost::beast::string_view text)
{
    return {text.data(), text.size()};
}

std::size_t countOf(const Parser::value_type& message, beast::http::field name)
{
    const auto range = message.equal_range(name);
    return static_cast<std::size_t>(std::distance(range.first, range.second));
}

/// Faults that Beast accepts but that must be refused: RFC 9110 section 5.5 (NUL), RFC 9112
/// sections 2.2 (a bare line feed) and 5.2 (folded lines).
std::optional<std::string> headerFault(std::string_view header)
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

/// Faults that two servers could read differently.
std::optional<std::string> framingFault(const Parser::value_type& message)
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

/// The refusal for an error of Beast.
RequestReader::Refusal
refusalOf(const error_code& error, std::size_t headerLimit, std::size_t bodyLimit)
{
    if (error == beast::http::error::body_limit) {
        return {413, fmt::format("the body is longer than {} bytes", bodyLimit)};
    }
    if (error == beast::http::error::header_limit) {
        return {431, fmt::format("the header is longer than {} bytes", headerLimit)};
    }
    if (error == beast::http::error::bad_version) {
        return {505, "the server speaks HTTP/1.1"};
    }
    return {400, "the request is not valid HTTP/1.1: " + error.message()};
}

}  // namespace

std::optional<std::vector<std::pair<std::string, std::string>>> parseQuery(std::string_view text)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    if (text.empty()) {
        return pairs;
    }
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    for (const auto pair : split(spaced, '&')) {
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

struct RequestReader::Parsing {
    std::optional<Parser> parser;
};

RequestReader::RequestReader(Limits limits) : parsing_(std::make_unique<Parsing>()), limits_(limits)
{
    begin();
}

RequestReader::~RequestReader() = default;

void RequestReader::begin()
{
    auto& parser = parsing_->parser.emplace();
    parser.header_limit(static_cast<std::uint32_t>(limits_.header + 4));
    // The body's limit is set in limitBody(), when the path is known, so that a refusal has the
    // form of the route.
    parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    request_ = {};
    refusal_ = {};
    authority_.clear();
    inBody_ = false;
    bodyBegun_ = false;
}

bool RequestReader::limitBody(std::size_t bytes)
{
    auto& parser = *parsing_->parser;
    bodyLimit_ = std::min(bytes, limits_.body);
    if (const auto length = parser.content_length(); length && *length > bodyLimit_) {
        refuse(refusalOf(beast::http::error::body_limit, limits_.header, bodyLimit_));
        return false;
    }
    parser.body_limit(bodyLimit_);
    return true;
}

RequestReader::Progress RequestReader::refuse(Refusal refusal)
{
    refusal_ = std::move(refusal);
    return Progress::Refused;
}

RequestReader::Progress RequestReader::readHeader(std::string_view& bytes)
{
    // RFC 9112 section 2.2: an empty line before the request line is ignored.
    while (bytes.starts_with("\r\n")) {
        bytes.remove_prefix(2);
    }
    const auto end = bytes.find("\r\n\r\n");
    const auto size = end == std::string_view::npos ? bytes.size() : end + 4;
    if (size > limits_.header) {
        return refuse({431, fmt::format("the header is longer than {} bytes", limits_.header)});
    }
    if (auto fault = headerFault(bytes.substr(0, size))) {
        return refuse({400, std::move(*fault)});
    }
    if (end == std::string_view::npos) {
        return Progress::Header;
    }
    auto& parser = *parsing_->parser;
    error_code error;
    auto unparsed = size;
    parser.eager(false);
    while (!error && !parser.is_header_done()) {
        const auto taken = parser.put(asio::buffer(bytes.data(), unparsed), error);
        bytes.remove_prefix(taken);
        unparsed -= taken;
    }
    return error ? refuse(refusalOf(error, limits_.header, bodyLimit_)) : takeHeader();
}

RequestReader::Progress RequestReader::readBody(std::string_view& bytes)
{
    auto& parser = *parsing_->parser;
    // Beast asserts that it gets at least this much when the first chunk may also be the last.
    if (parser.chunked() && !bodyBegun_ && bytes.size() < kShortestChunkedBody) {
        return Progress::Body;
    }
    bodyBegun_ = true;
    parser.eager(true);
    while (!parser.is_done()) {
        error_code error;
        const auto taken = parser.put(asio::buffer(bytes.data(), bytes.size()), error);
        bytes.remove_prefix(taken);
        if (error == beast::http::error::need_more) {
            if (parser.chunked() && bytes.size() > kLongestChunkLine) {
                return refuse({400, "a chunk's size line is too long"});
            }
            return Progress::Body;
        }
        if (error) {
            return refuse(refusalOf(error, limits_.header, bodyLimit_));
        }
        if (taken == 0) {
            return Progress::Body;
        }
    }
    request_.body = std::move(parser.get().body());
    return Progress::Complete;
}

RequestReader::Progress RequestReader::takeHeader()
{
    const auto& parser = *parsing_->parser;
    const auto& message = parser.get();
    if (auto fault = framingFault(message)) {
        return refuse({400, std::move(*fault)});
    }
    request_.headers.reserve(
        static_cast<std::size_t>(std::distance(message.begin(), message.end())));
    for (const auto& field : message) {
        request_.headers.push_back(
            {std::string(view(field.name_string())), std::string(view(field.value()))});
    }
    request_.method = std::string(view(message.method_string()));
    const auto encoding = view(message[beast::http::field::transfer_encoding]);
    const bool isOnlyChunked = parser.chunked() && equalIgnoringCase(encoding, "chunked");
    if (countOf(message, beast::http::field::transfer_encoding) > 0 && !isOnlyChunked) {
        return refuse({501, "the only Transfer-Encoding is chunked"});
    }
    inBody_ = true;
    return takeTarget(view(message.target()));
}

RequestReader::Progress RequestReader::takeTarget(std::string_view target)
{
    authority_ = std::string(view(parsing_->parser->get()[beast::http::field::host]));
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (target.size() > scheme.size() && startsWithIgnoringCase(target, scheme)) {
            target.remove_prefix(scheme.size());
            const auto pathStart = std::min(target.find_first_of("/?"), target.size());
            authority_ = std::string(target.substr(0, pathStart));
            target.remove_prefix(pathStart);
        }
    }
    const auto question = std::min(target.find('?'), target.size());
    request_.path = std::string(target.substr(0, question));
    if (request_.path.empty()) {
        request_.path = "/";
    }
    auto query = parseQuery(target.substr(std::min(question + 1, target.size())));
    const bool hasEscape = request_.path.find('%') != std::string::npos;
    if (!query || (hasEscape && !percentDecoded(request_.path))) {
        return refuse({400, "an escape (%XX) in the request's address is broken"});
    }
    request_.query = std::move(*query);
    return limitBody(limits_.body) ? Progress::HeaderEnd : Progress::Refused;
}

bool RequestReader::keepAlive() const noexcept
{
    return parsing_->parser->keep_alive();
}

bool RequestReader::hasBody() const noexcept
{
    const auto& parser = *parsing_->parser;
    if (!parser.is_header_done()) {
        return false;
    }
    const auto length = parser.content_length();
    return parser.chunked() || (length && *length > 0);
}

bool RequestReader::expectsContinue() const noexcept
{
    const auto expected = request_.header("Expect");
    return expected && equalIgnoringCase(*expected, "100-continue");
}

bool RequestReader::isHttp10() const noexcept
{
    return parsing_->parser->get().version() < 11;
}

}  // namespace restante::http
