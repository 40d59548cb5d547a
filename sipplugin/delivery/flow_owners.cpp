#include "sipplugin/delivery/flow_owners.h"

#include "core/base/log.h"

#include <algorithm>
#include <utility>

namespace restante::sip {

namespace {

constexpr std::string_view kDue = "due ";
constexpr std::string_view kStored = "stored ";

std::optional<MailboxHint> hintOf(std::string_view text)
{
    for (const auto word : {kDue, kStored}) {
        if (text.starts_with(word)) {
            return MailboxHint{std::string{text.substr(word.size())}, word == kDue};
        }
    }
    return std::nullopt;  // of another version
}

/// PUBSUB NUMSUB of one channel, asked of each master: its name and a number.
bool hasSubscriber(const std::vector<redis::Reply>& replies)
{
    return std::ranges::any_of(replies, [](const redis::Reply& reply) {
        const auto* pair = reply.array();
        const auto* count = pair != nullptr && pair->size() == 2 ? pair->back().integer() : nullptr;
        return count != nullptr && *count > 0;
    });
}

}  // namespace

void FlowOwners::listen(std::vector<std::string> names, HintHandler handler)
{
    names_ = std::move(names);
    std::vector<std::string> channels;
    for (const auto& name : names_) {
        channels.push_back(channelOf(name));
    }
    hints_ = std::make_unique<redis::Connection>(loop_, settings_);
    hints_->subscribe(std::move(channels),
                      [handler = std::move(handler)](auto, std::string_view text) {
                          if (const auto hint = hintOf(text)) {
                              handler(*hint);
                          }
                      });
}

bool FlowOwners::owns(std::string_view owner) const
{
    return std::ranges::find(names_, owner) != names_.end();
}

void FlowOwners::isLiving(const std::string& owner, Done<bool> done)
{
    // Of a cluster a node knows its own subscribers only.
    const auto channel = channelOf(owner);
    commands_.commandToEach(
        {"PUBSUB", "NUMSUB", channel},
        [done = std::move(done)](const Result<std::vector<redis::Reply>>& replies) {
            done(replies.map(hasSubscriber));
        });
}

void FlowOwners::tell(const std::string& owner, const MailboxHint& hint)
{
    const auto channel = channelOf(owner);
    const auto text = std::string{hint.due ? kDue : kStored} + hint.recipient;
    commands_.command({"PUBLISH", channel, text}, [recipient = hint.recipient](const auto& told) {
        if (!told) {
            log::debug("sip", "the daemon that reaches {} is not told: {}", recipient,
                       told.error().message);
        }
    });
}

}  // namespace restante::sip
