#include "gui/session/server_facts.h"

#include "core/base/text.h"

#include <cerrno>
#include <system_error>

namespace restante::gui {

namespace {

using Kind = LinkProblem::Kind;

constexpr int kOldestVersion = 7;
constexpr int kSchema = 1;

std::string field(std::string_view info, std::string_view name)
{
    const auto line = "\n" + std::string(name) + ":";
    const auto at = info.find(line);
    if (at == std::string_view::npos) {
        return {};
    }
    const auto value = info.substr(at + line.size());
    return std::string(value.substr(0, value.find_first_of("\r\n")));
}

bool says(std::string_view message, std::string_view word)
{
    return message.find(word) != std::string_view::npos;
}

bool isAbout(std::string_view message, int error)
{
    return says(message, std::generic_category().message(error));
}

}  // namespace

ServerFacts serverFactsOf(std::string_view info)
{
    ServerFacts facts;
    facts.version = field(info, "redis_version");
    facts.name = redis::serverNameOf(facts.version, field(info, "valkey_version"));
    facts.role = field(info, "role");
    if (facts.role == "slave") {
        facts.master = field(info, "master_host") + ":" + field(info, "master_port");
    }
    facts.policy = field(info, "maxmemory_policy");
    facts.isCluster = field(info, "cluster_enabled") == "1";
    return facts;
}

LinkProblem judgeServer(const ServerFacts& facts)
{
    if (!facts.version.empty() && leadingNumber<int>(facts.version) < kOldestVersion) {
        return {Kind::TooOld, facts.version, {}};
    }
    if (facts.isCluster) {
        return {Kind::Cluster, {}, {}};
    }
    if (facts.role == "slave") {
        return {Kind::Replica, facts.master, {}};
    }
    if (!facts.policy.empty() && facts.policy != "noeviction") {
        return {Kind::Evicts, facts.policy, {}};
    }
    return {};
}

StoreFacts storeFactsOf(const redis::Reply& schemaAndShards, const std::string& prefix)
{
    StoreFacts facts;
    const auto* fields = schemaAndShards.array();
    if (fields == nullptr || fields->size() != 2) {
        facts.problem = {Kind::ForeignData, prefix, {}};
        return facts;
    }
    const auto* schema = (*fields)[0].text();
    const auto* shards = (*fields)[1].text();
    if (schema == nullptr && shards == nullptr) {
        facts.problem = {Kind::Unused, prefix, {}};
        return facts;
    }
    const auto count = shards != nullptr ? leadingNumber<int>(*shards) : 0;
    const auto version = schema != nullptr ? leadingNumber<int>(*schema) : 0;
    if (count < 1 || version < 1) {
        facts.problem = {Kind::ForeignData, prefix, {}};
        return facts;
    }
    facts.shards = static_cast<std::uint32_t>(count);
    if (version != kSchema) {
        facts.problem = {version > kSchema ? Kind::SchemaNewer : Kind::SchemaOlder, *schema,
                         std::to_string(kSchema)};
    }
    return facts;
}

LinkProblem refusalOf(LinkStep step, std::string_view message, const std::string& user)
{
    const std::string detail(message);
    if (says(message, "WRONGPASS") || says(message, "invalid password")) {
        return {Kind::PasswordWrong, user, {}};
    }
    if (says(message, "without any password configured")) {
        return {Kind::PasswordUnasked, {}, {}};
    }
    if (says(message, "NOAUTH")) {
        return {Kind::PasswordMissing, {}, {}};
    }
    if (says(message, "NOPERM")) {
        return {Kind::NoPermission, user, detail};
    }
    // Out of a script: Redis 7.0 in the first way, later ones and Valkey in the second.
    if (says(message, "user executing the script can't") ||
        says(message, "ACL failure in script")) {
        return {Kind::NoPermission, user, "NOPERM: writing"};
    }
    if (message.starts_with("MOVED") || says(message, "in cluster mode") ||
        says(message, "CLUSTERDOWN")) {
        return {Kind::Cluster, {}, {}};
    }
    if (says(message, "LOADING")) {
        return {Kind::Loading, {}, {}};
    }
    if (says(message, "READONLY")) {
        return {Kind::Replica, {}, {}};
    }
    if (says(message, "WRONGTYPE") && step == LinkStep::Schema) {
        return {Kind::ForeignData, {}, {}};
    }
    return {Kind::Other, {}, detail};
}

LinkProblem dialProblemOf(std::string_view message, const std::string& where, bool unixSocket)
{
    const std::string detail(message);
    if (says(message, "cannot resolve")) {
        const auto reason = detail.rfind(": ");
        return {Kind::UnknownHost, where,
                reason == std::string::npos ? detail : detail.substr(reason + 2)};
    }
    if (isAbout(message, ENOENT) && unixSocket) {
        return {Kind::NoSuchSocket, where, {}};
    }
    if (isAbout(message, ECONNREFUSED)) {
        return {Kind::Refused, where, {}};
    }
    if (isAbout(message, ETIMEDOUT)) {
        return {Kind::TimedOut, where, {}};
    }
    return {Kind::Unreachable, where, detail};
}

}  // namespace restante::gui
