#pragma once

#include "core/redis/server/probe_finding.h"
#include "core/redis/store/store_activity.h"

#include <QString>

#include <cstdint>
#include <string>
#include <utility>

namespace restante::gui {

using LinkStep = redis::ProbeStep;

/// Why a step failed, without words for people yet: linkSentence() has them. *Value.*
struct LinkProblem {
    enum class Kind {
        None,
        Redis,                   ///< `redis` says why
        BadConfiguration,        ///< `detail` has the first problem of the file `object`
        BadAddress,              ///< `detail`
        NoJournal,               ///< nobody said where it is
        JournalOff,              ///< the daemon keeps none
        NoJournalFile,           ///< `object` is its path
        ColdJobsWithoutJournal,  ///< jobs are in a journal that nobody has named
        ColdJobsOfAnother,       ///< `object` is the journal, which is another store's
        ColdJobsUnread,          ///< `detail` says why the journal cannot be read
        Secret,                  ///< the keychain: `detail`
        Lost,                    ///< it was there; `object` is its address
        BadJumpHost,             ///< `object` is what was typed
        BadKeyFile,              ///< the same
        NoTunnelForSentinels,
        BadTunnelTarget,  ///< `object` is what was to be behind the tunnel
        NoSsh,            ///< `detail` is the system's word
        UnknownJumpHost,  ///< `object` is its name, `detail` ssh's word
        JumpUnreachable,  ///< `object` is the jump host, `detail` ssh's word
        JumpSilent,       ///< `object` is the jump host, as in the next ones
        HostKeyUnknown,
        HostKeyChanged,
        KeyRefused,
        NoKeyFile,           ///< `object` is the file, `detail` ssh's word
        TunnelFailed,        ///< `object` is the jump host, `detail` ssh's last word
        TunnelLost,          ///< the same, of one that was open
        TargetRefused,       ///< `object` is the target of the tunnel, `detail` the jump host
        TargetForbidden,     ///< the same
        TargetSocketFailed,  ///< the same, of a Unix socket; the jump host does not say why
        TargetUnreachable,   ///< the same, and ssh's word
        Other,               ///< `detail`
    };
    Kind kind = Kind::None;
    std::string object = {};
    std::string detail = {};
    redis::ProbeProblem redis = {};

    /// None, or one of the kind Redis.
    static LinkProblem of(redis::ProbeProblem problem)
    {
        return {problem.isNone() ? Kind::None : Kind::Redis, {}, {}, std::move(problem)};
    }
    bool isNone() const noexcept { return kind == Kind::None; }
    friend bool operator==(const LinkProblem&, const LinkProblem&) = default;
};

/// How one step went. *Value.*
struct LinkFinding {
    using Outcome = redis::ProbeFinding::Outcome;
    LinkStep step = LinkStep::Resolve;
    Outcome outcome = Outcome::Passed;
    std::string fact = {};  ///< what was found out: "redis 7.0.15 master"
    LinkProblem problem = {};
};

/// What is known of a store once it is open. *Value.*
struct LinkFacts {
    std::string server = {};  ///< "redis 7.0.15 master"
    std::uint32_t shards = 1;
    LinkProblem whyNotWritable = {};
    LinkProblem whyNoJournal = {};
    LinkProblem whyNoColdJobs = {};  ///< why jobs are not shown that are in the journal alone
};

/// A sentence for people that says what is wrong and what to do; empty for no problem. *Pure.*
QString linkSentence(const LinkProblem& problem);
/// What is going on with a store that no daemon serves. *Pure.*
QString notServedSentence(const redis::NotServed& notServed);
/// "Logging in…": what is being done.
QString linkStepActivity(LinkStep step);
/// "Log-in": the step as a line of a list.
QString linkStepName(LinkStep step);

}  // namespace restante::gui
