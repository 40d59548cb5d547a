#include "core/redis/server/server_check.h"

#include "core/base/text.h"
#include "core/redis/store/keys.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace restante::redis {

namespace {

constexpr int kOldestVersion = 7;
constexpr std::string_view kSchema = "1";
// Records up to this size share a compact listpack (docs/redis-schema.md).
constexpr std::string_view kCompactSize = "1024";

tl::unexpected<Error> unfit(std::string what)
{
    return failure(ErrorCode::Invalid, "redis: " + std::move(what));
}

/// The value of `name` in the `name:value` lines of INFO; empty when it is not there.
std::string_view field(std::string_view info, std::string_view name)
{
    const auto line = "\n" + std::string(name) + ":";
    const auto at = info.find(line);
    if (at == std::string_view::npos) {
        return {};
    }
    const auto value = info.substr(at + line.size());
    return value.substr(0, value.find_first_of("\r\n"));
}

Result<ServerReport> judge(std::string_view info, bool asCluster)
{
    ServerReport report;
    const auto compatible = field(info, "redis_version");
    static_cast<ServerName&>(report) = serverNameOf(compatible, field(info, "valkey_version"));
    if (leadingNumber<int>(compatible) < kOldestVersion) {
        return unfit("version " + report.version + " is too old; use Redis 7.0 or newer");
    }
    if (!asCluster && field(info, "cluster_enabled") == "1") {
        return unfit("this is a node of a Redis Cluster; name some of its nodes in redis.url, as "
                     "redis+cluster://host:port,host:port");
    }
    const auto policy = field(info, "maxmemory_policy");
    if (policy != "noeviction") {
        return unfit(R"(maxmemory-policy is ")" + std::string(policy) +
                     R"(", with which Redis throws jobs away; set it to "noeviction")");
    }
    if (field(info, "aof_enabled") == "0") {
        report.warnings.emplace_back(
            "redis has no append-only file: what was acknowledged since its last snapshot is "
            "lost when it ends; set \"appendonly yes\"");
    }
    return report;
}

bool isUnused(const Reply& meta)
{
    return meta.size() == 2 && meta.at(0).isNil() && meta.at(1).isNil();
}

tl::unexpected<Error> notOurs(const std::string& prefix)
{
    return unfit("the key " + metaKey(prefix) +
                 " is not Restante's; set redis.prefix to a name that is free");
}

tl::unexpected<Error> otherSchema(const std::string& prefix, const std::string& schema)
{
    return unfit("the data under \"" + prefix + "\" has schema " + schema +
                 ", this program knows " + std::string(kSchema) +
                 "; use the version of Restante that wrote it");
}

Result<void> compareMeta(const Reply& meta, const ServerExpectation& expected)
{
    const auto* schema = meta.at(0).text();
    const auto* shards = meta.at(1).text();
    if (meta.size() != 2 || schema == nullptr || shards == nullptr) {
        return notOurs(expected.prefix);
    }
    if (*schema != kSchema) {
        return otherSchema(expected.prefix, *schema);
    }
    if (*shards != std::to_string(expected.shards)) {
        return unfit("the data under \"" + expected.prefix + "\" was written with redis.shards = " +
                     *shards + ", now it is " + std::to_string(expected.shards) +
                     "; set it back (it is fixed at the first start)");
    }
    return {};
}

/// One check under way; its callbacks share it.
class Check : public std::enable_shared_from_this<Check> {
public:
    enum class Purpose { Use, Look };

    Check(Connection& connection,
          Purpose purpose,
          ServerExpectation expected,
          Done<ServerReport> done)
        : connection_(connection),
          purpose_(purpose),
          expected_(std::move(expected)),
          done_(std::move(done))
    {
    }

    void start()
    {
        connection_.commandToEach(
            {"INFO"}, [self = shared_from_this()](const Result<std::vector<Reply>>& replies) {
                if (!replies) {
                    return self->done_(tl::unexpected<Error>(replies.error()));
                }
                self->judgeAll(*replies);
            });
    }

private:
    /// Of a cluster, every master; what several of them lack is told once.
    void judgeAll(const std::vector<Reply>& infos)
    {
        for (const auto& info : infos) {
            const auto* text = info.text();
            auto report =
                judge(text != nullptr ? *text : std::string_view{}, connection_.isCluster());
            if (!report) {
                return done_(std::move(report));
            }
            static_cast<ServerName&>(report_) = *report;
            for (auto& warning : report->warnings) {
                if (std::find(report_.warnings.begin(), report_.warnings.end(), warning) ==
                    report_.warnings.end()) {
                    report_.warnings.push_back(std::move(warning));
                }
            }
        }
        if (purpose_ == Purpose::Use) {
            tune();
            claim();
        }
        readMeta();
    }

    void tune()
    {
        // A server that forbids CONFIG only stores the same in more memory, and pauses when the
        // once keys of a day expire.
        const auto ignore = [](const Result<std::vector<Reply>>&) {};
        connection_.commandToEach({"CONFIG", "SET", "lazyfree-lazy-expire", "yes"}, ignore);
        connection_.commandToEach({"CONFIG", "SET", "hash-max-listpack-value", kCompactSize},
                                  ignore);
    }

    /// Whoever is first writes, everybody compares.
    void claim()
    {
        const auto key = metaKey(expected_.prefix);
        const auto shards = std::to_string(expected_.shards);
        connection_.command({"HSETNX", key, "schema", kSchema}, [](const Result<Reply>&) {});
        connection_.command({"HSETNX", key, "shards", shards}, [](const Result<Reply>&) {});
    }

    void readMeta()
    {
        const auto key = metaKey(expected_.prefix);
        connection_.command({"HMGET", key, "schema", "shards"}, [self = shared_from_this()](
                                                                    const Result<Reply>& reply) {
            self->done_(
                reply.and_then([&](const Reply& meta) { return self->compare(meta); }).map([&] {
                    return std::move(self->report_);
                }));
        });
    }

    Result<void> compare(const Reply& meta) const
    {
        const bool isNew = purpose_ == Purpose::Look && isUnused(meta);
        return isNew ? Result<void>{} : compareMeta(meta, expected_);
    }

    Connection& connection_;
    const Purpose purpose_;
    const ServerExpectation expected_;
    const Done<ServerReport> done_;
    ServerReport report_;
};

}  // namespace

ServerName serverNameOf(std::string_view redisVersion, std::string_view valkeyVersion)
{
    if (valkeyVersion.empty()) {
        return {"Redis", std::string(redisVersion)};
    }
    return {"Valkey", std::string(valkeyVersion)};
}

void checkServer(Connection& connection, ServerExpectation expected, Done<ServerReport> done)
{
    std::make_shared<Check>(connection, Check::Purpose::Use, std::move(expected), std::move(done))
        ->start();
}

void inspectServer(Connection& connection, ServerExpectation expected, Done<ServerReport> done)
{
    std::make_shared<Check>(connection, Check::Purpose::Look, std::move(expected), std::move(done))
        ->start();
}

void readShards(Connection& connection, const std::string& prefix, Done<std::uint32_t> done)
{
    const auto judgeMeta = [prefix](const Reply& meta) -> Result<std::uint32_t> {
        if (isUnused(meta)) {
            return 0;
        }
        const auto* schema = meta.at(0).text();
        const auto* text = meta.at(1).text();
        if (schema != nullptr && *schema != kSchema) {
            return otherSchema(prefix, *schema);
        }
        if (schema != nullptr && text == nullptr) {
            return 0;  // whoever is first is just writing it
        }
        const auto shards = text != nullptr ? leadingNumber<std::uint32_t>(*text) : 0;
        if (schema == nullptr || shards == 0) {
            return notOurs(prefix);
        }
        return shards;
    };
    connection.command({"HMGET", metaKey(prefix), "schema", "shards"},
                       [judgeMeta, done = std::move(done)](const Result<Reply>& reply) {
                           done(reply ? judgeMeta(*reply) : tl::unexpected(reply.error()));
                       });
}

}  // namespace restante::redis
