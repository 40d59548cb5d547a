#include "sipplugin/message/answers.h"

#include "core/base/text.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace restante::sip {

namespace {

/// Redis is back within two seconds of its return; a client that waits this long finds it.
constexpr int kStoreRetrySeconds = 5;

/// Far above any phrase of a standard; it is kept with the message, and sent to whoever wrote it.
constexpr std::size_t kLongestPhrase = 256;

/// Inside a character of UTF-8.
bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

/// As a quoted-string: no quote, backslash or control character inside.
std::string warning(std::string_view why)
{
    std::string text;
    for (const char c : why) {
        const bool plain = c >= ' ' && c != '"' && c != '\\' && c != '\x7f';
        text.push_back(plain ? c : '\'');
    }
    return fmt::format("399 restante \"{}\"", text);
}

}  // namespace

std::string reasonPhrase(std::string_view written)
{
    auto length = std::min(written.size(), kLongestPhrase);
    while (length < written.size() && length > 0 && isContinuation(written[length])) {
        --length;
    }
    std::string phrase{written.substr(0, length)};
    std::ranges::replace_if(
        phrase, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    return std::string{trimmed(phrase, " ")};
}

SipAnswer refusal(int status, std::string phrase, std::string_view why)
{
    return {status, std::move(phrase), {{"Warning", warning(why)}}};
}

SipAnswer tryLater(std::string_view why, int seconds)
{
    auto answer = refusal(503, "Service Unavailable", why);
    answer.headers.emplace_back("Retry-After", std::to_string(seconds));
    return answer;
}

SipAnswer passedOn(const DeviceAnswer& answer)
{
    SipAnswer passed{answer.status, answer.phrase, {}};
    if (answer.retryAfter) {
        const auto wait = std::chrono::duration_cast<std::chrono::seconds>(*answer.retryAfter);
        passed.headers.emplace_back("Retry-After", std::to_string(wait.count()));
    }
    return passed;
}

SipAnswer answerTo(const Error& error)
{
    if (error.code == ErrorCode::MailboxFull) {
        return refusal(480, "Mailbox Full", "the recipient is offline and the mailbox is full");
    }
    if (error.code == ErrorCode::Invalid) {
        return refusal(400, "Bad Request", error.message);
    }
    // The message may name sockets and hosts of ours: it is logged here and not sent.
    if (isTemporary(error.code) || error.code == ErrorCode::Denied) {
        return tryLater("the store cannot take it now", kStoreRetrySeconds);
    }
    return refusal(500, "Server Internal Error", "the store refused; see our log");
}

}  // namespace restante::sip
