// The detail of one job: what it says, and that it follows the job.

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/session/store_session.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/detail_fixture.h"
#include "tests/gui/support/inspection.h"
#include "tests/gui/support/wait.h"

#include <QSignalSpy>
#include <gtest/gtest.h>

namespace restante::gui::test {
namespace {

using DetailTest = DetailFixture;
using Verb = BulkAction::Verb;

TEST_F(DetailTest, showsEveryFieldOfTheJob)
{
    show(message("m-1"));
    for (const auto* text :
         {"Scheduled", "m-1", "sip:bob@example.org", "sip:alice@example.org", "call-17@host",
          "0s,2m,10m", "text/plain", "\"Alice\" <sip:alice@example.org>"}) {
        EXPECT_TRUE(says(ui().fields(), text)) << text;
    }
}

TEST_F(DetailTest, previewsTheNextAttempts)
{
    show(message("m-1"));
    auto* table = ui().nextAttempts();
    ASSERT_TRUE(until([&] { return table->model()->rowCount() == 3; }));
    EXPECT_EQ(table->model()->index(1, 1).data().toString(), QStringLiteral("2 min"));
}

TEST_F(DetailTest, saysWhenTheJobIsGoneAndWhatHappenedLast)
{
    show(message("m-1"));
    HistoryRow purge;
    purge.at = fake->time;
    purge.transition = "purge";
    purge.actor = "carol@desk";
    purge.reason = "<b>twice</b>";
    fake->histories["m-1"] = {purge};
    fake->jobs.clear();
    detail->refresh();
    auto* banner = ui().banner();
    ASSERT_TRUE(until([&] { return banner->text().contains(QStringLiteral("carol@desk")); }));
    EXPECT_TRUE(banner->text().contains(QStringLiteral("<b>twice</b>")));
    EXPECT_EQ(banner->textFormat(), Qt::PlainText);
    EXPECT_TRUE(says(ui().fields(), "sip:bob@example.org")) << "the last that was known stays";
}

TEST_F(DetailTest, keepsWhatItKnowsWhenTheStoreDoesNotAnswer)
{
    show(message("m-1"));
    fake->nextError = Error{ErrorCode::Unavailable, "Redis does not answer"};
    detail->refresh();
    auto* banner = ui().banner();
    ASSERT_TRUE(until([&] { return banner->text().contains(QStringLiteral("does not answer")); }));
    EXPECT_TRUE(says(ui().fields(), "sip:bob@example.org"));
}

TEST_F(DetailTest, followsTheJobWhenItMoves)
{
    show(message("m-1"));
    fake->jobs.front().state = JobState::Dead;
    fake->jobs.front().lastError = "408 Request Timeout";
    ChangeBatch batch;
    batch.ids = {"other", "m-1"};
    emit fake->source().changed(batch);
    EXPECT_TRUE(until([&] { return says(ui().fields(), "408 Request Timeout"); }));
}

TEST_F(DetailTest, saysWhyTheJobWaitsHoweverOftenItIsReadAgain)
{
    fake->journalLatencyMs = 200;
    show(message("m-1"));
    EXPECT_TRUE(until([&] {
        detail->refresh();
        return !ui().why()->text().isEmpty();
    }));
}

TEST_F(DetailTest, dropsALateAnswerAboutAnotherJob)
{
    fake->jobs = {message("m-1"), message("m-2")};
    fake->latencyMs = 30;
    detail->showJob("m-1");
    detail->showJob("m-2");
    QSignalSpy titles(detail.get(), &JobDetail::titleChanged);
    ASSERT_TRUE(until([&] { return says(ui().fields(), "m-2"); }));
    for (const auto& title : titles) {
        EXPECT_FALSE(title.at(0).toString().contains(QStringLiteral("m-1")));
    }
}

TEST_F(DetailTest, showsNothingOfTheJobBeforeWhenTheNextCannotBeRead)
{
    show(message("m-1"));
    detail->showTab(JobDetail::Tab::Payload);
    ASSERT_FALSE(ui().payloadFacts()->text().isEmpty());
    for (const auto tab :
         {JobDetail::Tab::Overview, JobDetail::Tab::Payload, JobDetail::Tab::History,
          JobDetail::Tab::Attempts, JobDetail::Tab::Related}) {
        detail->showTab(tab);
        turn();
    }
    fake->historyError = Error{ErrorCode::Unavailable, "Redis does not answer"};
    fake->nextError = fake->historyError;
    detail->showJob("m-2");
    auto* banner = ui().banner();
    ASSERT_TRUE(until([&] { return banner->text().contains(QStringLiteral("does not answer")); }));
    EXPECT_EQ(ui().id()->text(), QStringLiteral("m-2"));
    EXPECT_TRUE(ui().state()->text().isEmpty());
    EXPECT_TRUE(ui().stateIcon()->pixmap(Qt::ReturnByValue).isNull());
    for (const auto tab :
         {JobDetail::Tab::Overview, JobDetail::Tab::Payload, JobDetail::Tab::History,
          JobDetail::Tab::Attempts, JobDetail::Tab::Related}) {
        detail->showTab(tab);
        turn();
    }
    for (const auto* table :
         {ui().fields(), ui().nextAttempts(), ui().history(), ui().attempts(), ui().related()}) {
        EXPECT_EQ(table->model()->rowCount(), 0) << table->objectName().toStdString();
    }
    EXPECT_TRUE(ui().payloadText()->toPlainText().isEmpty());
    EXPECT_TRUE(ui().payloadFacts()->text().isEmpty());
}

TEST_F(DetailTest, readsTheJobWhenTheStoreIsBack)
{
    fake->jobs = {message("m-1")};
    fake->nextError = Error{ErrorCode::Unavailable, "Redis does not answer"};
    detail->show();
    detail->showJob("m-1");
    ASSERT_TRUE(until([&] { return ui().banner()->text().contains(QStringLiteral("answer")); }));
    auto link = fake->link();
    link.latencyMs = 2;
    fake->setLink(link);
    EXPECT_TRUE(until([&] { return says(ui().fields(), "m-1"); }));
}

TEST_F(DetailTest, readsAgainWhenTheConnectionIsBack)
{
    show(message("m-1"));
    auto link = fake->link();
    link.phase = LinkState::Phase::Lost;
    fake->setLink(link);
    fake->jobs.front().job.recipient = "sip:carol@example.org";
    link.phase = LinkState::Phase::Ready;
    fake->setLink(link);
    EXPECT_TRUE(until([&] { return says(ui().fields(), "sip:carol@example.org"); }));
}

TEST_F(DetailTest, leavesNothingBehindWhenTheConnectionIsClosed)
{
    fake->latencyMs = 20;
    fake->jobs = {message("m-1")};
    detail->showJob("m-1");
    detail->open(nullptr);
    session.reset();
    turn();
    EXPECT_TRUE(detail->id().empty());
    EXPECT_FALSE(says(ui().fields(), "m-1"));
}

TEST_F(DetailTest, hasANameForEveryWidget)
{
    show(message("m-1"));
    EXPECT_EQ(unnamedWidgets(*detail), QStringList());
}

TEST_F(DetailTest, ordersWhatTheStateAllowsForExactlyThisJob)
{
    auto view = message("m-1");
    view.state = JobState::Dead;
    show(view);
    auto* buttons = ui().buttons();
    EXPECT_TRUE(buttons->action(Verb::RunNow)->isEnabled());
    EXPECT_FALSE(buttons->action(Verb::Hold)->isEnabled());
    EXPECT_TRUE(buttons->action(Verb::Hold)->toolTip().contains(u'\n'));
    std::vector<std::string> ids;
    QObject::connect(detail.get(), &JobDetail::actionRequested,
                     [&](Verb verb, const Selection& selection) {
                         EXPECT_EQ(verb, Verb::Trash);
                         EXPECT_FALSE(selection.all);
                         ids = selection.ids;
                     });
    buttons->action(Verb::Trash)->trigger();
    EXPECT_EQ(ids, std::vector<std::string>{"m-1"});
    LinkState lost;
    lost.phase = LinkState::Phase::Lost;
    fake->setLink(lost);
    EXPECT_FALSE(buttons->action(Verb::RunNow)->isEnabled());
}

TEST_F(DetailTest, isDrawnInLightAndDark)
{
    show(message("01JD9ZK4T7Q2M8"));
    picture("detail-overview-light");
    Theme::apply(Scheme::Dark);
    turn();
    picture("detail-overview-dark");
    Theme::apply(Scheme::Light);
}

TEST_F(DetailTest, saysInASentenceWhyTheJobWaits)
{
    auto view = message("m-1");
    view.state = JobState::Held;
    view.due = fake->time + std::chrono::hours{3};
    fake->waitingFacts.recipient = Reachability::NoDevice;
    fake->waitingFacts.recipientSince = fake->time - std::chrono::minutes{5};
    show(view);
    const auto* why = ui().why();
    EXPECT_TRUE(until([&] { return !why->text().isEmpty(); }));
    // 2026-10-26 07:33:20 UTC.
    EXPECT_EQ(why->text(),
              QStringLiteral("bob@example.org has had no device registered since 07:28. It is "
                             "delivered as soon as a device registers, and tried again at 10:33. "
                             "It expires in 7 d."));
    EXPECT_EQ(why->textFormat(), Qt::PlainText);
    EXPECT_TRUE(until(
        [&] { return ui().nextAttemptsNote()->text().contains(QStringLiteral("registers")); }));
    picture("detail-why-light");
}

TEST_F(DetailTest, neverMixesTheReasonOfOneJobWithAnother)
{
    show(message("m-1"));
    ASSERT_TRUE(until([&] { return !ui().why()->text().isEmpty(); }));
    fake->latencyMs = 50;
    fake->jobs.push_back(message("m-2"));
    fake->jobs.back().state = JobState::Dead;
    fake->jobs.back().lastError = "gone for good";
    detail->showJob("m-2");
    EXPECT_TRUE(ui().why()->text().isEmpty()) << ui().why()->text().toStdString();
    EXPECT_EQ(ui().nextAttempts()->model()->rowCount(), 0);
    EXPECT_TRUE(
        until([&] { return ui().why()->text().contains(QStringLiteral("gone for good")); }));
}

TEST_F(DetailTest, marksWhatSomebodyHasToChange)
{
    fake->waitingFacts.topic.emplace().topic = "sip";
    fake->waitingFacts.topic->pause = TopicPause{fake->time, "ops@desk", "gateway update"};
    show(message("m-1"));
    const auto* why = ui().why();
    ASSERT_TRUE(until([&] { return !why->text().isEmpty(); }));
    EXPECT_TRUE(why->text().contains(QStringLiteral("ops@desk paused topic “sip” at 07:33 "
                                                    "(gateway update)")))
        << why->text().toStdString();
    EXPECT_NE(why->palette().color(why->backgroundRole()),
              detail->palette().color(detail->backgroundRole()));
}

TEST_F(DetailTest, writesTimesAnewAsTheyPass)
{
    show(message("m-1"));
    ASSERT_TRUE(says(ui().fields(), "in 1 h"));
    fake->time += std::chrono::minutes{30};
    detail->tick();
    EXPECT_TRUE(says(ui().fields(), "in 30 min"));
}

TEST_F(DetailTest, showsTheTextOfAMessageBeforeItsFields)
{
    auto view = message("m-1");
    view.job.contentType = "message/cpim";
    view.job.body = "From: <sip:alice@example.org>\r\nTo: <sip:bob@example.org>\r\n"
                    "Subject: Tonight\r\n\r\nContent-Type: text/plain;charset=iso-8859-1\r\n\r\n"
                    "Caf\xe9 at eight?\r\n<b>bring</b> nothing";
    show(view);
    const auto* text = ui().messageText();
    EXPECT_TRUE(until([&] { return text->isVisible(); }));
    EXPECT_EQ(text->toPlainText(), QStringLiteral("Café at eight?\n<b>bring</b> nothing"));
    EXPECT_EQ(ui().messageHead()->text(), QStringLiteral("Tonight"));
    EXPECT_LT(text->mapTo(detail.get(), QPoint()).y(),
              ui().fields()->mapTo(detail.get(), QPoint()).y());
    picture("detail-message-light");
}

TEST_F(DetailTest, showsNoTextOfABodyThatIsNone)
{
    auto view = message("m-1");
    view.job.contentType = "image/png";
    view.job.body = std::string("\x89PNG\0\0", 6);
    show(view);
    EXPECT_FALSE(ui().messageText()->isVisible());
    EXPECT_TRUE(
        until([&] { return ui().messageOthers()->text().contains(QStringLiteral("image/png")); }));
}

TEST_F(DetailTest, tellsNoSizeOfAPartThatItHasNotReadToItsEnd)
{
    auto view = message("m-1");
    view.job.contentType = "image/png";
    view.job.body = "\x89PNG" + std::string(200'000, '\0');
    show(view);
    EXPECT_TRUE(until([&] { return ui().messageOthers()->isVisible(); }));
    EXPECT_EQ(ui().messageOthers()->text(), QStringLiteral("image/png"));
}

}  // namespace
}  // namespace restante::gui::test
