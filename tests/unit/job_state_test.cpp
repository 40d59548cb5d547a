#include "core/job/job_state.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace restante {
namespace {

const std::set<JobState> kAllStates = [] {
    using enum JobState;
    return std::set{Scheduled, Ready, Leased, Held, Dead, Trashed, Done};
}();

/// docs/job-lifecycle.md, said a second time.
const auto kTable = [] {
    using enum JobState;
    return std::map<Transition, std::set<JobState>>{
        {Transition::Push, {}},
        {Transition::Claim, {Ready, Held}},
        {Transition::Finish, {Leased}},
        {Transition::Retry, {Leased}},
        {Transition::Touch, {Leased}},
        {Transition::Bury, {Scheduled, Ready, Leased, Held}},
        {Transition::Hold, {Scheduled, Ready, Leased}},
        {Transition::Release, {Held}},
        {Transition::Expire, {Scheduled, Ready, Held}},
        {Transition::RunNow, {Scheduled, Held, Dead}},
        {Transition::Reschedule, {Scheduled, Ready, Held, Dead}},
        {Transition::Trash, {Scheduled, Ready, Leased, Held, Dead, Done}},
        {Transition::Restore, {Trashed, Dead, Done}},
        {Transition::Purge, kAllStates},
        {Transition::Reap, {Leased}},
        {Transition::Mark, {Held}},
    };
}();

TEST(JobState, allowsExactlyTheMovesOfTheTable)
{
    for (const auto& [transition, from] : kTable) {
        for (const auto state : kAllStates) {
            EXPECT_EQ(isLegal(transition, state), from.contains(state))
                << name(transition) << " from " << name(state);
        }
    }
}

TEST(JobState, isFoundByItsOwnName)
{
    for (const auto state : kAllStates) {
        EXPECT_EQ(jobStateNamed(name(state)), state);
    }
    EXPECT_EQ(jobStateNamed("sleeping"), std::nullopt);
    EXPECT_EQ(jobStateNamed(""), std::nullopt);
}

TEST(Transition, hasAWordOfItsOwn)
{
    std::set<std::string_view> words;
    for (const auto& [transition, from] : kTable) {
        words.insert(name(transition));
    }
    EXPECT_EQ(words.size(), 16U);
    EXPECT_EQ(name(Transition::RunNow), "run_now");
}

}  // namespace
}  // namespace restante
