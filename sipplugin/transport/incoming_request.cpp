#include "core/base/text.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/aor.h"
#include "sipplugin/transport/agent_impl.h"
#include "sipplugin/transport/retransmission_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

/// Headers that every answer repeats (RFC 3261 section 8.2.6.2), besides Via and To.
constexpr auto kRepeatedHeaders = {HeaderName::From, HeaderName::CallId, HeaderName::CSeq};
constexpr auto kRequiredHeaders = {HeaderName::From, HeaderName::To, HeaderName::CallId,
                                   HeaderName::CSeq};

/// The most header lines of a request: two routes of 255 hops, one per line, and the others.
constexpr std::size_t kMostHeaderLines = 1'024;

/// The standard phrase (RFC 3261 section 21 and later) for an answer without one.
std::string_view phraseOf(int status)
{
    switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Request Entity Too Large";
    case 415: return "Unsupported Media Type";
    case 416: return "Unsupported URI Scheme";
    case 420: return "Bad Extension";
    case 423: return "Interval Too Brief";
    case 480: return "Temporarily Unavailable";
    case 481: return "Call/Transaction Does Not Exist";
    case 483: return "Too Many Hops";
    case 486: return "Busy Here";
    case 489: return "Bad Event";
    case 500: return "Server Internal Error";
    case 503: return "Service Unavailable";
    case 505: return "Version Not Supported";
    case 603: return "Decline";
    default: break;
    }
    constexpr auto kClassPhrases = std::to_array<std::string_view>(
        {"Progress", "OK", "Redirected", "Refused", "Server Failure", "Refused"});
    const auto classIndex = static_cast<std::size_t>(std::clamp(status / 100, 1, 6) - 1);
    return kClassPhrases[classIndex];
}

bool hasTag(const Result<NameAddr>& to)
{
    return to && to->param("tag") != nullptr;
}

}  // namespace

IncomingRequest::IncomingRequest(std::shared_ptr<Agent::Impl> agent,
                                 std::string bytes,
                                 RequestSource source)
    : agent_(std::move(agent)),
      bytes_(std::move(bytes)),
      source_(std::move(source)),
      message_(bytes_)
{
    const auto line = requestLineOf(message_.startLine);
    parsed_.method = line.method;
    parsed_.requestUri = line.uri;
    parsed_.version = line.version;
    syntaxError_ = line.malformed;
    parsed_.body = message_.body;
    parsed_.transport = source_.peer.transport;
    parsed_.sourceHost = source_.peer.host;
    parsed_.sourcePort = source_.peer.port;
    if (auto* stream = source_.stream != 0 ? agent_->stream(source_.stream) : nullptr) {
        parsed_.certificateNames = stream->peerNames();
    }
    parsed_.headers = std::move(message_.headers);
    checkSyntax();
    via_ = parseVia(parsed_.header(HeaderName::Via).value_or(""));
    if (via_) {
        topVia_ = withReceived(*via_, parsed_.sourceHost, parsed_.sourcePort);
        std::ranges::find(parsed_.headers, HeaderName::Via, &HeaderLine::header)->value = topVia_;
    }
    transaction_ = transactionKey(parsed_);
    if (auto* stream = agent_->stream(source_.stream)) {
        stream->addUnanswered();
        parsed_.flow = fmt::format("{}/{}", agent_->flowPrefix, source_.stream);
    } else if (source_.stream == 0) {
        parsed_.flow = agent_->datagramFlow(source_.socket, source_.from.localAddress);
    }
}

void IncomingRequest::releaseStream()
{
    if (std::exchange(awaitsAnswer_, false)) {
        if (auto* stream = agent_->stream(source_.stream)) {
            stream->removeUnanswered();
        }
    }
}

void IncomingRequest::checkSyntax()
{
    if (!syntaxError_.empty()) {
        return;
    }
    for (const auto needed : kRequiredHeaders) {
        if (parsed_.header(needed).value_or("").empty()) {
            syntaxError_ = fmt::format("it has no {}", name(needed));
            return;
        }
    }
    const auto length = bodyLengthOf(parsed_);
    if (length.kind == BodyLength::Kind::Bad || length.bytes > parsed_.body.size()) {
        syntaxError_ = length.kind == BodyLength::Kind::Bad
                           ? "Content-Length is no length"
                           : "the body is shorter than Content-Length";
        return;
    }
    if (length.kind == BodyLength::Kind::Known) {
        parsed_.body = parsed_.body.substr(0, length.bytes);
    }
    if (parsed_.headers.size() > kMostHeaderLines) {
        syntaxError_ = fmt::format("it has more than {} header fields", kMostHeaderLines);
        return;
    }
    const auto malformedLine = std::ranges::find_if_not(
        parsed_.headers, [](const auto& line) { return isReadable(line); });
    if (malformedLine != parsed_.headers.end()) {
        syntaxError_ =
            listsTooManyValues(*malformedLine)
                ? fmt::format("a header field lists more than {} values", kMostListedValues)
                : "a header field is malformed";
    }
}

std::string IncomingRequest::formatAnswer(const SipAnswer& answer) const
{
    const auto phrase =
        answer.phrase.empty() ? std::string{phraseOf(answer.status)} : reasonPhrase(answer.phrase);
    auto out = fmt::format("SIP/2.0 {} {}\r\n", answer.status, phrase);
    const auto add = [&out](std::string_view name, std::string_view value) {
        out.append(name).append(": ").append(value).append("\r\n");
    };
    for (const auto value : parsed_.all("Via")) {
        add("Via", value);
    }
    for (const auto repeated : kRepeatedHeaders) {
        if (const auto value = parsed_.header(repeated).value_or(""); !value.empty()) {
            add(name(repeated), value);
        }
    }
    if (const auto to = parsed_.header(HeaderName::To).value_or(""); !to.empty()) {
        // Computed from the request, so that each answer to it carries the same tag.
        add("To", hasTag(parsed_.to()) ? std::string{to}
                                       : fmt::format("{};tag={}", to, transaction_->hex()));
    }
    if (parsed_.method == "SUBSCRIBE" && answer.status < 300) {
        for (const auto route : parsed_.all("Record-Route")) {
            add("Record-Route", route);
        }
    }
    for (const auto& [name, value] : answer.headers) {
        add(name, value);
    }
    return out.append("Content-Length: 0\r\n\r\n");
}

void IncomingRequest::answer(const SipAnswer& answer)
{
    if (!awaitsAnswer_ || !via_) {
        return;
    }
    const auto bytes = formatAnswer(answer);
    if (source_.stream != 0) {
        if (auto* stream = agent_->stream(source_.stream)) {
            if (answer.keepConnection) {
                stream->keepUntil(answer.keepConnection->user,
                                  std::chrono::steady_clock::now() +
                                      answer.keepConnection->remaining);
            }
            const auto local = agent_->tracer ? stream->localAddress() : TransportAddress{};
            stream->send(bytes);
            agent_->trace(bytes, local, source_.peer);
        }
    } else {
        // RFC 3581, RFC 3261 section 18.2.2.
        auto destination = source_.from;
        if (!via_->asksForPort && syntaxError_.empty() && via_->host == parsed_.sourceHost) {
            destination = withPort(destination, via_->port == 0 ? 5060 : via_->port);
        }
        agent_->sendDatagram(source_.socket, destination, bytes);
        agent_->trace(bytes, agent_->datagramAddress(source_.socket),
                      addressOf(destination, Transport::Udp));
    }
    releaseStream();
    const auto transport = parsed_.transport;
    parsed_ = {};
    parsed_.transport = transport;
}

}  // namespace restante::sip
