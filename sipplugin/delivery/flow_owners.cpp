#include "sipplugin/delivery/flow_owners.h"

#include "core/base/log.h"
#include "core/redis/client/reply.h"
#include "sipplugin/lua/script.h"

#include <algorithm>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::string_view kDuePrefix = "due ";
constexpr std::string_view kStoredPrefix = "stored ";

std::optional<MailboxHandover> handoverOf(std::string_view text)
{
    for (const auto word : {kDuePrefix, kStoredPrefix}) {
        if (text.starts_with(word)) {
            return MailboxHandover{std::string{text.substr(word.size())}, word == kDuePrefix};
        }
    }
    return std::nullopt;  // of another version
}

/// `replies` are those of each master to PUBSUB NUMSUB of one channel: its name and a number.
bool hasSubscriber(const std::vector<redis::Reply>& replies)
{
    return std::ranges::any_of(replies, [](const redis::Reply& reply) {
        const auto* pair = reply.array();
        const auto* count = pair != nullptr && pair->size() == 2 ? pair->back().integer() : nullptr;
        return count != nullptr && *count > 0;
    });
}

}  // namespace

void FlowOwners::listen(std::vector<std::string> names, HandoverHandler handler)
{
    ownerNames_ = std::move(names);
    std::vector<std::string> channels;
    for (const auto& name : ownerNames_) {
        channels.push_back(channelOf(name));
    }
    handoverListener_ = std::make_unique<redis::Connection>(loop_, settings_);
    handoverListener_->subscribe(std::move(channels),
                                 [handler = std::move(handler)](auto, std::string_view text) {
                                     if (const auto handover = handoverOf(text)) {
                                         handler(*handover);
                                     }
                                 });
    handoverListener_->onReady([this](bool ready) {
        if (ready) {
            sendHeartbeat();
        }
    });
}

void FlowOwners::stop()
{
    heartbeatTimer_.cancel();
    if (std::exchange(handoverListener_, nullptr)) {
        for (const auto& name : ownerNames_) {
            commands_.command({"DEL", channelOf(name)}, [](const auto&) {});
        }
    }
}

/// Sends none while handovers cannot reach us.
void FlowOwners::sendHeartbeat()
{
    constexpr Millis kRetryInterval{200};
    const auto lifetime = std::to_string(lifetime_.count());
    if (!handoverListener_->ready() || !commands_.ready()) {
        return heartbeatTimer_.arm(std::min(lifetime_ / 3, kRetryInterval),
                                   [this] { sendHeartbeat(); });
    }
    for (const auto& name : ownerNames_) {
        evaluate(commands_, "own_flows", 1, {channelOf(name), lifetime}, [](const auto&) {});
    }
    heartbeatTimer_.arm(lifetime_ / 3, [this] { sendHeartbeat(); });
}

bool FlowOwners::isOwnName(std::string_view name) const
{
    return std::ranges::find(ownerNames_, name) != ownerNames_.end();
}

void FlowOwners::isAlive(const std::string& owner, Done<bool> done)
{
    // A daemon that ends unsubscribes at once; one that hangs sends no heartbeat.
    const auto channel = channelOf(owner);
    commands_.command({"EXISTS", channel}, [&commands = commands_, channel, done = std::move(done)](
                                               const Result<redis::Reply>& reply) {
        const auto* keyCount = reply ? reply->integer() : nullptr;
        if (keyCount == nullptr || *keyCount == 0) {
            return done(reply.map([](const redis::Reply&) { return false; }));
        }
        // In a cluster each node knows only its own subscribers.
        commands.commandToEach({"PUBSUB", "NUMSUB", channel},
                               [done](const Result<std::vector<redis::Reply>>& replies) {
                                   done(replies.map(hasSubscriber));
                               });
    });
}

void FlowOwners::tell(const std::string& owner, const MailboxHandover& handover)
{
    const auto channel = channelOf(owner);
    const auto text = std::string{handover.due ? kDuePrefix : kStoredPrefix} + handover.recipient;
    commands_.command({"PUBLISH", channel, text},
                      [recipient = handover.recipient](const auto& receivers) {
                          if (!receivers) {
                              log::debug("sip", "the daemon that reaches {} is not told: {}",
                                         recipient, receivers.error().message);
                          }
                      });
}

}  // namespace restante::sip
