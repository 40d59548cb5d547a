#include "core/config/key_builder.h"

#include <chrono>
#include <cstdint>
#include <limits>

/// [sip.mailbox] and [sip.limits]: what waits for people, and how fast it leaves.
namespace restante::builder {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kAnyCount = std::numeric_limits<std::uint32_t>::max();
// A petabyte: more is a slip of the pen.
constexpr std::uint64_t kAnySize = 1ULL << 50U;
constexpr Millis kLongest = std::chrono::hours{24 * 3650};

void addQuotas(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::uint32_t>(
        {"sip.mailbox.max_messages",
         "How many messages wait for one person; the next is answered 480. 0 = no limit."},
        codec::number<std::uint32_t>(0, kAnyCount),
        [](auto& c) -> auto& { return c.sip.mailbox.maxMessages; }));
    keys.push_back(one<std::size_t>(
        {"sip.mailbox.max_bytes",
         "How many bytes they may have, headers included; a message that would make them more is\n"
         "answered 480. 0 = no limit."},
        codec::number<std::size_t>(0, kAnySize),
        [](auto& c) -> auto& { return c.sip.mailbox.maxBytes; }));
    keys.push_back(one<Millis>(
        {"sip.mailbox.keep", "How long a message without an Expires of its own is kept."},
        codec::duration(1min, kLongest), [](auto& c) -> auto& { return c.sip.mailbox.keep; }));
}

void addPace(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::uint32_t>(
        {"sip.mailbox.window", "How many messages to one person are under way at a time. Above 1 "
                               "they leave in order, but\n"
                               "one that fails comes after those that were under way with it."},
        codec::number<std::uint32_t>(1, 100),
        [](auto& c) -> auto& { return c.sip.mailbox.window; }));
    keys.push_back(one<Millis>(
        {"sip.mailbox.pace", "The least time between two messages to one person."},
        codec::duration(0ms, 1h), [](auto& c) -> auto& { return c.sip.mailbox.pace; }));
}

void addSipLimits(std::vector<ConfigKey>& keys)
{
    keys.push_back(one<std::uint32_t>(
        {"sip.limits.per_sender",
         "Messages a second from one sender (From), whoever forwards them; more are answered 480.\n"
         "0 = no limit."},
        codec::number<std::uint32_t>(0, kAnyCount),
        [](auto& c) -> auto& { return c.sip.limits.perSender; }));
    builder::addSipConnections(keys);
    keys.push_back(one<std::uint32_t>(
        {"sip.limits.subscriptions",
         "How many people's registrations are watched at once at sip.regevent; what waits\n"
         "for the others is tried by sip.retry alone."},
        codec::number<std::uint32_t>(1, kAnyCount),
        [](auto& c) -> auto& { return c.sip.limits.subscriptions; }));
    keys.push_back(one<std::uint32_t>(
        {"sip.limits.total_messages",
         "Messages that wait in all mailboxes together; the next is answered 503. 0 = no limit."},
        codec::number<std::uint32_t>(0, kAnyCount),
        [](auto& c) -> auto& { return c.sip.limits.totalMessages; }));
    keys.push_back(one<std::uint32_t>(
        {"sip.limits.send_rate",
         "Messages a second that this daemon delivers to all people together. 0 = no limit."},
        codec::number<std::uint32_t>(0, 1'000'000),
        [](auto& c) -> auto& { return c.sip.limits.sendRate; }));
    keys.push_back(one<std::size_t>(
        {"sip.limits.flush_memory",
         "Memory, in bytes, for the messages that are being delivered; further people wait their\n"
         "turn."},
        codec::number<std::size_t>(1'048'576, kAnySize),
        [](auto& c) -> auto& { return c.sip.limits.flushMemory; }));
}

}  // namespace

void addMailbox(std::vector<ConfigKey>& keys)
{
    addQuotas(keys);
    addPace(keys);
    addSipLimits(keys);
}

}  // namespace restante::builder
