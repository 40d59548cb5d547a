#include "core/job/job_state.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace restante {

namespace {

/// In the order of kJobStates.
constexpr std::array<std::string_view, kJobStates.size()> kStateNames{
    "scheduled", "ready", "leased", "held", "dead", "trashed", "done"};

using StateSet = unsigned;

constexpr StateSet bit(JobState state)
{
    return 1U << static_cast<unsigned>(state);
}
constexpr StateSet kScheduled = bit(JobState::Scheduled);
constexpr StateSet kReady = bit(JobState::Ready);
constexpr StateSet kLeased = bit(JobState::Leased);
constexpr StateSet kHeld = bit(JobState::Held);
constexpr StateSet kDead = bit(JobState::Dead);
constexpr StateSet kTrashed = bit(JobState::Trashed);
constexpr StateSet kDone = bit(JobState::Done);
constexpr StateSet kLive = kScheduled | kReady | kLeased | kHeld;

struct Move {
    Transition transition;
    std::string_view word;
    StateSet from;
};

/// The rows of docs/job-lifecycle.md, in the order of the enumeration.
constexpr std::array<Move, 16> kMoves{{
    {Transition::Push, "push", 0},
    {Transition::Claim, "claim", kReady | kHeld},
    {Transition::Finish, "finish", kLeased},
    {Transition::Retry, "retry", kLeased},
    {Transition::Touch, "touch", kLeased},
    {Transition::Bury, "bury", kLive},
    {Transition::Hold, "hold", kLeased | kScheduled | kReady},
    {Transition::Release, "release", kHeld},
    {Transition::Expire, "expire", kScheduled | kReady | kHeld},
    {Transition::RunNow, "run_now", kScheduled | kHeld | kDead},
    {Transition::Reschedule, "reschedule", kScheduled | kReady | kHeld | kDead},
    {Transition::Trash, "trash", kLive | kDead | kDone},
    {Transition::Restore, "restore", kTrashed | kDead | kDone},
    {Transition::Purge, "purge", kLive | kDead | kTrashed | kDone},
    {Transition::Reap, "reap", kLeased},
    {Transition::Mark, "mark", kHeld},
}};

constexpr const Move& moveOf(Transition transition)
{
    return kMoves[static_cast<std::size_t>(transition)];
}

// Each transition is there once, in ascending order.
static_assert(std::ranges::adjacent_find(kMoves, std::ranges::greater_equal{}, &Move::transition) ==
                  kMoves.end() &&
              static_cast<std::size_t>(kMoves.back().transition) == kMoves.size() - 1);

}  // namespace

std::string_view name(JobState state) noexcept
{
    return kStateNames[static_cast<std::size_t>(state)];
}

std::string_view name(Transition transition) noexcept
{
    return moveOf(transition).word;
}

std::optional<JobState> jobStateNamed(std::string_view word) noexcept
{
    const auto* found = std::ranges::find(kStateNames, word);
    return found == kStateNames.end()
               ? std::nullopt
               : std::optional{kJobStates[static_cast<std::size_t>(found - kStateNames.begin())]};
}

std::optional<Transition> transitionNamed(std::string_view word) noexcept
{
    const auto* found = std::ranges::find(kMoves, word, &Move::word);
    return found == kMoves.end() ? std::nullopt : std::optional{found->transition};
}

std::string refusalOf(Transition transition, JobState from)
{
    std::vector<std::string_view> allowed;
    for (const auto state : kJobStates) {
        if (state != from && isLegal(transition, state)) {
            allowed.push_back(name(state));
        }
    }
    std::string text("it is ");
    text.append(name(from)).append("; ").append(name(transition)).append(" takes jobs that are ");
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        const auto* const separator = i == 0 ? "" : i + 1 == allowed.size() ? " or " : ", ";
        text.append(separator).append(allowed[i]);
    }
    return text;
}

bool isLegal(Transition transition, JobState from) noexcept
{
    return (moveOf(transition).from & bit(from)) != 0;
}

}  // namespace restante
