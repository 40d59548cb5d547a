#include "core/base/handle_deleter.h"
#include "core/redis/store/job_codec.h"
#include "sipplugin/message/answers.h"
#include "sipplugin/message/sip_message_codec.h"
#include "sipplugin/outbound/delivery_route.h"
#include "sipplugin/transport/message_text.h"
#include "sipplugin/transport/retransmission_cache.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/sip_text.h"

#include <sofia-sip/msg.h>
#include <sofia-sip/msg_addr.h>
#include <sofia-sip/sip.h>
#include <sofia-sip/sip_parser.h>
#include <sofia-sip/sip_util.h>

#include <algorithm>
#include <memory>
#include <string>

namespace {

using namespace restante;

/// Borrows from `text`.
sip::ReceivedRequest requestOf(const test::SipText& text)
{
    sip::ReceivedRequest request;
    const std::string_view line = text.startLine;
    const auto space = line.find(' ');
    request.method = line.substr(0, space);
    request.requestUri = space == std::string_view::npos ? "" : line.substr(space + 1);
    request.requestUri = request.requestUri.substr(0, request.requestUri.find(' '));
    for (const auto& [name, value] : text.headers) {
        request.headers.push_back({name, value});
    }
    request.body = text.body;
    request.sourceHost = "127.0.0.1";
    request.sourcePort = 5060;
    return request;
}

bool isOneLine(std::string_view value)
{
    return value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

/// Whether sofia reads it without complaint: what it does not is answered 400 on the way in, and
/// as dead on the way out.
bool isReadable(std::string_view text)
{
    const std::unique_ptr<msg_t, HandleDeleter<msg_destroy>> parsed{msg_make(
        sip_default_mclass(), MSG_DO_EXTRACT_COPY, text.data(), static_cast<ssize_t>(text.size()))};
    const auto* message = parsed ? sip_object(parsed.get()) : nullptr;
    return message != nullptr && message->sip_request != nullptr &&
           (message->sip_flags & MSG_FLG_ERROR) == 0 && message->sip_error == nullptr &&
           sip_sanity_check(message) == 0;
}

/// Whether each of its headers is taken on the way in.
bool wasReadable(std::string_view bytes)
{
    const sip::MessageText text{bytes};
    for (const auto& line : text.headers) {
        fuzz::require(!sip::isSurelyReadable(line) || sip::isReadByParser(line),
                      "what is plain is readable");
    }
    return std::ranges::all_of(text.headers,
                               [](const auto& line) { return sip::isReadable(line); }) &&
           isReadable(bytes);
}

/// The text that leaves is one message, the one that came.
void checkText(const sip::OutgoingMessage& wire, bool readable)
{
    sip::DeliveryRoute route;
    route.requestUri = "sip:bob@192.0.2.1";
    const auto text = sip::formatRequest(wire, route);
    fuzz::require(text.has_value(), "what was taken can be written");
    const auto read = test::SipText::parse(*text);
    fuzz::require(read.has_value() && read->body == wire.body, "the body is that of the message");
    fuzz::require(read->headers.size() ==
                      wire.headers.size() + 6 + (wire.contentType.empty() ? 0 : 1),
                  "no header more, no header less");
    fuzz::require(read->header("Content-Type") == wire.contentType, "the type is that of the body");
    if (readable) {
        const auto whole = "MESSAGE sip:bob@192.0.2.1 SIP/2.0\r\nVia: SIP/2.0/UDP "
                           "192.0.2.2;branch=z9hG4bK1" +
                           text->substr(text->find("\r\n"));
        fuzz::require(isReadable(whole), "a phone can read it");
    }
}

/// What goes out can break neither the message's framing nor smuggle in a header.
void checkWire(const sip::OutgoingMessage& wire, const Job& job)
{
    fuzz::require(wire.body == job.body, "the body is byte-exact");
    fuzz::require(isOneLine(wire.from) && isOneLine(wire.to) && isOneLine(wire.callId) &&
                      isOneLine(wire.contentType),
                  "no line break in the envelope");
    for (const auto& [name, value] : wire.headers) {
        fuzz::require(isOneLine(name) && isOneLine(value), "no line break in a header");
    }
}

void checkKept(Job job, bool readable)
{
    job.id = "fuzz";
    std::string record;
    redis::encodeRecord(job, record);
    const auto kept = redis::decodeRecord(job.id, record);
    fuzz::require(kept && *kept == job, "a stored message is the one that came");
    for (const std::uint32_t attempt : {1U, 2U}) {
        const auto wire = sip::outgoingMessageOf(*kept, attempt, "sip:restante@127.0.0.1");
        checkWire(wire, job);
        checkText(wire, readable);
    }
}

/// What a peer wrote may be quoted to it, but only as a header's value.
void checkAnswer(const sip::SipAnswer& answer)
{
    fuzz::require(answer.status >= 400 && isOneLine(answer.phrase), "a refusal is a refusal");
    for (const auto& [name, value] : answer.headers) {
        fuzz::require(isOneLine(name) && isOneLine(value), "no line break in an answer");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = test::SipText::parse(fuzz::textOf(data, size));
    if (!text) {
        return 0;
    }
    const auto request = requestOf(*text);
    sip::isTransient(request);
    sip::onceKeyOf(request, "sip:bob@example.com");
    sip::transactionKey(request);
    const auto job = sip::jobOf(request, TimePoint{Millis{1'700'000'000'000}}, {});
    if (job) {
        fuzz::require(job->body == text->body, "the body is byte-exact");
        // The parser of the test may see more lines than that of the agent.
        checkKept(*job,
                  !sip::repeatsSingleHeader(request) && wasReadable(fuzz::textOf(data, size)));
    } else {
        checkAnswer(sip::answerTo(job.error()));
    }
    return 0;
}
