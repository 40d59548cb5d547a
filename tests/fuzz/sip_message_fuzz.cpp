#include "core/redis/job_codec.h"
#include "sipplugin/answers.h"
#include "sipplugin/duplicate_memory.h"
#include "sipplugin/sip_message_codec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/sip_text.h"

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

/// What goes out can break neither the message's framing nor smuggle in a header.
void checkWire(const sip::WireMessage& wire, const Job& job)
{
    fuzz::require(wire.body == job.body, "the body is byte-exact");
    fuzz::require(isOneLine(wire.from) && isOneLine(wire.to) && isOneLine(wire.callId) &&
                      isOneLine(wire.contentType),
                  "no line break in the envelope");
    for (const auto& [name, value] : wire.headers) {
        fuzz::require(isOneLine(name) && isOneLine(value), "no line break in a header");
    }
}

void checkKept(Job job)
{
    job.id = "fuzz";
    std::string record;
    redis::encodeRecord(job, record);
    const auto kept = redis::decodeRecord(job.id, record);
    fuzz::require(kept && *kept == job, "a stored message is the one that came");
    for (const std::uint32_t attempt : {1U, 2U}) {
        checkWire(sip::wireMessageOf(*kept, attempt, "sip:restante@127.0.0.1"), job);
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
        checkKept(*job);
    } else {
        checkAnswer(sip::answerTo(job.error()));
    }
    return 0;
}
