#include "gui/pages/dialogs/go_to_dialog.h"
#include "gui/pages/dialogs/job_dialog.h"
#include "gui/pages/dialogs/pause_dialog.h"
#include "gui/pages/dialogs/reminder_dialog.h"
#include "tests/gui/support/commands_fixture.h"
#include "tests/gui/support/go_to_dialog_object.h"
#include "tests/gui/support/job_dialog_object.h"
#include "tests/gui/support/pause_dialog_object.h"
#include "tests/gui/support/reminder_dialog_object.h"
#include "tests/gui/support/wait.h"

#include <QFile>
#include <QSignalSpy>
#include <gtest/gtest.h>

namespace restante::gui::test {

TEST(JobForm, isAPushWithEveryField)
{
    JobForm form;
    form.topic = QStringLiteral("order");
    form.channel = Channel::Webhook;
    form.recipient = QStringLiteral("https://example.org/hook");
    form.bizKey = QStringLiteral("17");
    form.headers = QStringLiteral("X-One: 1\n\nX-Two: a: b\n");
    form.body = "{}";
    form.priority = 2;
    form.ttr = QStringLiteral("30s");
    form.expires = QStringLiteral("1d");
    form.retry = QStringLiteral("0s,1m");
    form.delay = QStringLiteral("2h");
    const TimePoint now{Millis{1'793'000'000'000}};
    const auto order = pushOptionsOf(form, now);
    ASSERT_TRUE(order) << order.error().message;
    EXPECT_EQ(order->job.headers[1].second, "a: b");
    EXPECT_EQ(order->job.ttr, Millis{30'000});
    EXPECT_EQ(*order->job.expires, now + Millis{std::chrono::hours{24}});
    EXPECT_EQ(order->delay, Millis{std::chrono::hours{2}});
    EXPECT_TRUE(order->job.findByKey);
    EXPECT_TRUE(order->job.id.empty());
}

TEST(JobForm, namesTheFieldThatIsWrong)
{
    const TimePoint now{Millis{1'793'000'000'000}};
    JobForm form;
    form.topic = QStringLiteral("no spaces please");
    EXPECT_EQ(pushOptionsOf(form, now).error().field, "topic");
    form.topic = QStringLiteral("order");
    form.ttr = QStringLiteral("soon");
    EXPECT_EQ(pushOptionsOf(form, now).error().field, "ttr");
    form.ttr.clear();
    form.retry = QStringLiteral("often");
    EXPECT_EQ(pushOptionsOf(form, now).error().field, "retry");
    form.retry.clear();
    form.headers = QStringLiteral("nothing");
    EXPECT_EQ(pushOptionsOf(form, now).error().field, "headers");
    form.headers.clear();
    form.topic = QStringLiteral("restante.reminders");
    EXPECT_EQ(pushOptionsOf(form, now).error().field, "topic");
}

TEST(NewJob, isStoredOnceItIsRightAndIsThenShown)
{
    CommandsFixture fixture;
    fixture.registry.update({}, {true, {}, {}, {}});
    fixture.registry[ActionId::NewJob]->trigger();
    auto* dialog = fixture.dialog<JobDialog>();
    ASSERT_NE(dialog, nullptr);
    const JobDialogObject ui(dialog);
    auto* accept = ui.accept();
    EXPECT_FALSE(accept->isEnabled());
    ui.topic()->setText(QStringLiteral("big order"));
    EXPECT_TRUE(ui.notice()->isVisibleTo(dialog));
    ui.topic()->setText(QStringLiteral("order"));
    ui.body()->setPlainText(QStringLiteral("hello"));
    EXPECT_FALSE(ui.notice()->isVisibleTo(dialog));
    ASSERT_TRUE(accept->isEnabled());
    QSignalSpy shown(&fixture.actions, &JobActions::jobRequested);
    accept->click();
    ASSERT_TRUE(until([&] { return shown.count() == 1; }));
    ASSERT_EQ(fixture.fake->pushes.size(), 1U);
    EXPECT_EQ(fixture.fake->pushes[0].job.topic, "order");
    EXPECT_EQ(fixture.fake->pushes[0].job.body, "hello");
}

TEST(NewJob, takesItsBodyFromAFileWithoutWaitingForTheDisk)
{
    CommandsFixture fixture;
    fixture.registry.update({}, {true, {}, {}, {}});
    fixture.registry[ActionId::NewJob]->trigger();
    const JobDialogObject dialog(fixture.dialog<JobDialog>());
    const auto name = fixture.home.filePath(QStringLiteral("body.txt"));
    QFile file(name);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("from a file");
    file.close();
    auto* files = dialog.loadBody();
    emit files->fileSelected(name);
    auto* body = dialog.body();
    EXPECT_TRUE(until([&] { return body->toPlainText() == QStringLiteral("from a file"); }));
    emit files->fileSelected(name + QStringLiteral(".none"));
    auto* notice = dialog.notice();
    EXPECT_TRUE(until([&] { return notice->text().contains(QStringLiteral("cannot be read")); }));
}

TEST(NewJob, isTheSameOneWhenItIsSentAgainBecauseItsAnswerWasLost)
{
    CommandsFixture fixture;
    fixture.page.topic = "order";
    fixture.actions.setPage([&] { return &fixture.page; });
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::NewJob]->trigger();
    const JobDialogObject dialog(fixture.dialog<JobDialog>());
    auto* store = dialog.accept();
    const auto send = [&] {
        const auto before = fixture.fake->pushes.size();
        fixture.fake->nextError = Error{ErrorCode::Unavailable, "no answer in time"};
        store->click();
        ASSERT_TRUE(until([&] { return store->isEnabled(); }));
        ASSERT_EQ(fixture.fake->pushes.size(), before + 1);
    };
    send();
    send();
    dialog.body()->setPlainText(QStringLiteral("other"));
    send();
    EXPECT_FALSE(fixture.fake->pushes[0].onceKey.empty());
    EXPECT_EQ(fixture.fake->pushes[0].onceKey, fixture.fake->pushes[1].onceKey);
    EXPECT_NE(fixture.fake->pushes[1].onceKey, fixture.fake->pushes[2].onceKey);
    dialog.expires()->setText(QStringLiteral("1h"));
    send();
    EXPECT_NE(fixture.fake->pushes[2].onceKey, fixture.fake->pushes[3].onceKey);
    EXPECT_EQ(fixture.fake->pushes[0].actor, fixture.session->commands().actor());
}

TEST(Duplicate, makesANewJobOfTheSameContentWithoutTheId)
{
    CommandsFixture fixture;
    fixture.choose({fixture.have("a", JobState::Dead)});
    fixture.fake->jobs[0].job.body = std::string("\0\xff binary", 9);
    fixture.fake->jobs[0].job.bizKey = "17";
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::DuplicateAsNew]->trigger();
    ASSERT_TRUE(until([&] { return fixture.dialog<JobDialog>() != nullptr; }));
    const JobDialogObject dialog(fixture.dialog<JobDialog>());
    EXPECT_TRUE(dialog.body()->isReadOnly());
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return fixture.fake->pushes.size() == 1; }));
    const auto& job = fixture.fake->pushes[0].job;
    EXPECT_TRUE(job.id.empty());
    EXPECT_EQ(job.body, fixture.fake->jobs[0].job.body);
    EXPECT_EQ(job.bizKey, "17");
}

TEST(Duplicate, keepsTheCharactersThatAnEditFieldTurnsIntoOthers)
{
    const std::string withNoBreakSpace = "Bonjour\u00A0!\n";
    for (const auto& body : {withNoBreakSpace, std::string("one\u2028two"),
                             std::string("one\u2029two"), std::string("\uFEFFmarked")}) {
        CommandsFixture fixture;
        fixture.choose({fixture.have("a", JobState::Dead)});
        fixture.fake->jobs[0].job.body = body;
        fixture.fake->jobs[0].job.headers = {{"Subject", "a\u00A0b"}};
        fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
        fixture.registry[ActionId::DuplicateAsNew]->trigger();
        ASSERT_TRUE(until([&] { return fixture.dialog<JobDialog>() != nullptr; }));
        const JobDialogObject dialog(fixture.dialog<JobDialog>());
        EXPECT_EQ(dialog.body()->isReadOnly(), body != withNoBreakSpace) << body;
        dialog.accept()->click();
        ASSERT_TRUE(until([&] { return fixture.fake->pushes.size() == 1; }));
        EXPECT_EQ(fixture.fake->pushes[0].job.body, body);
        ASSERT_EQ(fixture.fake->pushes[0].job.headers.size(), 1U);
        EXPECT_EQ(fixture.fake->pushes[0].job.headers[0].second, "a\u00A0b");
    }
}

TEST(Duplicate, keepsHeadersThatAnEditFieldWouldChange)
{
    for (const auto* value : {"a\u2028X: b", "a\u2029X: b", "a\u00A0", "\u00A0a"}) {
        CommandsFixture fixture;
        fixture.choose({fixture.have("a", JobState::Dead)});
        fixture.fake->jobs[0].job.headers = {{"Subject", value}, {"X-One", "1"}};
        fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
        fixture.registry[ActionId::DuplicateAsNew]->trigger();
        ASSERT_TRUE(until([&] { return fixture.dialog<JobDialog>() != nullptr; }));
        const JobDialogObject dialog(fixture.dialog<JobDialog>());
        EXPECT_TRUE(dialog.headers()->isReadOnly());
        dialog.accept()->click();
        ASSERT_TRUE(until([&] { return fixture.fake->pushes.size() == 1; })) << value;
        EXPECT_EQ(fixture.fake->pushes[0].job.headers, fixture.fake->jobs[0].job.headers);
    }
}

TEST(NewReminder, keepsNoBreakSpaces)
{
    CommandsFixture fixture;
    fixture.registry.update({}, {true, {}, {}, {}});
    fixture.registry[ActionId::NewReminder]->trigger();
    const ReminderDialogObject dialog(fixture.dialog<ReminderDialog>());
    dialog.to()->setText(QStringLiteral("sip:bob@example.org"));
    dialog.text()->setPlainText(QStringLiteral("9\u00A0h"));
    ASSERT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    dialog.accept()->click();
    ASSERT_TRUE(until([&] { return fixture.fake->reminders.size() == 1; }));
    EXPECT_EQ(fixture.fake->reminders[0].text, "9\u00A0h");
}

TEST(NewReminder, showsItsNextTimesBeforeItIsStored)
{
    CommandsFixture fixture;
    fixture.registry.update({}, {true, {}, {}, {}});
    fixture.registry[ActionId::NewReminder]->trigger();
    const ReminderDialogObject dialog(fixture.dialog<ReminderDialog>());
    dialog.to()->setText(QStringLiteral("sip:bob@example.org"));
    dialog.text()->setPlainText(QStringLiteral("Your appointment"));
    ASSERT_TRUE(until([&] { return dialog.preview()->count() == 5; }));
    auto* accept = dialog.accept();
    ASSERT_TRUE(until([&] { return accept->isEnabled(); }));
    accept->click();
    ASSERT_TRUE(until([&] { return fixture.fake->reminders.size() == 1; }));
    EXPECT_EQ(fixture.fake->reminders[0].to, "sip:bob@example.org");
    EXPECT_EQ(fixture.fake->reminders[0].in, "1h");
}

TEST(NewReminder, canBeStoredWhenTheConnectionIsBack)
{
    CommandsFixture fixture;
    fixture.registry.update({}, {true, {}, {}, {}});
    fixture.registry[ActionId::NewReminder]->trigger();
    const ReminderDialogObject dialog(fixture.dialog<ReminderDialog>());
    dialog.to()->setText(QStringLiteral("sip:bob@example.org"));
    fixture.fake->nextError = Error{ErrorCode::Unavailable, "not connected to the store"};
    ASSERT_TRUE(until([&] { return !dialog.notice()->text().isEmpty(); }));
    EXPECT_FALSE(dialog.accept()->isEnabled());
    auto link = fixture.fake->link();
    link.phase = LinkState::Phase::Lost;
    fixture.fake->setLink(link);
    link.phase = LinkState::Phase::Ready;
    fixture.fake->setLink(link);
    EXPECT_TRUE(until([&] { return dialog.accept()->isEnabled(); }));
    EXPECT_TRUE(dialog.notice()->text().isEmpty());
}

TEST(NewReminder, isTheSameOneWhenItIsSentAgainBecauseItsAnswerWasLost)
{
    CommandsFixture fixture;
    fixture.registry.update({}, {true, {}, {}, {}});
    fixture.registry[ActionId::NewReminder]->trigger();
    const ReminderDialogObject dialog(fixture.dialog<ReminderDialog>());
    dialog.to()->setText(QStringLiteral("sip:bob@example.org"));
    auto* text = dialog.text();
    auto* store = dialog.accept();
    const auto& sent = fixture.fake->reminders;
    const auto send = [&](const char* words) {
        text->setPlainText(QString::fromLatin1(words));
        ASSERT_TRUE(until([&] { return store->isEnabled(); }));
        const auto before = sent.size();
        fixture.fake->nextError = Error{ErrorCode::Unavailable, "no answer in time"};
        store->click();
        ASSERT_TRUE(until([&] { return store->isEnabled(); }));
        ASSERT_EQ(sent.size(), before + 1);
    };
    send("one");
    send("one");
    send("two");
    send("one");
    EXPECT_FALSE(sent[0].token.empty());
    EXPECT_TRUE(sent[0].id.empty());
    EXPECT_EQ(sent[0].token, sent[1].token);
    EXPECT_NE(sent[1].token, sent[2].token);
    EXPECT_EQ(sent[0].token, sent[3].token);
}

TEST(PauseTopic, asksForAReasonAndResumesWithoutAsking)
{
    CommandsFixture fixture;
    fixture.page.topic = "order";
    fixture.registry.update(fixture.page.selection(), {true, {}, {}, {}});
    fixture.registry[ActionId::PauseTopic]->trigger();
    PauseDialogObject(fixture.dialog<PauseDialog>()).pause(QStringLiteral("gateway is down"));
    ASSERT_TRUE(until([&] { return fixture.dialog<PauseDialog>() == nullptr; }));
    ASSERT_EQ(fixture.fake->topicActions.size(), 1U);
    EXPECT_EQ(fixture.fake->topicActions[0].second.reason, "gateway is down");
    EXPECT_EQ(fixture.fake->topicActions[0].second.actor, fixture.session->commands().actor());
    fixture.page.paused = true;
    fixture.registry[ActionId::PauseTopic]->trigger();
    EXPECT_EQ(fixture.dialog<PauseDialog>(), nullptr);
    ASSERT_TRUE(until([&] { return fixture.fake->topicActions.size() == 2; }));
    EXPECT_EQ(fixture.fake->topicActions[1].first, JobWriter::TopicVerb::Resume);
}

TEST(GoToJob, findsAJobByItsIdOrSaysThatThereIsNone)
{
    CommandsFixture fixture;
    fixture.have("a");
    fixture.registry.update({}, {true, {}, {}, {}});
    fixture.registry[ActionId::GoToJob]->trigger();
    auto* dialog = fixture.dialog<GoToDialog>();
    ASSERT_NE(dialog, nullptr);
    const GoToDialogObject ui(dialog);
    ui.goTo(QStringLiteral("b"));
    ASSERT_TRUE(until([&] { return ui.notice()->isVisibleTo(dialog); }));
    QSignalSpy shown(&fixture.actions, &JobActions::jobRequested);
    ui.goTo(QStringLiteral("a"));
    ASSERT_TRUE(until([&] { return shown.count() == 1; }));
    EXPECT_EQ(shown.at(0).at(0).toString(), QStringLiteral("a"));
}

}  // namespace restante::gui::test
