#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace restante {

/// Where a job's id is. docs/job-lifecycle.md has the picture and one row per move.
enum class JobState {
    Scheduled,  ///< due later
    Ready,      ///< due
    Leased,     ///< somebody is delivering it
    Held,       ///< in the recipient's mailbox, or held by an operator
    Dead,       ///< attempts used up, refused for good, or expired: the reason is kept
    Trashed,    ///< deleted by an operator, restorable until `retention.trash` ends
    Done,       ///< finished, kept only while `retention.done` lasts
};

inline constexpr std::array kJobStates{JobState::Scheduled, JobState::Ready, JobState::Leased,
                                       JobState::Held,      JobState::Dead,  JobState::Trashed,
                                       JobState::Done};

/// Whether the job has not ended: `state:live` of a filter.
constexpr bool isLive(JobState state) noexcept
{
    return state == JobState::Scheduled || state == JobState::Ready || state == JobState::Leased ||
           state == JobState::Held;
}

/// The moves, each one Lua script of the same name and one row of docs/job-lifecycle.md.
enum class Transition {
    Push,
    Claim,
    Finish,
    Retry,
    Touch,
    Bury,
    Hold,
    Release,
    Expire,
    RunNow,
    Reschedule,
    Trash,
    Restore,
    Purge,
    Reap,
    Mark,
};

/// "scheduled", "run_now": the names in Lua, JSON, documentation and console.
std::string_view name(JobState state) noexcept;
std::string_view name(Transition transition) noexcept;
std::optional<JobState> jobStateNamed(std::string_view word) noexcept;
std::optional<Transition> transitionNamed(std::string_view word) noexcept;

/// Whether `transition` may start from `from`. Pure; the scripts refuse exactly the others.
/// Push starts from no state.
bool isLegal(Transition transition, JobState from) noexcept;

/// Why it may not, for people: "it is leased; run_now takes jobs that are scheduled, held or dead".
/// `from` is left out even if the transition may start from it in other cases.
std::string refusalOf(Transition transition, JobState from);

}  // namespace restante
