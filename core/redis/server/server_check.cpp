#include "core/redis/server/server_check.h"

#include "core/base/event_loop.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/redis/client/connection.h"
#include "core/redis/client/reply.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace restante::redis {

namespace {

// Records up to this size share a compact listpack (docs/redis-schema.md).
constexpr std::string_view kCompactSize = "1024";

tl::unexpected<Error> unsuitable(std::string what)
{
    return invalid("redis: " + std::move(what));
}

/// Of a server, or a proxy before it, whose INFO lacks what has to be `wanted`.
tl::unexpected<Error> hiddenError(std::string_view what, std::string_view wanted)
{
    return unsuitable(fmt::format("it does not tell its {}, which must be {}; ask who runs it for "
                                  "all of INFO",
                                  what, wanted));
}

/// The value of `name` in the `name:value` lines of INFO; empty when it is not there.
std::string_view infoField(std::string_view info, std::string_view name)
{
    const auto line = "\n" + std::string(name) + ":";
    const auto at = info.find(line);
    if (at == std::string_view::npos) {
        return {};
    }
    const auto value = info.substr(at + line.size());
    return value.substr(0, value.find_first_of("\r\n"));
}

/// `maxmemory`, or half of the machine's memory.
std::uint64_t memoryOf(std::string_view info)
{
    const auto limit = leadingNumber<std::uint64_t>(infoField(info, "maxmemory"));
    return limit > 0 ? limit
                     : leadingNumber<std::uint64_t>(infoField(info, "total_system_memory")) / 2;
}

Result<ServerReport> checkInfo(std::string_view info, bool asCluster)
{
    const auto facts = serverFactsOf(info);
    if (facts.redisVersion.empty()) {
        return hiddenError("version", "7.0 or newer");
    }
    if (facts.isTooOld()) {
        return unsuitable("version " + facts.version + " is too old; use Redis 7.0 or newer");
    }
    if (!asCluster && facts.isCluster) {
        return unsuitable(
            "this is a node of a Redis Cluster; name some of its nodes in redis.url, as "
            "redis+cluster://host:port,host:port");
    }
    if (facts.evictionPolicy.empty()) {
        return hiddenError("maxmemory-policy", kNoEviction);
    }
    if (facts.evictionPolicy != kNoEviction) {
        return unsuitable(R"(maxmemory-policy is ")" + facts.evictionPolicy +
                          R"(", with which Redis throws jobs away; set it to "noeviction")");
    }
    ServerReport report{facts, memoryOf(info), {}};
    if (!facts.hasAppendOnlyFile) {
        report.warnings.emplace_back(kNoAppendOnlyFile);
    }
    return report;
}

bool isUnused(const Reply& meta)
{
    return meta.size() == 2 && meta.at(0).isNil() && meta.at(1).isNil();
}

tl::unexpected<Error> foreignDataError(const std::string& prefix)
{
    return unsuitable("the key " + metaKey(prefix) +
                      " is not Restante's; set redis.prefix to a name that is free");
}

tl::unexpected<Error> schemaError(const std::string& prefix, const std::string& schema)
{
    return unsuitable("the data under \"" + prefix + "\" has schema " + schema +
                      ", this program knows " + std::to_string(kSchema) +
                      "; use the version of Restante that wrote it");
}

Result<void> compareMeta(const Reply& meta, const StoreAddress& expected)
{
    const auto* schema = meta.at(0).text();
    const auto* shards = meta.at(1).text();
    if (meta.size() != 2 || schema == nullptr || shards == nullptr) {
        return foreignDataError(expected.prefix);
    }
    if (*schema != std::to_string(kSchema)) {
        return schemaError(expected.prefix, *schema);
    }
    if (*shards != std::to_string(expected.shards)) {
        return unsuitable("the data under \"" + expected.prefix +
                          "\" was written with redis.shards = " + *shards + ", now it is " +
                          std::to_string(expected.shards) +
                          "; set it back (it is fixed at the first start)");
    }
    return {};
}

/// Checks all masters; each warning is reported once.
Result<ServerReport> checkInfos(const std::vector<Reply>& infos, bool asCluster)
{
    ServerReport combined;
    for (const auto& info : infos) {
        auto report = TRY(checkInfo(info.textOrEmpty(), asCluster));
        static_cast<ServerName&>(combined) = report;
        combined.memory += report.memory;
        for (auto& warning : report.warnings) {
            if (std::ranges::find(combined.warnings, warning) == combined.warnings.end()) {
                combined.warnings.push_back(std::move(warning));
            }
        }
    }
    return combined;
}

void configureServer(Connection& connection)
{
    // A server that forbids CONFIG only stores the same in more memory, and pauses when the
    // once keys of a day expire.
    const auto ignore = [](const Result<std::vector<Reply>>&) {};
    connection.commandToEach({"CONFIG", "SET", "lazyfree-lazy-expire", "yes"}, ignore);
    connection.commandToEach({"CONFIG", "SET", "hash-max-listpack-value", kCompactSize}, ignore);
}

/// Writes both fields unless they exist.
void writeMeta(Connection& connection, const StoreAddress& expected)
{
    const auto key = metaKey(expected.prefix);
    const auto shards = std::to_string(expected.shards);
    const auto schema = std::to_string(kSchema);
    connection.command({"HSETNX", key, "schema", schema}, [](const Result<Reply>&) {});
    connection.command({"HSETNX", key, "shards", shards}, [](const Result<Reply>&) {});
}

void readMeta(Connection& connection, const std::string& prefix, Done<Reply> done)
{
    connection.command({"HMGET", metaKey(prefix), "schema", "shards"}, std::move(done));
}

enum class Purpose { Use, Inspect };

void runCheck(Connection& connection,
              Purpose purpose,
              StoreAddress expected,
              Done<ServerReport> done)
{
    connection.commandToEach({"INFO"}, [&connection, purpose, expected = std::move(expected),
                                        done = std::move(done)](
                                           const Result<std::vector<Reply>>& infos) {
        auto report = infos.and_then(
            [&](const auto& replies) { return checkInfos(replies, connection.isCluster()); });
        if (!report) {
            return done(std::move(report));
        }
        if (purpose == Purpose::Use) {
            configureServer(connection);
            writeMeta(connection, expected);
        }
        readMeta(connection, expected.prefix,
                 [purpose, expected, report, done](const Result<Reply>& reply) {
                     done(reply.and_then([&](const Reply& meta) {
                         const bool isNew = purpose == Purpose::Inspect && isUnused(meta);
                         const auto compared = isNew ? Result<void>{} : compareMeta(meta, expected);
                         return compared ? report : tl::unexpected(compared.error());
                     }));
                 });
    });
}

}  // namespace

ServerName serverNameOf(std::string_view redisVersion, std::string_view valkeyVersion)
{
    if (valkeyVersion.empty()) {
        return {"Redis", std::string(redisVersion)};
    }
    return {"Valkey", std::string(valkeyVersion)};
}

bool ServerFacts::isTooOld() const
{
    return leadingNumber<int>(redisVersion) < kOldestRedisMajor;
}

ServerFacts serverFactsOf(std::string_view info)
{
    ServerFacts facts;
    const auto text = [info](std::string_view name) { return std::string(infoField(info, name)); };
    facts.redisVersion = text("redis_version");
    static_cast<ServerName&>(facts) = serverNameOf(facts.redisVersion, text("valkey_version"));
    facts.role = text("role");
    if (facts.role == "slave") {
        facts.master = text("master_host") + ":" + text("master_port");
    }
    facts.evictionPolicy = text("maxmemory_policy");
    facts.isCluster = text("cluster_enabled") == "1";
    facts.hasAppendOnlyFile = text("aof_enabled") != "0";
    return facts;
}

void checkServer(Connection& connection, StoreAddress expected, Done<ServerReport> done)
{
    runCheck(connection, Purpose::Use, std::move(expected), std::move(done));
}

void inspectServer(Connection& connection, StoreAddress expected, Done<ServerReport> done)
{
    runCheck(connection, Purpose::Inspect, std::move(expected), std::move(done));
}

void readShardCount(Connection& connection, const std::string& prefix, Done<std::uint32_t> done)
{
    const auto shardsOfMeta = [prefix](const Reply& meta) -> Result<std::uint32_t> {
        if (isUnused(meta)) {
            return 0;
        }
        const auto* schema = meta.at(0).text();
        const auto* text = meta.at(1).text();
        if (schema != nullptr && *schema != std::to_string(kSchema)) {
            return schemaError(prefix, *schema);
        }
        if (schema != nullptr && text == nullptr) {
            return 0;  // the first user is just writing it
        }
        const auto shards = text != nullptr ? leadingNumber<std::uint32_t>(*text) : 0;
        if (schema == nullptr || shards == 0) {
            return foreignDataError(prefix);
        }
        return shards;
    };
    readMeta(connection, prefix,
             [shardsOfMeta, done = std::move(done)](const Result<Reply>& reply) {
                 done(reply.and_then(shardsOfMeta));
             });
}

}  // namespace restante::redis
