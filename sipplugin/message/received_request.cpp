#include "sipplugin/message/received_request.h"

#include "core/base/text.h"
#include "sipplugin/message/socket_name.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace restante::sip {

namespace {

auto isNamed(std::string_view wanted)
{
    return [wanted, knownName = headerNamed(wanted)](const HeaderLine& line) {
        return line.header == knownName &&
               (knownName != HeaderName::Other || equalIgnoringCase(line.name, wanted));
    };
}

constexpr HeaderNameSet kSingleHeaders{HeaderName::CallId,      HeaderName::ContentDisposition,
                                       HeaderName::ContentType, HeaderName::CSeq,
                                       HeaderName::Date,        HeaderName::Expires,
                                       HeaderName::From,        HeaderName::MaxForwards,
                                       HeaderName::MimeVersion, HeaderName::Organization,
                                       HeaderName::Priority,    HeaderName::Privacy,
                                       HeaderName::Server,      HeaderName::Subject,
                                       HeaderName::To,          HeaderName::UserAgent};

const Result<NameAddr>& addressIn(const ReceivedRequest& request,
                                  HeaderName header,
                                  std::optional<Result<NameAddr>>& parsed)
{
    if (!parsed) {
        parsed = parseNameAddr(request.header(header).value_or(""));
    }
    return *parsed;
}

/// The sent-by of the topmost Via, without blanks: "host", "host:port", "[v6]:port".
std::string sentByOf(std::string_view via)
{
    via = via.substr(0, via.find_first_of(";,"));
    via.remove_prefix(std::min(via.size(), via.rfind('/') + 1));
    via.remove_prefix(std::min(via.size(), via.find_first_not_of(" \t")));
    via.remove_prefix(std::min(via.size(), via.find_first_of(" \t")));
    std::string sentBy;
    std::ranges::remove_copy_if(via, std::back_inserter(sentBy),
                                [](char c) { return kBlanks.find(c) != std::string_view::npos; });
    return sentBy;
}

}  // namespace

std::optional<std::string_view> MessageHeaders::header(std::string_view wanted) const&
{
    const auto found = std::ranges::find_if(headers, isNamed(wanted));
    return found == headers.end() ? std::nullopt : std::optional{found->value};
}

std::optional<std::string_view> MessageHeaders::header(HeaderName wanted) const&
{
    const auto found = wanted == HeaderName::Other
                           ? headers.end()
                           : std::ranges::find(headers, wanted, &HeaderLine::header);
    return found == headers.end() ? std::nullopt : std::optional{found->value};
}

std::size_t MessageHeaders::count(std::string_view wanted) const
{
    return static_cast<std::size_t>(std::ranges::count_if(headers, isNamed(wanted)));
}

std::vector<std::string_view> MessageHeaders::all(std::string_view wanted) const&
{
    std::vector<std::string_view> values;
    const auto isWanted = isNamed(wanted);
    for (const auto& line : headers) {
        if (isWanted(line)) {
            values.push_back(line.value);
        }
    }
    return values;
}

std::vector<std::string_view> MessageHeaders::elements(std::string_view wanted) const&
{
    std::vector<std::string_view> elements;
    for (const auto line : all(wanted)) {
        std::ranges::copy(splitAddresses(line), std::back_inserter(elements));
    }
    return elements;
}

bool repeatsSingleHeader(const MessageHeaders& message) noexcept
{
    HeaderNameSet seen{};
    return std::ranges::any_of(message.headers, [&seen](const HeaderLine& line) {
        const bool isRepeated = kSingleHeaders.contains(line.header) && seen.contains(line.header);
        seen.add(line.header);
        return isRepeated;
    });
}

const Result<SipUri>& ReceivedRequest::target() const
{
    if (!target_) {
        target_ = parseSipUri(requestUri);
    }
    return *target_;
}

const Result<NameAddr>& ReceivedRequest::from() const
{
    return addressIn(*this, HeaderName::From, from_);
}

const Result<NameAddr>& ReceivedRequest::to() const
{
    return addressIn(*this, HeaderName::To, to_);
}

std::optional<CSeq> parseCSeq(std::string_view text)
{
    CSeq cseq;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, cseq.number);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    auto method = text.substr(static_cast<std::size_t>(stop - text.data()));
    const auto start = method.find_first_not_of(" \t");
    if (start == 0 || start == std::string_view::npos) {
        return std::nullopt;
    }
    cseq.method = method.substr(start);
    return cseq;
}

std::string sourceOf(const ReceivedRequest& request)
{
    return fmt::format("{}:{}", bracketed(request.sourceHost), request.sourcePort);
}

bool isDirect(const ReceivedRequest& request)
{
    return request.count("Via") == 1 &&
           request.header("Via").value_or("").find(',') == std::string_view::npos;
}

bool isBehindNat(const ReceivedRequest& request)
{
    const auto sentBy = sentByOf(request.header("Via").value_or(""));
    const bool v6 = sentBy.starts_with('[');
    const auto end = v6 ? sentBy.find(']') : sentBy.find(':');
    if (v6 && end == std::string::npos) {
        return true;  // the Via names no valid address
    }
    const auto host =
        canonicalHost(std::string_view{sentBy}.substr(v6 ? 1 : 0, end - (v6 ? 1 : 0)));
    const auto port = end == std::string::npos ? "" : sentBy.substr(v6 ? end + 1 : end);
    return host != request.sourceHost ||
           (port.empty() ? ":5060" : port) != fmt::format(":{}", request.sourcePort);
}

}  // namespace restante::sip
