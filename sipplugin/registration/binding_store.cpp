#include "sipplugin/registration/binding_store.h"

#include "core/base/log.h"
#include "core/redis/client/connection.h"
#include "sipplugin/lua/script.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace restante::sip {

namespace {

using nlohmann::json;

std::string recordOf(const Binding& binding)
{
    const json record{{"contact", binding.contact},
                      {"instance", binding.instance},
                      {"reg_id", binding.regId},
                      {"q", binding.q},
                      {"path", binding.path},
                      {"source", binding.source},
                      {"flow", binding.flow},
                      {"behind_nat", binding.behindNat},
                      {"transport", binding.transport},
                      {"agent", binding.agent},
                      {"call_id", binding.callId},
                      {"cseq", binding.cseq},
                      {"updated_ms", toEpochMs(binding.updated)},
                      {"expires_ms", toEpochMs(binding.expires)}};
    // A byte that is not UTF-8 must not keep somebody from registering.
    return record.dump(-1, ' ', false, json::error_handler_t::replace);
}

Binding bindingOf(const json& record)
{
    Binding binding;
    binding.contact = record.at("contact");
    binding.instance = record.at("instance");
    binding.regId = record.at("reg_id");
    binding.q = record.at("q");
    binding.path = record.at("path").get<std::vector<std::string>>();
    binding.source = record.at("source");
    binding.flow = record.value("flow", "");
    binding.behindNat = record.at("behind_nat");
    binding.transport = record.at("transport");
    binding.agent = record.value("agent", "");
    binding.callId = record.at("call_id");
    binding.cseq = record.at("cseq");
    binding.updated = fromEpochMs(record.at("updated_ms"));
    binding.expires = fromEpochMs(record.at("expires_ms"));
    return binding;
}

/// `records` are those of `update.put`.
std::vector<std::string> argumentsOf(const std::string& key,
                                     TimePoint now,
                                     std::size_t most,
                                     const BindingUpdate& update,
                                     const std::vector<std::string>& records)
{
    const auto shard = key.substr(0, key.find("}:") + 2);
    std::vector<std::string> arguments{key,
                                       shard + "events",
                                       shard + "journal",
                                       shard + "told:" + key.substr(shard.size()),
                                       shard + "seen:" + update.aor,
                                       std::to_string(toEpochMs(now)),
                                       update.callId,
                                       std::to_string(update.cseq),
                                       update.removeAll ? "all" : "some",
                                       std::to_string(most),
                                       std::to_string(update.put.size())};
    for (std::size_t i = 0; i < update.put.size(); ++i) {
        arguments.push_back(keyOf(update.put[i]));
        arguments.push_back(records[i]);
    }
    for (const auto& binding : update.remove) {
        arguments.push_back(keyOf(binding));
        arguments.push_back(binding.regId);
    }
    return arguments;
}

tl::unexpected<Error> updateRefusal(const std::string& word, const std::string& aor)
{
    if (word == "stale") {
        return failure(
            ErrorCode::Stale,
            fmt::format("register {}: a later request of the same Call-ID has been here", aor));
    }
    return failure(ErrorCode::Conflict,
                   fmt::format("register {}: too many contacts; remove one first", aor));
}

}  // namespace

std::string keyOf(const Binding& binding)
{
    return binding.instance.empty() ? binding.contact : binding.instance;
}

void RedisBindingStore::lookup(std::string aor, Done<std::vector<Binding>> done)
{
    const auto key = settings_.keys.key("aor", aor);
    connection_.command({"HVALS", key}, passLiving(std::move(done)));
}

void RedisBindingStore::update(BindingUpdate update, Done<std::vector<Binding>> done)
{
    std::vector<std::string> records;
    auto written = std::make_shared<std::vector<Written>>();
    for (const auto& binding : update.put) {
        records.push_back(recordOf(binding));
        written->push_back({records.back(), binding});
    }
    auto arguments = argumentsOf(settings_.keys.key("aor", update.aor), clock_.now(),
                                 settings_.maxContacts, update, records);
    evaluate(connection_, "register", 5, std::move(arguments),
             [aor = std::move(update.aor), done,
              pass = passLiving(done, std::move(written))](Result<redis::Reply> reply) {
                 if (reply && reply->text() != nullptr) {
                     return done(updateRefusal(*reply->text(), aor));
                 }
                 pass(std::move(reply));
             });
}

std::function<void(Result<redis::Reply>)>
RedisBindingStore::passLiving(Done<std::vector<Binding>> done, WrittenPtr written)
{
    return [this, alive = callbackGuard_.watch(), done = std::move(done),
            written = std::move(written)](Result<redis::Reply> reply) {
        if (alive.expired()) {
            return done(failure(ErrorCode::Unavailable, "bindings: the store is being closed"));
        }
        done(reply.and_then([&](const redis::Reply& records) { return living(records, written); }));
    };
}

Result<std::vector<Binding>> RedisBindingStore::living(const redis::Reply& records,
                                                       const WrittenPtr& written) const
{
    const auto bindingIn = [&](const std::string& text) {
        if (written) {
            const auto found = std::ranges::find(*written, text, &Written::record);
            if (found != written->end()) {
                return found->binding;
            }
        }
        return bindingOf(json::parse(text, nullptr, false));
    };
    const auto* texts = records.array();
    if (texts == nullptr) {
        return failure(ErrorCode::Internal, "bindings: Redis answered something else than a list");
    }
    std::vector<Binding> bindings;
    for (const auto& one : *texts) {
        try {
            auto binding = bindingIn(one.text() != nullptr ? *one.text() : "");
            if (binding.expires > clock_.now()) {
                bindings.push_back(std::move(binding));
            }
        } catch (const json::exception&) {
            return failure(ErrorCode::Internal,
                           "bindings: a record in Redis cannot be read; delete its aor key");
        }
    }
    std::ranges::sort(bindings, [](const Binding& a, const Binding& b) {
        return a.q != b.q ? a.q > b.q : a.updated > b.updated;
    });
    return bindings;
}

}  // namespace restante::sip
