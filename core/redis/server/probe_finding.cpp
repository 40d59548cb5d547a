#include "core/redis/server/probe_finding.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante::redis {

namespace {

using Kind = ProbeProblem::Kind;

/// {0} is the object, {1} the detail, {2} the object as a user.
struct ProbeText {
    Kind kind;
    const char* what;
    const char* advice;
};

constexpr std::array kProbeTexts{
    ProbeText{Kind::NoSuchSocket, "there is no socket {0}",
              "start the daemon or the Redis that makes it, or correct the address"},
    ProbeText{Kind::SocketForbidden, "this user may not use the socket {0}",
              "run this as root or as the daemon's user (sudo -u restante restantectl ...)"},
    ProbeText{Kind::UnknownHost, "the host {0} is not known ({1})",
              "check its name, and the network"},
    ProbeText{Kind::Refused, "nobody listens at {0}",
              "start Redis there, or correct the address (redis.url, --redis)"},
    ProbeText{Kind::TimedOut, "{0} did not answer in time",
              "is a firewall in the way, or Redis overloaded?"},
    ProbeText{Kind::Unreachable, "{0} cannot be reached: {1}",
              "check the address, and the network"},
    ProbeText{Kind::NotRedis, "what listens at {0} does not talk like Redis",
              "correct the port: this one is another service's"},
    ProbeText{Kind::WantsTls, "what listens at {0} hangs up without a word",
              "if it wants TLS, write rediss:// instead of redis://"},
    ProbeText{Kind::Unverified, "whoever answers at {0} is believed",
              "switch the verification on, and name the authority that issued the certificate "
              "(ca=FILE in the address)"},
    ProbeText{Kind::NoMaster, "no sentinel knows the master {0}: {1}",
              "check its name, and the addresses of the sentinels"},
    ProbeText{Kind::NoNode, "the Redis Cluster cannot be entered: {1}",
              "check the addresses of its nodes"},
    ProbeText{Kind::PasswordMissing, "Redis wants a password",
              "name it in redis.password_file, or in the address"},
    ProbeText{Kind::PasswordWrong, "Redis refused the password of {2}",
              "correct user or password (redis.url, redis.password_file)"},
    ProbeText{Kind::PasswordUnasked,
              "Redis has no password for the default user, but one was given",
              "leave it out, or name the user it belongs to"},
    ProbeText{Kind::NoPermission, "{2} may not do this in Redis: {1}",
              "give the permission with ACL SETUSER, or log in as another user"},
    ProbeText{Kind::NoDatabase, "Redis has no database {0}", "correct the number in the address"},
    ProbeText{Kind::Loading, "Redis is still loading its data", "wait a moment, then ask again"},
    ProbeText{Kind::TooOld, "version {0} is too old", "use Redis 7.0 or newer"},
    ProbeText{Kind::Cluster, "this is a node of a Redis Cluster",
              "name some of its nodes in redis.url, as redis+cluster://host:port,host:port"},
    ProbeText{Kind::Evicts, "maxmemory-policy is {0}, with which Redis throws jobs away",
              "set it to noeviction; until then restanted does not start"},
    ProbeText{Kind::Replica, "this is a replica: it takes no jobs",
              "name its master, {0}, in redis.url"},
    ProbeText{Kind::ForeignData, "the keys that begin with {0} are not Restante's",
              "set redis.prefix to a name that is free"},
    ProbeText{Kind::SchemaNewer, "the store has schema {0}, this program knows {1}",
              "use the version of Restante that wrote it"},
    ProbeText{Kind::SchemaOlder, "the store has schema {0}, this program knows {1}",
              "start the new daemon to bring it up to date"},
    ProbeText{Kind::Unused, "no daemon has used the prefix {0} yet",
              "check the prefix, or start restanted"},
    ProbeText{Kind::Other, "{1}", "look at Redis and its log"},
};

const ProbeText* textOf(Kind kind)
{
    const auto* found = std::find_if(kProbeTexts.begin(), kProbeTexts.end(),
                                     [kind](const ProbeText& one) { return one.kind == kind; });
    return found == kProbeTexts.end() ? nullptr : found;
}

std::string fillText(const char* text, const ProbeProblem& problem)
{
    const auto user = problem.object.empty() ? "the default user" : "user " + problem.object;
    return fmt::format(fmt::runtime(text), problem.object, problem.detail, user);
}

}  // namespace

std::string ProbeProblem::toString() const
{
    if (kind == Kind::Tls) {
        return fmt::format("{}: {}", object, tls.what());
    }
    const auto* probeText = textOf(kind);
    return probeText == nullptr ? std::string() : fillText(probeText->what, *this);
}

std::string ProbeProblem::advice() const
{
    if (kind == Kind::Tls) {
        return tls.advice();
    }
    if (kind == Kind::Replica && object.empty()) {
        return "name its master in redis.url";
    }
    const auto* probeText = textOf(kind);
    return probeText == nullptr ? std::string() : fillText(probeText->advice, *this);
}

std::string_view name(ProbeStep step)
{
    switch (step) {
    case ProbeStep::Configuration: return "configuration";
    case ProbeStep::Tunnel: return "tunnel";
    case ProbeStep::Sentinel: return "sentinels";
    case ProbeStep::Cluster: return "cluster";
    case ProbeStep::Resolve: return "host name";
    case ProbeStep::Connect: return "connection";
    case ProbeStep::Tls: return "TLS";
    case ProbeStep::LogIn: return "log-in";
    case ProbeStep::Ping: return "answer";
    case ProbeStep::Server: return "server";
    case ProbeStep::Schema: return "store";
    case ProbeStep::Permissions: break;
    case ProbeStep::Journal: return "journal";
    }
    return "permissions";
}

}  // namespace restante::redis
