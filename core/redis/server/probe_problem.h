#pragma once

#include "core/redis/client/tls_error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace restante::redis {

/// What is done to get to a store, in this order.
enum class ProbeStep {
    Configuration,  ///< where its Redis is: found out before the probe begins
    Tunnel,         ///< through a jump host, if somebody opens one for the probe
    Sentinel,       ///< of a master that sentinels know
    Cluster,        ///< of an address that names nodes of one: which has the store's first key
    Resolve,
    Connect,
    Tls,  ///< of an address that wants it
    LogIn,
    Ping,
    Server,  ///< version and role
    Schema,  ///< is there a store, and of which layout
    Permissions,
    Journal,  ///< looked for after the probe
};

/// Why a step failed, without words: whoever shows it has them. *Value.*
struct ProbeProblem {
    enum class Kind {
        None,
        NoSuchSocket,     ///< of a daemon that does not run; `object` is its path
        SocketForbidden,  ///< to this user; `object` is its path
        UnknownHost,      ///< `object`; `detail` is the system's word
        Refused,          ///< `object` is the address, as in the next ones
        TimedOut,
        Unreachable,  ///< `detail` is the system's word
        NotRedis,
        WantsTls,    ///< it hangs up on plain words
        Unverified,  ///< whoever answers there is believed
        Tls,         ///< `tls` says why
        NoMaster,    ///< `object` is its name, `detail` what each sentinel said
        NoNode,      ///< no node of the cluster tells its slots; `detail` what each said
        PasswordMissing,
        PasswordWrong,    ///< `object` is the user; empty = the default one
        PasswordUnasked,  ///< there is one, and the server wants none
        NoPermission,     ///< `object` is the user, `detail` the server's word
        NoDatabase,       ///< `object` is its number
        Loading,
        TooOld,       ///< `object` is the version
        Cluster,      ///< it is a node of one
        Evicts,       ///< `object` is the policy
        Replica,      ///< `object` is the master's address
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
    std::string print() const;
    /// What to do about it. *Pure.*
    std::string advice() const;
    friend bool operator==(const ProbeProblem&, const ProbeProblem&) = default;
};

/// How one step went. *Value.*
struct ProbeFinding {
    enum class Outcome { Passed, Warned, Failed };
    ProbeStep step = ProbeStep::Resolve;
    Outcome outcome = Outcome::Passed;
    std::string fact = {};  ///< what was found out: "redis 7.0.15, master"
    ProbeProblem problem = {};
};

/// What is known of a store that the probe has got to. *Value.*
struct ProbeFacts {
    std::string server = {};  ///< "redis 7.0.15 master"
    std::uint32_t shards = 1;
    ProbeProblem whyNotWritable = {};
};

/// "log-in": the step as the command line names it.
std::string_view name(ProbeStep step);

}  // namespace restante::redis
