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

tl::unexpected<Error> closing()
{
    return failure(ErrorCode::Unavailable, "bindings: the store is being closed");
}

void sortByPreference(std::vector<Binding>& bindings)
{
    std::ranges::sort(bindings, [](const Binding& a, const Binding& b) {
        return a.q != b.q ? a.q > b.q : a.updated > b.updated;
    });
}

/// Of a contact that stands twice the last counts.
void dropRepeated(std::vector<Binding>& put)
{
    for (auto one = put.begin(); one != put.end();) {
        const bool repeated = std::any_of(
            one + 1, put.end(), [&](const Binding& later) { return keyOf(later) == keyOf(*one); });
        one = repeated ? put.erase(one) : one + 1;
    }
}

/// Those of arrive.lua.
std::vector<std::string> argumentsOf(const BindingUpdate& update, std::size_t most)
{
    std::vector<std::string> arguments{update.aor,
                                       !update.kept       ? "none"
                                       : update.removeAll ? "all"
                                                          : "some",
                                       update.callId,
                                       std::to_string(update.cseq),
                                       std::to_string(most),
                                       update.reachable ? "1" : "0",
                                       std::to_string(update.take.messages),
                                       std::to_string(update.take.recordBytes)};
    if (!update.kept) {
        arguments.emplace_back("0");
        return arguments;
    }
    arguments.push_back(std::to_string(update.put.size() + update.remove.size()));
    for (const auto& binding : update.put) {
        arguments.insert(arguments.end(), {keyOf(binding), "", encodeBinding(binding)});
    }
    for (const auto& binding : update.remove) {
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
                return done(closing());
            }
            done(reply.and_then([this](const redis::Reply& records) {
                return living(records).map([](std::vector<Binding> bindings) {
                    sortByPreference(bindings);
                    return bindings;
                });
            }));
        });
}

void RedisBindingStore::update(BindingUpdate update, Done<Arrival> done)
{
    const auto arguments = argumentsOf(update, settings_.maxContacts);
    const auto shard = shardOfMailbox(update.aor, settings_.keys.shards);
    dropRepeated(update.put);
    const auto subject = redis::ScriptSubject::ofMailbox(update.aor);
    parts_.shards[shard]->add(script("arrive"), subject, arguments,
                              [this, alive = callbackGuard_.watch(), aor = update.aor,
                               put = std::move(update.put),
                               done = std::move(done)](const Result<redis::Reply>& reply) mutable {
                                  if (alive.expired()) {
                                      return done(closing());
                                  }
                                  done(reply.and_then([&](const redis::Reply& answer) {
                                      return arrivalOf(answer, aor, std::move(put));
                                  }));
                              });
}

Result<Arrival> RedisBindingStore::arrivalOf(const redis::Reply& reply,
                                             const std::string& aor,
                                             std::vector<Binding> put) const
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
    auto others = living(reply.at(0));
    if (!others) {
        return tl::unexpected(others.error());
    }
    arrival.bindings = std::move(*others);
    std::ranges::move(put, std::back_inserter(arrival.bindings));
    sortByPreference(arrival.bindings);
    return arrival;
}

Result<std::vector<Binding>> RedisBindingStore::living(const redis::Reply& records) const
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
