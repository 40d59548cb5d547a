// Pictures of the whole window in each state that a connection can be in, and what it says then.

#include "tests/gui/support/inspection.h"
#include "tests/gui/support/job_detail_object.h"
#include "tests/gui/support/wait.h"
#include "tests/gui/support/wearing.h"
#include "tests/gui/support/whole_window.h"

#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

using Phase = LinkState::Phase;

class StateScreens : public testing::TestWithParam<ScreenLook> {
protected:
    void keep(const char* state)
    {
        EXPECT_TRUE(
            keepPicture(&whole.window, (std::string("state-") + state).c_str(), GetParam()));
        EXPECT_EQ(clippedTexts(whole.window).join(u'\n').toStdString(), "") << state;
    }
    /// Opens another store that nobody has written to.
    FakeBackend* reopen(const ConnectionProfile& profile)
    {
        whole.openFake([](FakeBackend& store) { store.haveRows(1'204); }, profile);
        turn();
        return whole.fake;
    }
    static ConnectionProfile profileOf(AccessMode mode)
    {
        ConnectionProfile profile;
        profile.name = QStringLiteral("prod-sip-1");
        profile.mode = mode;
        return profile;
    }
    const QLabel& banner() { return *whole.ui().banner(); }

    const Wearing look{GetParam()};
    WholeWindow whole;
};

}  // namespace

TEST_P(StateScreens, noConnection)
{
    whole.window.open(nullptr);
    turn();
    keep("no-profile");
}

TEST_P(StateScreens, connectingAndFailed)
{
    auto* fake = reopen(profileOf(AccessMode::Normal));
    auto link = fake->link();
    link.phase = Phase::Connecting;
    link.step = QStringLiteral("TLS redis.example.org:6379");
    whole.window.open(nullptr);
    fake = reopen(profileOf(AccessMode::Normal));
    fake->setLink(link);
    turn();
    keep("connecting");
    link.phase = Phase::Failed;
    link.problem = QStringLiteral("redis.example.org:6379 cannot be reached: connection refused.");
    fake->setLink(link);
    turn();
    EXPECT_TRUE(banner().isVisible());
    keep("failed");
}

TEST_P(StateScreens, lostWithACountdown)
{
    ASSERT_TRUE(whole.settled());
    auto link = whole.fake->link();
    link.phase = Phase::Lost;
    link.problem = QStringLiteral("The server closed the connection.");
    link.retryInMs = 4'000;
    whole.fake->setLink(link);
    turn();
    EXPECT_TRUE(banner().text().contains(u'4'));
    keep("lost");
}

TEST_P(StateScreens, modesOfAccess)
{
    reopen(profileOf(AccessMode::ReadOnly));
    whole.settled();
    EXPECT_TRUE(banner().isVisible());
    keep("read-only");
    reopen(profileOf(AccessMode::Production));
    whole.settled();
    keep("production");
}

TEST_P(StateScreens, aStoreThatIsNewer)
{
    ASSERT_TRUE(whole.settled());
    auto link = whole.fake->link();
    link.writable = false;
    link.whyNotWritable = QStringLiteral(
        "The store has schema 9, this console knows 3: it is shown, and nothing can be changed.");
    whole.fake->setLink(link);
    turn();
    EXPECT_EQ(banner().text(), link.whyNotWritable);
    keep("newer");
}

TEST_P(StateScreens, aStoreOfWhichAPartCannotBeRead)
{
    ASSERT_TRUE(whole.settled());
    auto link = whole.fake->link();
    link.whyNotServed =
        QStringLiteral("Jobs that are due in a long while are in the journal alone.");
    whole.fake->setLink(link);
    turn();
    EXPECT_EQ(banner().text(), link.whyNotServed);
    keep("hidden-jobs");
}

TEST_P(StateScreens, aJobThatHasGone)
{
    ASSERT_TRUE(whole.settled());
    whole.showPage(PageId::Jobs);
    const auto id = whole.fake->jobs.front().job.id;
    whole.jobs().detail().showJob(id);
    ASSERT_TRUE(whole.settled());
    whole.fake->jobs.erase(whole.fake->jobs.begin());
    whole.jobs().detail().refresh();
    const auto* gone = JobDetailObject(&whole.jobs().detail()).banner();
    EXPECT_TRUE(until([gone] { return gone->isVisible() && gone->text().contains(u':'); }));
    keep("tombstone");
}

INSTANTIATE_TEST_SUITE_P(Looks, StateScreens, testing::ValuesIn(kEveryLook), [](const auto& look) {
    return std::string(look.param.name);
});

}  // namespace restante::gui::test
