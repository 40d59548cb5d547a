#include "core/base/text.h"
#include "core/config/key_builder.h"

#include <algorithm>
#include <array>

namespace restante::builder {

namespace {

using namespace std::chrono_literals;
using Verdict = SipOutcome::Verdict;

constexpr std::array<std::pair<std::string_view, Verdict>, 4> kVerdicts{{
    {"delivered", Verdict::Delivered},
    {"retry", Verdict::Retry},
    {"hold", Verdict::Hold},
    {"dead", Verdict::Dead},
}};

/// Without these a message cannot be delivered, or not as the one that came.
constexpr std::array<std::string_view, 10> kIndispensable{
    "From", "To",    "Call-ID",      "CSeq",           "Via",
    "Date", "Route", "Max-Forwards", "Content-Length", "Content-Type"};

/// "488" or "4xx" of an answer that is no success; false for anything else.
bool readStatuses(std::string_view text, SipOutcome& outcome)
{
    if (text.size() != 3 || text.front() < '3' || text.front() > '6') {
        return false;
    }
    const auto hundred = static_cast<std::uint16_t>(100 * (text.front() - '0'));
    if (text.substr(1) == "xx") {
        outcome.first = hundred;
        outcome.last = static_cast<std::uint16_t>(hundred + 99);
        return true;
    }
    const auto status = wholeNumber<std::uint16_t>(text);
    outcome.first = outcome.last = status.value_or(0);
    return status.has_value();
}

std::optional<SipOutcome> readOutcome(std::string_view word)
{
    const auto sign = word.find('=');
    SipOutcome outcome;
    if (sign == std::string_view::npos || !readStatuses(word.substr(0, sign), outcome)) {
        return {};
    }
    const auto* known = std::find_if(kVerdicts.begin(), kVerdicts.end(), [&](const auto& one) {
        return one.first == word.substr(sign + 1);
    });
    if (known == kVerdicts.end()) {
        return {};
    }
    outcome.verdict = known->second;
    return outcome;
}

std::string printOutcome(const SipOutcome& outcome)
{
    const auto* known = std::find_if(kVerdicts.begin(), kVerdicts.end(), [&](const auto& one) {
        return one.second == outcome.verdict;
    });
    const auto statuses = outcome.first == outcome.last ? std::to_string(outcome.first)
                                                        : fmt::format("{}xx", outcome.first / 100);
    return fmt::format("{}={}", statuses, known->first);
}

bool mayBeDropped(std::string_view header)
{
    return codec::isToken(header) &&
           std::none_of(kIndispensable.begin(), kIndispensable.end(),
                        [&](std::string_view one) { return equalIgnoringCase(one, header); });
}

}  // namespace

void addSipDelivery(std::vector<ConfigKey>& keys)
{
    keys.push_back(many<std::string>(
        {"sip.headers_dropped",
         "Headers that do not travel with a message, although they are end-to-end or in\n"
         "sip.headers."},
        codec::text("header names, such as User-Agent, but none that a message needs",
                    mayBeDropped),
        [](auto& c) -> auto& { return c.sip.headersDropped; }));
    keys.push_back(one<Millis>(
        {"sip.answer_timeout", "How long a device has to answer before it counts as unreachable."},
        codec::duration(100ms, 3min), [](auto& c) -> auto& { return c.sip.answerTimeout; }));
    // A sender gives up after 32 s (timer F of RFC 3261) and must have the 202 well before.
    keys.push_back(one<Millis>(
        {"sip.live_timeout",
         "How long a sender waits for the answer of the recipient's device, once the message is\n"
         "stored; then it is answered 202. 0s = it is answered 202 as soon as it is stored."},
        codec::duration(0ms, 20s), [](auto& c) -> auto& { return c.sip.liveTimeout; }));
    keys.push_back(many<SipOutcome>(
        {"sip.outcomes",
         "What an answer means, where it differs from the table in docs/sip-behaviour.md:\n"
         "delivered, retry (by the schedule), hold (until the recipient registers), dead. A\n"
         "status goes before its class."},
        {"a status from 300 to 699 or a class 3xx to 6xx, = and delivered, retry, hold or dead, "
         "such as 488=retry or 6xx=hold",
         readOutcome, printOutcome},
        [](auto& c) -> auto& { return c.sip.outcomes; }));
    keys.push_back(one<std::uint32_t>(
        {"sip.redirects",
         "How many redirections (3xx) one attempt follows, within our domains. 0 = none."},
        codec::number<std::uint32_t>(0, 10), [](auto& c) -> auto& { return c.sip.redirects; }));
    keys.push_back(one<Millis>(
        {"sip.hold",
         "A message that is on hold until its recipient registers is tried after this all the\n"
         "same: the news of a registration may be lost."},
        codec::duration(1min, std::chrono::hours{24 * 31}),
        [](auto& c) -> auto& { return c.sip.hold; }));
}

}  // namespace restante::builder
