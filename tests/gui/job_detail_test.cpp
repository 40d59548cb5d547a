// The detail of one job: what it says, and that it follows the job.

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/detail/next_attempts.h"
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
    ASSERT_EQ(table->model()->rowCount(), 3);
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
    using Verb = BulkAction::Verb;
    EXPECT_TRUE(buttons->action(Verb::RunNow)->isEnabled());
    EXPECT_FALSE(buttons->action(Verb::Hold)->isEnabled());
    EXPECT_TRUE(buttons->action(Verb::Hold)->toolTip().contains(u'\n'));
    std::vector<std::string> ids;
    QObject::connect(detail.get(), &JobDetail::actionWanted,
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

JobView due(JobState state, TimePoint at)
{
    JobView view;
    view.state = state;
    view.due = at;
    return view;
}

constexpr TimePoint kNow{Millis{1'000'000}};

TEST(NextAttempts, countFromTheDueTimeByTheIntervalsOfTheSchedule)
{
    auto view = due(JobState::Scheduled, kNow + Millis{5'000});
    view.job.retry = *RetrySchedule::parse("0s,2m,10m");
    view.attempt = 1;
    const auto preview = previewAttempts(view, kNow, 10);
    ASSERT_EQ(preview.attempts.size(), 2U);
    EXPECT_EQ(preview.attempts[0].number, 2U);
    EXPECT_EQ(preview.attempts[0].at, view.due);
    EXPECT_EQ(preview.attempts[1].at, view.due + std::chrono::minutes{10});
    EXPECT_EQ(preview.after, AttemptPreview::After::Dead);
    EXPECT_FALSE(preview.standard);
}

TEST(NextAttempts, endWhereTheJobExpires)
{
    auto view = due(JobState::Ready, kNow - Millis{1});
    view.job.channel = Channel::Webhook;
    view.job.expires = kNow + std::chrono::minutes{5};
    const auto preview = previewAttempts(view, kNow, 10);
    ASSERT_EQ(preview.attempts.size(), 2U);
    EXPECT_TRUE(preview.standard);
    EXPECT_EQ(preview.after, AttemptPreview::After::Expires);
}

TEST(NextAttempts, areNoneOfAJobThatHasEnded)
{
    for (const auto state : {JobState::Dead, JobState::Trashed, JobState::Done}) {
        EXPECT_TRUE(previewAttempts(due(state, kNow), kNow, 10).attempts.empty());
    }
}

TEST(NextAttempts, waitForTheRegistrationWhenTheMailboxDoes)
{
    const auto preview = previewAttempts(due(JobState::Held, TimePoint::max()), kNow, 10);
    EXPECT_TRUE(preview.attempts.empty());
    EXPECT_EQ(preview.after, AttemptPreview::After::OnRegistration);
}

TEST(NextAttempts, ofASipMessageGoOnWithTheLastInterval)
{
    auto view = due(JobState::Held, kNow);
    view.job.channel = Channel::Sip;
    const auto preview = previewAttempts(view, kNow, 20);
    EXPECT_EQ(preview.attempts.size(), 20U);
    EXPECT_EQ(preview.after, AttemptPreview::After::GoesOn);
    EXPECT_EQ(preview.attempts.back().wait, std::chrono::hours{2});
}

}  // namespace
}  // namespace restante::gui::test
