#include "sipplugin/registration/binding_store.h"

#include "core/base/log.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"
#include "core/redis/store/store_answers.h"
#include "sipplugin/lua/script.h"
#include "sipplugin/registration/binding_record.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace restante::sip {

namespace {

tl::unexpected<Error> updateRefusal(std::string_view word, const std::string& aor)
{
    if (word == "stale") {
        return failure(
            ErrorCode::Stale,
            fmt::format("register {}: a later request of the same Call-ID has been here", aor));
    }
    if (word == "full") {
        return failure(ErrorCode::Conflict,
                       fmt::format("register {}: too many contacts; remove one first", aor));
    }
    return failure(ErrorCode::Internal, fmt::format("register {}: {}", aor, word));
}

tl::unexpected<Error> closingError()
{
    return failure(ErrorCode::Unavailable, "bindings: the store is being closed");
}

void sortByPreference(std::vector<Binding>& bindings)
{
    std::ranges::sort(bindings, [](const Binding& a, const Binding& b) {
        return a.q != b.q ? a.q > b.q : a.updated > b.updated;
    });
}

/// Removes all but the last binding of each key.
void dropRepeated(std::vector<Binding>& additions)
{
    for (auto one = additions.begin(); one != additions.end();) {
        const bool repeated = std::any_of(one + 1, additions.end(), [&](const Binding& later) {
            return keyOf(later) == keyOf(*one);
        });
        one = repeated ? additions.erase(one) : one + 1;
    }
}

/// The arguments of arrive.lua.
std::vector<std::string> argumentsOf(const BindingUpdate& update, std::size_t maxContacts)
{
    std::vector<std::string> arguments{update.aor,
                                       !update.storesBindings ? "none"
                                       : update.removeAll     ? "all"
                                                              : "some",
                                       update.callId,
                                       std::to_string(update.cseq),
                                       std::to_string(maxContacts),
                                       update.releasesMailbox ? "1" : "0",
                                       std::to_string(update.claimLimits.messages),
                                       std::to_string(update.claimLimits.recordBytes)};
    if (!update.storesBindings) {
        arguments.emplace_back("0");
        return arguments;
    }
    arguments.push_back(std::to_string(update.additions.size() + update.removals.size()));
    for (const auto& binding : update.additions) {
        arguments.insert(arguments.end(), {keyOf(binding), "", encodeBinding(binding)});
    }
    for (const auto& binding : update.removals) {
        arguments.insert(arguments.end(), {keyOf(binding), binding.regId, ""});
    }
    return arguments;
}

}  // namespace

std::string keyOf(const Binding& binding)
{
    return binding.instance.empty() ? binding.contact : binding.instance;
}

void RedisBindingStore::lookup(std::string aor, Done<std::vector<Binding>> done)
{
    parts_.connection.command(
        {"HVALS", settings_.keys.key("aor", aor)},
        [this, alive = callbackGuard_.watch(), done = std::move(done)](Result<redis::Reply> reply) {
            if (alive.expired()) {
                return done(closingError());
            }
            done(reply.and_then([this](const redis::Reply& records) {
                return livingBindings(records).map([](std::vector<Binding> bindings) {
                    sortByPreference(bindings);
                    return bindings;
                });
            }));
        });
}

void RedisBindingStore::update(BindingUpdate update, Done<Arrival> done)
{
    dropRepeated(update.additions);
    const auto arguments = argumentsOf(update, settings_.maxContacts);
    const auto shard = shardOfMailbox(update.aor, settings_.keys.shards);
    const auto subject = redis::ScriptSubject::ofMailbox(update.aor);
    parts_.shards[shard]->add(script("arrive"), subject, arguments,
                              [this, alive = callbackGuard_.watch(), aor = update.aor,
                               additions = std::move(update.additions),
                               done = std::move(done)](const Result<redis::Reply>& reply) mutable {
                                  if (alive.expired()) {
                                      return done(closingError());
                                  }
                                  done(reply.and_then([&](const redis::Reply& answer) {
                                      return arrivalOf(answer, aor, std::move(additions));
                                  }));
                              });
}

Result<Arrival> RedisBindingStore::arrivalOf(const redis::Reply& reply,
                                             const std::string& aor,
                                             std::vector<Binding> additions) const
{
    if (reply.text() != nullptr) {
        return updateRefusal(*reply.text(), aor);
    }
    std::vector<redis::DamagedJob> damaged;
    Arrival arrival;
    arrival.waiting = redis::numberOf(reply.at(1));
    arrival.messages = redis::claimedJobsOf(reply.at(2), damaged);
    for (const auto& job : damaged) {
        log::error("sip", "buried: {}", job.reason);
        parts_.jobs.bury({.id = job.id, .recipient = aor}, job.reason, [](const auto&) {});
    }
    auto otherBindings = livingBindings(reply.at(0));
    if (!otherBindings) {
        return tl::unexpected(otherBindings.error());
    }
    arrival.bindings = std::move(*otherBindings);
    std::ranges::move(additions, std::back_inserter(arrival.bindings));
    sortByPreference(arrival.bindings);
    return arrival;
}

Result<std::vector<Binding>> RedisBindingStore::livingBindings(const redis::Reply& records) const
{
    const auto* texts = records.array();
    if (texts == nullptr) {
        return failure(ErrorCode::Internal, "bindings: Redis answered something else than a list");
    }
    std::vector<Binding> bindings;
    for (const auto& one : *texts) {
        auto binding = decodeBinding(one.textOrEmpty());
        if (!binding) {
            return tl::unexpected(binding.error());
        }
        if (binding->expires > parts_.clock.now()) {
            bindings.push_back(std::move(*binding));
        }
    }
    return bindings;
}

}  // namespace restante::sip
