#pragma once

#include "core/redis/client/tls_error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace restante::redis {

/// The steps of connecting to a store, in order.
enum class ProbeStep {
    Configuration,  ///< the address of its Redis; before the probe begins
    Tunnel,         ///< through a jump host, if the profile has one
    Sentinel,       ///< asks sentinels for the master, if the address names some
    Cluster,        ///< asks cluster nodes which has the store's metadata, if it names some
    Resolve,
    Connect,
    Tls,  ///< if the address wants it
    LogIn,
    Ping,
    Server,  ///< version, role, cluster and eviction policy
    Schema,  ///< whether there is a store, and its layout
    Permissions,
    Journal,  ///< after the probe
};

/// Why a step failed, as data, so that each user interface has its own text. *Value.*
struct ProbeProblem {
    enum class Kind {
        None,
        NoSuchSocket,     ///< its daemon does not run; `object` is the path
        SocketForbidden,  ///< this user may not use it; `object` is the path
        UnknownHost,      ///< `object`; `detail` is the system's word
        Refused,          ///< `object` is the address, also in the next six
        TimedOut,
        Unreachable,  ///< `detail` is the system's word
        NotRedis,
        WantsTls,    ///< it closes the connection without TLS
        Unverified,  ///< the certificate is not verified
        Tls,         ///< `tls` says why
        NoMaster,    ///< `object` is its name, `detail` what each sentinel said
        NoNode,      ///< no node tells the slots, or none has the store's; `detail` says it
        PasswordMissing,
        PasswordWrong,    ///< `object` is the user; empty = the default one
        PasswordUnasked,  ///< one is configured, but the server wants none
        NoPermission,     ///< `object` is the user, `detail` the server's word
        NoDatabase,       ///< `object` is its number
        Loading,
        TooOld,       ///< `object` is the version
        Cluster,      ///< it is a node of one
        Evicts,       ///< `object` is the policy
        Replica,      ///< `object` is the master's address, if it is known
        ForeignData,  ///< `object` is the prefix
        SchemaNewer,  ///< `object` is theirs, `detail` ours
        SchemaOlder,  ///< the same
        Unused,       ///< no daemon has used the store yet; `object` is the prefix
        Other,        ///< `detail`
    };
    Kind kind = Kind::None;
    std::string object = {};
    std::string detail = {};
    TlsError tls = {};

    bool isNone() const noexcept { return kind == Kind::None; }
    /// "nobody listens at 10.0.0.1:6379": for logs and the command line. *Pure.*
    std::string toString() const;
    /// Advice for the user. *Pure.*
    std::string advice() const;
    friend bool operator==(const ProbeProblem&, const ProbeProblem&) = default;
};

/// How one step went. *Value.*
struct ProbeFinding {
    enum class Outcome { Passed, Warned, Failed };
    ProbeStep step = ProbeStep::Resolve;
    Outcome outcome = Outcome::Passed;
    std::string fact = {};  ///< the finding: "redis 7.0.15 master"
    ProbeProblem problem = {};
    bool evictsNothing = false;  ///< of Server: it tells its maxmemory-policy, which is noeviction
};

/// Facts of a store that the probe has reached. *Value.*
struct ProbeFacts {
    std::string server = {};  ///< "redis 7.0.15 master"
    std::uint32_t shards = 1;
    ProbeProblem whyNotWritable = {};
};

/// "log-in": the step as the command line names it.
std::string_view name(ProbeStep step);

}  // namespace restante::redis
