#include "sipplugin/transport/late_answers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace restante::sip {
namespace {

using namespace std::chrono_literals;

class LateAnswer : public ::testing::Test {
protected:
    void await(const std::string& branch)
    {
        answers_.expect(branch, now_, [this, branch](int status, const std::string& phrase) {
            taken_.push_back(branch + " " + std::to_string(status) + " " + phrase);
        });
    }
    void answer(const std::string& branch, int status)
    {
        answers_.handleAnswer(branch, status, "OK", now_);
    }

    LateAnswers answers_;
    LateAnswers::Instant now_{};
    std::vector<std::string> taken_;
};

TEST_F(LateAnswer, tellsOfASuccessOnce)
{
    await("a");
    await("b");
    answer("b", 200);
    answer("b", 200);
    answer("b", 202);
    EXPECT_EQ(taken_, std::vector<std::string>{"b 200 OK"});
}

TEST_F(LateAnswer, waitsOnWhenSomebodyElseRefuses)
{
    await("a");
    answer("a", 180);
    answer("a", 480);
    answer("a", 603);
    EXPECT_TRUE(taken_.empty());
    answer("a", 202);
    EXPECT_EQ(taken_.size(), 1U);
}

TEST_F(LateAnswer, knowsNoStranger)
{
    await("a");
    answer("A", 200);
    answer("", 200);
    EXPECT_TRUE(taken_.empty());
}

TEST_F(LateAnswer, forgetsAfterAWhile)
{
    await("a");
    now_ += LateAnswers::kKeptFor;
    answer("a", 200);
    EXPECT_TRUE(taken_.empty());
    EXPECT_EQ(answers_.size(), 0U);
}

TEST_F(LateAnswer, isAwaitedAsLongAsAnyOtherWhenItIsAwaitedAgain)
{
    await("a");
    now_ += LateAnswers::kKeptFor - 1min;
    await("a");
    now_ += 1min;
    answer("a", 200);
    EXPECT_EQ(taken_.size(), 1U);
}

TEST_F(LateAnswer, takesNoRoomOnceItHasCome)
{
    for (std::size_t i = 0; i < LateAnswers::kMostEntries; ++i) {
        await(std::to_string(i));
    }
    answer("1", 200);
    await("one more");
    answer("0", 200);
    EXPECT_EQ(taken_, (std::vector<std::string>{"1 200 OK", "0 200 OK"}));
}

TEST_F(LateAnswer, keepsTheNewestOfTooMany)
{
    for (std::size_t i = 0; i < LateAnswers::kMostEntries + 5; ++i) {
        await(std::to_string(i));
    }
    EXPECT_EQ(answers_.size(), LateAnswers::kMostEntries);
    answer("4", 200);
    EXPECT_TRUE(taken_.empty());
    answer("5", 200);
    EXPECT_EQ(taken_.size(), 1U);
}

}  // namespace
}  // namespace restante::sip
