// A message that somebody sends to see whether it arrives: what is told of it, by a fake store and
// by a real daemon with a real phone.

#include "core/base/timestamp.h"
#include "gui/pages/dialogs/test_message_dialog.h"
#include "tests/gui/support/commands_fixture.h"
#include "tests/gui/support/open_session.h"
#include "tests/gui/support/test_message_dialog_object.h"
#include "tests/gui/support/wait.h"
#include "tests/support/daemon.h"
#include "tests/support/daemon_phones.h"

#include <QSignalSpy>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using testing::HasSubstr;

class TestMessage : public testing::Test {
protected:
    void SetUp() override
    {
        fixture.registry.update({}, {true, {}, {}, {}});
        fixture.page.recipient = "sip:bob@example.org";
        fixture.registry[ActionId::TestMessage]->trigger();
        dialog = fixture.dialog<TestMessageDialog>();
        ASSERT_NE(dialog, nullptr);
    }
    TestMessageDialogObject ui() const { return TestMessageDialogObject(dialog); }
    std::string noticeText() const { return ui().noticeText().toStdString(); }
    /// The fake store's history of it: given out, and given back or finished with that note.
    void tried(const std::string& transition, const std::string& to, const std::string& note)
    {
        HistoryRow claim;
        claim.at = fixture.fake->time;
        claim.transition = "claim_mailbox";
        claim.from = "held";
        claim.to = "leased";
        HistoryRow end = claim;
        end.transition = transition;
        end.from = "leased";
        end.to = to;
        end.note = note;
        fixture.fake->histories["new-1"] = {claim, end};
    }
    std::string line(const std::string& rest) const
    {
        return "attempt 1: " + formatRfc3339(fixture.fake->time) + " " + rest;
    }

    CommandsFixture fixture;
    TestMessageDialog* dialog = nullptr;
};

TEST_F(TestMessage, goesToWhoseMailboxIsShownAndIsGivenUpSoon)
{
    EXPECT_EQ(ui().to()->text(), QStringLiteral("sip:bob@example.org"));
    ui().text()->setText(QStringLiteral("hello?"));
    ui().accept()->click();
    ASSERT_TRUE(until([&] { return ui().open()->isEnabled(); }));
    ASSERT_EQ(fixture.fake->pushes.size(), 1U);
    const auto& push = fixture.fake->pushes.front();
    EXPECT_EQ(push.job.topic, "sip");
    EXPECT_EQ(push.job.channel, Channel::Sip);
    EXPECT_EQ(push.job.recipient, "sip:bob@example.org");
    EXPECT_EQ(push.job.body, "hello?");
    ASSERT_TRUE(push.job.expires);
    EXPECT_LE(*push.job.expires,
              fixture.fake->time + TestMessageDialog::kExpiresAfter + Millis{60'000});
}

TEST_F(TestMessage, isSentToNobodyWithoutAnAddressOrAText)
{
    ui().to()->clear();
    EXPECT_FALSE(ui().accept()->isEnabled());
    for (const auto* typed : {"nobody in particular", "sip:", "sip:@example.org", "bob"}) {
        ui().to()->setText(QString::fromLatin1(typed));
        EXPECT_FALSE(ui().accept()->isEnabled()) << typed;
    }
    ui().to()->setText(QStringLiteral("sip:bob@example.org"));
    ui().text()->clear();
    EXPECT_FALSE(ui().accept()->isEnabled());
}

TEST_F(TestMessage, takesAnAddressAsPeopleSayIt)
{
    ui().to()->setText(QStringLiteral(" carol@example.org "));
    ui().accept()->click();
    ASSERT_TRUE(until([&] { return !fixture.fake->pushes.empty(); }));
    EXPECT_EQ(fixture.fake->pushes.front().job.recipient, "sip:carol@example.org");
}

TEST_F(TestMessage, saysWhoTookIt)
{
    tried("finish", "", line("sip:bob@192.0.2.7 200 OK (1200 ms)"));
    ui().accept()->click();
    ASSERT_TRUE(until([&] { return noticeText().find("delivered") != std::string::npos; }));
    EXPECT_THAT(noticeText(), HasSubstr("sip:bob@192.0.2.7"));
    ASSERT_EQ(ui().steps().size(), 2);
    EXPECT_THAT(ui().steps()[1].toStdString(), HasSubstr("sent to sip:bob@192.0.2.7: 200 OK"));
}

TEST_F(TestMessage, saysWhyItWaitsAndThatItHasComeWhenItHas)
{
    fixture.have("new-1", JobState::Held, "sip");
    fixture.fake->jobs.back().job.channel = Channel::Sip;
    fixture.fake->waitingFacts.recipient = Reachability::NoDevice;
    tried("hold", "held", "");
    ui().accept()->click();
    ASSERT_TRUE(until([&] { return noticeText().find("no device") != std::string::npos; }))
        << noticeText();
    EXPECT_THAT(ui().steps().last().toStdString(), HasSubstr("nothing could be sent"));
    // He comes: the dialog looks again by itself.
    fixture.fake->jobs.clear();
    tried("finish", "", line("sip:bob@192.0.2.7 200 OK (12 ms)"));
    EXPECT_TRUE(until([&] { return noticeText().find("was delivered") != std::string::npos; }));
}

TEST_F(TestMessage, saysThatNobodyKnowsWhenThereIsNoJournal)
{
    fixture.fake->historyError = Error{ErrorCode::Unavailable, "no journal"};
    ui().accept()->click();
    EXPECT_TRUE(until([&] { return noticeText().find("journal") != std::string::npos; }));
}

TEST_F(TestMessage, saysWhatTheStoreRefuses)
{
    fixture.fake->nextError = Error{ErrorCode::Conflict, "the mailbox is full"};
    ui().accept()->click();
    ASSERT_TRUE(until([&] { return noticeText() == "the mailbox is full"; }));
    EXPECT_TRUE(ui().accept()->isEnabled());
    EXPECT_FALSE(ui().open()->isEnabled());
}

TEST_F(TestMessage, opensItsJob)
{
    fixture.have("new-1", JobState::Held, "sip");
    ui().accept()->click();
    ASSERT_TRUE(until([&] { return ui().open()->isEnabled(); }));
    QSignalSpy wanted(&fixture.actions, &JobActions::jobRequested);
    ui().open()->click();
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(wanted.front().front().toString(), QStringLiteral("new-1"));
}

TEST(TestMessageOnARealDaemon, arrivesAtThePhoneAndSaysSo)
{
    restante::test::Daemon daemon;
    auto phone = restante::test::registeredPhone(daemon, "bob");
    std::string body;
    phone.answerWith([&](const restante::test::SipText& message) {
        body = message.body;
        return 200;
    });
    ConnectionProfile profile;
    profile.kind = ConnectionProfile::Kind::Local;
    profile.configFile = QString::fromStdString((daemon.directory() / "restante.toml").string());
    OpenedSession session(profile);
    ASSERT_EQ(session.settled(), LinkState::Phase::Ready) << session.problem();
    QTemporaryDir home;
    const Preferences preferences(home.filePath(QStringLiteral("admin.ini")));
    auto* dialog = new TestMessageDialog(
        *session, preferences, QString::fromStdString(restante::test::Daemon::aor("bob")), nullptr);
    dialog->show();
    const TestMessageDialogObject ui(dialog);
    ui.text()->setText(QStringLiteral("Are you there?"));
    ui.accept()->click();
    EXPECT_TRUE(until([&] {
        phone.work(Millis{0});
        return ui.noticeText().contains(QStringLiteral("was delivered"));
    })) << ui.noticeText().toStdString()
        << daemon.process().allOutput();
    EXPECT_EQ(body, "Are you there?");
    EXPECT_THAT(ui.steps().last().toStdString(), HasSubstr("200 OK"));
    delete dialog;
}

}  // namespace
}  // namespace restante::gui::test
