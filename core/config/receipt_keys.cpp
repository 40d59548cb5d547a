#include "core/base/text.h"
#include "core/config/key_builder.h"

#include <array>
#include <limits>

namespace restante::builder {

namespace {
using namespace std::chrono_literals;

/// What SIP has given a meaning: it cannot also say when a message is to be delivered.
constexpr auto kTaken = std::to_array<std::string_view>({"Accept",
                                                         "Allow",
                                                         "Authorization",
                                                         "Call-ID",
                                                         "Contact",
                                                         "Content-Disposition",
                                                         "Content-Encoding",
                                                         "Content-Language",
                                                         "Content-Length",
                                                         "Content-Type",
                                                         "CSeq",
                                                         "Date",
                                                         "Event",
                                                         "Expires",
                                                         "From",
                                                         "Max-Forwards",
                                                         "MIME-Version",
                                                         "P-Asserted-Identity",
                                                         "Path",
                                                         "Priority",
                                                         "Proxy-Authorization",
                                                         "Record-Route",
                                                         "Require",
                                                         "Retry-After",
                                                         "Route",
                                                         "Subject",
                                                         "Supported",
                                                         "Timestamp",
                                                         "To",
                                                         "User-Agent",
                                                         "Via",
                                                         "X-Restante-Job"});

bool isFreeHeader(std::string_view word)
{
    // A single letter is the short form of something.
    return word.empty() || (word.size() > 1 && codec::isToken(word) &&
                            std::ranges::none_of(kTaken, [&](std::string_view taken) {
                                return equalIgnoringCase(taken, word);
                            }));
}

void addNotice(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<Config::Notice>(
        {"sip.notice",
         "Whether a sender is told in a plain text message that theirs is kept because the "
         "recipient\n"
         "cannot be reached (stored), that it could not be delivered (failed), or both."},
        codec::choice<Config::Notice>({{"off", Config::Notice::Off},
                                       {"stored", Config::Notice::Stored},
                                       {"failed", Config::Notice::Failed},
                                       {"both", Config::Notice::Both}}),
        [](auto& c) -> auto& { return c.sip.notice; }));
    keys.push_back(one<Millis>(
        {"sip.notice_interval",
         "A sender gets at most one notice of a kind about the same recipient in this time."},
        codec::duration(5min, 24h * 7), [](auto& c) -> auto& { return c.sip.noticeInterval; }));
    keys.push_back(one<std::string>(
        {"sip.notice_from",
         "Who the notices come from, such as sip:restante@example.org. Empty: the recipient."},
        codec::text("a SIP URI with a user, such as sip:restante@example.org, or nothing",
                    [](auto word) {
                        return word.empty() ||
                               (codec::isSipUri(word) && word.find('@') != std::string_view::npos);
                    }),
        [](auto& c) -> auto& { return c.sip.noticeFrom; }));
    const auto words = codec::text("1 to 1,000 bytes of text, in which {recipient} and {reason} "
                                   "are replaced",
                                   [](auto word) { return !word.empty() && word.size() <= 1'000; });
    keys.push_back(one<std::string>(
        {"sip.notice_stored_text", "What the notice says then."}, words,
        [](auto& c) -> auto& { return c.sip.noticeStoredText; }));
    keys.push_back(one<std::string>(
        {"sip.notice_failed_text", "What it says when a message has failed."}, words,
        [](auto& c) -> auto& { return c.sip.noticeFailedText; }));
}

void addSchedule(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::string>(
        {"sip.schedule_header",
         "The header by which a MESSAGE says when it is to be delivered, as an RFC 3339 time or "
         "in\n"
         "seconds from now, such as X-Deliver-At. Empty: none, everything is delivered at once."},
        codec::text("a header name that SIP does not use, such as X-Deliver-At, or nothing",
                    isFreeHeader),
        [](auto& c) -> auto& { return c.sip.scheduleHeader; }));
    keys.push_back(one<Millis>(
        {"sip.schedule_horizon", "How far ahead that may be; further is answered 400."},
        codec::duration(1min, 24h * 3650), [](auto& c) -> auto& { return c.sip.scheduleHorizon; }));
    keys.push_back(one<std::uint32_t>(
        {"sip.schedule_per_sender",
         "How many scheduled messages of one sender may be pending; the next is answered 480.\n"
         "0 = no limit."},
        codec::number<std::uint32_t>(0, std::numeric_limits<std::uint32_t>::max()),
        [](auto& c) -> auto& { return c.sip.schedulePerSender; }));
}
}  // namespace

void addReceipts(std::vector<ConfigKey>& keys)
{
    keys.push_back(many<Config::Receipt>(
        {"sip.receipts",
         "Which IMDN receipts (RFC 5438) are sent when a message asks for them: stored, failed, "
         "and\n"
         "delivered, which is the device's to send and is only for devices that cannot."},
        codec::choice<Config::Receipt>({{"stored", Config::Receipt::Stored},
                                        {"delivered", Config::Receipt::Delivered},
                                        {"failed", Config::Receipt::Failed}}),
        [](auto& c) -> auto& { return c.sip.receipts; }));
    addNotice(keys);
    keys.push_back(one<bool>(
        {"sip.mwi",
         "Whether a phone may subscribe to its user's message-summary (RFC 3842) and is told how\n"
         "many messages wait."},
        codec::flag(), [](auto& c) -> auto& { return c.sip.mwi; }));
    addSchedule(keys);
}

}  // namespace restante::builder
