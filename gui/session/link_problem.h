#pragma once

#include "core/redis/client/tls_error.h"
#include "core/redis/store/store_activity.h"

#include <QString>

#include <cstdint>
#include <string>

namespace restante::gui {

/// What is done to connect, in this order.
enum class LinkStep {
    Configuration,  ///< of a local daemon: where its Redis is
    Tunnel,         ///< through a jump host
    Sentinel,       ///< of a master that sentinels know
    Resolve,
    Connect,
    Tls,  ///< of an address that wants it
    LogIn,
    Ping,
    Server,  ///< version and role
    Schema,  ///< is there a store, and of which layout
    Permissions,
    Journal,
    Cluster,  ///< of an address that names nodes of one: which of them has the store's first key
};

/// Why a step failed, without words for people yet: linkSentence() has them. *Value.*
struct LinkProblem {
    enum class Kind {
        None,
        BadConfiguration,  ///< `detail` has the first problem of the file `object`
        BadAddress,        ///< `detail`
        NoSuchSocket,      ///< of a daemon that does not run; `object` is its path
        UnknownHost,
        Refused,
        TimedOut,
        Unreachable,  ///< `detail` is the system's word
        PasswordMissing,
        PasswordWrong,    ///< `object` is the user
        PasswordUnasked,  ///< there is one, and the server wants none
        NoPermission,     ///< `object` is the user, `detail` the server's word
        NotRedis,
        NoDatabase,  ///< `object` is its number
        Loading,
        TooOld,         ///< `object` is the version
        Evicts,         ///< `object` is the policy
        ForeignData,    ///< `object` is the prefix
        SchemaNewer,    ///< `object` is theirs, `detail` ours
        SchemaOlder,    ///< the same
        Replica,        ///< `object` is the master's address
        NoJournal,      ///< nobody said where it is
        JournalOff,     ///< the daemon keeps none
        NoJournalFile,  ///< `object` is its path
        Secret,         ///< the keychain: `detail`
        Unused,         ///< no daemon has used the store yet; `object` is the prefix
        Lost,           ///< it was there; `object` is its address
        Tls,            ///< `tls` says why; `object` is the address
        WantsTls,       ///< it hangs up on plain words; `object` is its address
        Unverified,     ///< whoever answers at `object` is believed
        NoMaster,       ///< `object` is its name, `detail` what each sentinel said
        Cluster,        ///< it is a node of one
        BadJumpHost,    ///< `object` is what was typed
        BadKeyFile,     ///< the same
        NoTunnelForSentinels,
        BadTunnelTarget,  ///< `object` is what was to be behind the tunnel
        NoSsh,            ///< `detail` is the system's word
        UnknownJumpHost,  ///< `object` is its name, `detail` ssh's word
        JumpUnreachable,  ///< `object` is the jump host, `detail` ssh's word
        JumpSilent,       ///< `object` is the jump host, as in the next ones
        HostKeyUnknown,
        HostKeyChanged,
        KeyRefused,
        NoKeyFile,          ///< `object` is the file, `detail` ssh's word
        TunnelFailed,       ///< `object` is the jump host, `detail` ssh's last word
        TunnelLost,         ///< the same, of one that was open
        TargetRefused,      ///< `object` is the target of the tunnel, `detail` the jump host
        TargetForbidden,    ///< the same
        TargetNoSocket,     ///< the same
        TargetUnreachable,  ///< the same, and ssh's word
        Other,              ///< `detail`
        NoNode,             ///< no node of the cluster tells its slots; `detail` what each said
    };
    Kind kind = Kind::None;
    std::string object = {};
    std::string detail = {};
    redis::TlsError tls = {};

    bool isNone() const noexcept { return kind == Kind::None; }
    friend bool operator==(const LinkProblem&, const LinkProblem&) = default;
};

/// How one step went. *Value.*
struct LinkFinding {
    enum class Outcome { Passed, Warned, Failed };
    LinkStep step = LinkStep::Resolve;
    Outcome outcome = Outcome::Passed;
    std::string fact = {};  ///< what was found out: "redis 7.0.15, master"
    LinkProblem problem = {};
};

/// What is known of a store once it is open. *Value.*
struct LinkFacts {
    std::string server = {};  ///< "redis 7.0.15 master"
    std::uint32_t shards = 1;
    LinkProblem whyNotWritable = {};
    LinkProblem whyNoJournal = {};
};

/// A sentence for people that says what is wrong and what to do; empty for no problem. *Pure.*
QString linkSentence(const LinkProblem& problem);
/// What is going on with a store that no daemon serves. *Pure.*
QString restoringSentence(const redis::Restoring& restoring);
/// "Logging in…": what is being done.
QString linkStepDoing(LinkStep step);
/// "Log in": the step as a line of a list.
QString linkStepName(LinkStep step);

}  // namespace restante::gui
