#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/mailboxes/mailbox_text.h"
#include "gui/pages/mailboxes/mailboxes_page.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/hostile.h"
#include "tests/gui/support/mailboxes_page_object.h"
#include "tests/gui/support/wait.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace restante::gui::test {

namespace {

using namespace std::chrono_literals;

const std::string kCarol = "sip:carol@example.org";
const std::string kDave = "sip:dave@example.org";
const std::string kJudy = "sip:judy@example.org";

class Mailboxes : public testing::Test {
protected:
    Mailboxes()
    {
        preferences_.setTimeZone("UTC");
        auto backend = std::make_unique<FakeBackend>();
        fake_ = backend.get();
        hold(kCarol, "sip:frank@example.org", "Are you coming to dinner?", 3h);
        hold(kCarol, "sip:wendy@example.org", "hello?", 2h);
        hold(kDave, "sip:frank@example.org", "one", 1h);
        auto& carol = fake_->mailboxViews[kCarol];
        carol.next = fake_->time + 40min;
        carol.expires = fake_->time + 165h;
        carol.devices = {gone("Linphone/5.2", 4h), gone("baresip", 30h)};
        fake_->mailboxViews[kDave].devices = {here("Linphone/5.1")};
        fake_->mailboxViews[kDave].next = fake_->time - 1s;
        session_ = std::make_unique<StoreSession>(ConnectionProfile{}, std::move(backend));
    }
    ~Mailboxes() override { page_.open(nullptr); }

    JobView& hold(const std::string& recipient,
                  const std::string& sender,
                  const std::string& body,
                  Millis ago)
    {
        JobView view;
        view.job.id = fmt::format("m{}", fake_->jobs.size());
        view.job.topic = "sip";
        view.job.channel = Channel::Sip;
        view.job.recipient = recipient;
        view.job.sender = sender;
        view.job.body = body;
        view.job.contentType = "text/plain";
        view.job.created = fake_->time - ago;
        view.state = JobState::Held;
        return fake_->jobs.emplace_back(view);
    }
    RegisteredDevice gone(const std::string& agent, Millis ago) const
    {
        return {agent, "sip:x@192.0.2.7", agent, {}, fake_->time - ago - 10min, fake_->time - ago,
                false};
    }
    RegisteredDevice here(const std::string& agent) const
    {
        return {agent,
                "sip:d@192.0.2.8",
                agent,
                fake_->time - 2h,
                fake_->time - 5min,
                fake_->time + 55min,
                true};
    }
    void show()
    {
        page_.resize(1'200, 600);
        page_.show();
        page_.open(session_.get());
    }
    bool load(const QString& person = QStringLiteral("carol@example.org"))
    {
        show();
        return until([&] { return ui_.person() == person; });
    }
    void choose(const std::string& recipient) { ui_.list()->setCurrentKey(recipient); }

    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry actions_;
    FakeBackend* fake_ = nullptr;
    std::unique_ptr<StoreSession> session_;
    MailboxesPage page_{Context{actions_, preferences_}};
    const MailboxesPageObject ui_{&page_};
};

}  // namespace

TEST_F(Mailboxes, listsWhoHasMessagesAndWhetherTheyCanBeReached)
{
    ASSERT_TRUE(load());
    ASSERT_EQ(ui_.list()->model()->rowCount(), 2);
    const auto away = MailboxText(preferences_, fake_->time).clock(fake_->time - 4h);
    EXPECT_EQ(MailboxesPageObject::row(ui_.list(), 0),
              QStringLiteral("carol@example.org, 2, away since %1").arg(away));
    EXPECT_EQ(MailboxesPageObject::row(ui_.list(), 1),
              QStringLiteral("dave@example.org, 1, 1 device(s) registered"));
    EXPECT_EQ(ui_.count(), QStringLiteral("2 mailbox(es), 3 message(s)"));
}

TEST_F(Mailboxes, opensTheFullestOneWithItsConversation)
{
    ASSERT_TRUE(load());
    EXPECT_EQ(page_.person(), kCarol);
    EXPECT_TRUE(ui_.state().startsWith(QStringLiteral("away since ")));
    ASSERT_EQ(ui_.messages()->model()->rowCount(), 2);
    EXPECT_EQ(ui_.textOf(0), QStringLiteral("Are you coming to dinner?"));
    EXPECT_EQ(ui_.textOf(1), QStringLiteral("hello?"));
    EXPECT_EQ(ui_.messagesTitle(), QStringLiteral("2 message(s) waiting"));
    EXPECT_TRUE(ui_.messages()
                    ->model()
                    ->index(1, 0)
                    .data(Qt::AccessibleTextRole)
                    .toString()
                    .startsWith(QStringLiteral("wendy@example.org, ")));
}

TEST_F(Mailboxes, saysWhenItIsTriedAgainAndUntilWhenThereIsTime)
{
    ASSERT_TRUE(load());
    const auto next = MailboxText(preferences_, fake_->time).clock(fake_->time + 40min);
    EXPECT_EQ(ui_.outlook(),
              QStringLiteral("Tried again at %1, and delivered at once when a device registers. "
                             "The oldest message expires in 6 d 21 h.")
                  .arg(next));
    choose(kDave);
    ASSERT_TRUE(until([this] { return ui_.person() == QStringLiteral("dave@example.org"); }));
    EXPECT_EQ(ui_.outlook(), QStringLiteral("Due now."));
    fake_->jobs[2].state = JobState::Leased;
    page_.refresh();
    EXPECT_TRUE(until([this] {
        return ui_.outlook() == QStringLiteral("A message is on its way at this moment.");
    }));
    EXPECT_FALSE(ui_.deliver()->isEnabled()) << "nothing else waits";
}

TEST_F(Mailboxes, saysThatOnlyARegistrationBringsIt)
{
    fake_->mailboxViews[kCarol].next.reset();
    fake_->mailboxViews[kCarol].expires.reset();
    fake_->mailboxViews[kCarol].devices.clear();
    ASSERT_TRUE(load());
    EXPECT_EQ(ui_.state(), QStringLiteral("no device is known here"));
    EXPECT_EQ(ui_.outlook(), QStringLiteral("Delivered when a device registers."));
    EXPECT_TRUE(ui_.noDevices()->isVisible());
    EXPECT_FALSE(ui_.devices()->isVisible());
}

TEST_F(Mailboxes, listsDevicesWithSinceWhen)
{
    ASSERT_TRUE(load());
    ASSERT_EQ(ui_.devices()->model()->rowCount(), 2);
    const auto left = MailboxText(preferences_, fake_->time).clock(fake_->time - 4h);
    EXPECT_EQ(MailboxesPageObject::row(ui_.devices(), 0),
              QStringLiteral("Linphone/5.2, gone since %1 · x@192.0.2.7").arg(left));
    choose(kDave);
    ASSERT_TRUE(until([this] { return ui_.devices()->model()->rowCount() == 1; }));
    EXPECT_TRUE(MailboxesPageObject::row(ui_.devices(), 0)
                    .startsWith(QStringLiteral("Linphone/5.1, registered since ")));
}

TEST_F(Mailboxes, showsOnlyRequestsThatWereSent)
{
    HistoryRow claimed;
    claimed.at = fake_->time - 1h;
    claimed.transition = "claim";
    claimed.from = "held";
    claimed.to = "leased";
    HistoryRow nobody = claimed;
    nobody.transition = "hold";
    nobody.from = "leased";
    nobody.to = "held";
    nobody.reason = "no device is registered";
    auto asked = nobody;
    asked.note = "attempt 1: 2026-10-26T09:00:00.120Z sip:carol@192.0.2.7 408 Request Timeout (no "
                 "answer, 32000 ms)\n";
    fake_->histories["m0"] = {claimed, nobody, claimed, asked};
    ASSERT_TRUE(load());
    ASSERT_TRUE(until([this] { return ui_.attempts()->model()->rowCount() == 1; }));
    EXPECT_EQ(ui_.attemptsTitle(), QStringLiteral("Requests sent for the oldest message"));
    EXPECT_TRUE(MailboxesPageObject::row(ui_.attempts(), 0)
                    .startsWith(QStringLiteral("408 Request Timeout, 32 s, ")));
    ui_.messages()->selectionModel()->select(ui_.messages()->model()->index(1, 0),
                                             QItemSelectionModel::ClearAndSelect);
    EXPECT_TRUE(until([this] {
        return ui_.noAttempts()->isVisible() &&
               ui_.noAttempts()->text() ==
                   QStringLiteral("No request has left for this message yet.");
    })) << ui_.noAttempts()->text().toStdString();
    EXPECT_EQ(ui_.attemptsTitle(), QStringLiteral("Requests sent for this message"));
}

TEST_F(Mailboxes, showsNoRequestsOfAnotherMessageWhileTheJournalIsAsked)
{
    HistoryRow held;
    held.at = fake_->time - 1h;
    held.transition = "hold";
    held.from = "leased";
    held.to = "held";
    held.note = "attempt 1: 2026-10-26T09:00:00.120Z sip:carol@192.0.2.7 480 Away (3 ms)\n";
    fake_->histories["m0"] = {held};
    ASSERT_TRUE(load());
    ASSERT_TRUE(until([this] { return ui_.attempts()->model()->rowCount() == 1; }));
    fake_->latencyMs = 50;
    ui_.messages()->selectionModel()->select(ui_.messages()->model()->index(1, 0),
                                             QItemSelectionModel::ClearAndSelect);
    EXPECT_EQ(ui_.attemptsTitle(), QStringLiteral("Requests sent for this message"));
    EXPECT_EQ(ui_.attempts()->model()->rowCount(), 0);
    EXPECT_TRUE(until([this] {
        return ui_.noAttempts()->text() ==
               QStringLiteral("No request has left for this message yet.");
    }));
}

TEST_F(Mailboxes, showsNoRequestsOfAnotherMessageWhileTheStoreIsAway)
{
    HistoryRow held;
    held.at = fake_->time - 1h;
    held.transition = "hold";
    held.from = "leased";
    held.to = "held";
    held.note = "attempt 1: 2026-10-26T09:00:00.120Z sip:carol@192.0.2.7 480 Away (3 ms)\n";
    fake_->histories["m0"] = {held};
    ASSERT_TRUE(load());
    ASSERT_TRUE(until([this] { return ui_.attempts()->model()->rowCount() == 1; }));
    auto link = fake_->link();
    link.phase = LinkState::Phase::Lost;
    fake_->setLink(link);
    ui_.messages()->selectionModel()->select(ui_.messages()->model()->index(1, 0),
                                             QItemSelectionModel::ClearAndSelect);
    EXPECT_EQ(ui_.attemptsTitle(), QStringLiteral("Requests sent for this message"));
    EXPECT_EQ(ui_.attempts()->model()->rowCount(), 0);
    link.phase = LinkState::Phase::Ready;
    fake_->setLink(link);
    page_.refresh();
    EXPECT_TRUE(until([this] {
        return ui_.noAttempts()->text() ==
               QStringLiteral("No request has left for this message yet.");
    }));
}

TEST_F(Mailboxes, doesNotSayThatNoRequestHasLeftWhereNobodyKeptThem)
{
    HistoryRow claimed;
    claimed.at = fake_->time - 1h;
    claimed.transition = "claim";
    claimed.from = "held";
    claimed.to = "leased";
    claimed.noteIsKnown = false;
    fake_->histories["m0"] = {claimed};
    ASSERT_TRUE(load());
    EXPECT_TRUE(until([this] {
        return ui_.noAttempts()->text() ==
               QStringLiteral("What was sent is not known, because no journal keeps it.");
    }));
}

TEST_F(Mailboxes, saysWhyThereAreNoAttemptsToShow)
{
    fake_->historyError = Error{ErrorCode::Unavailable, "no journal is known"};
    ASSERT_TRUE(load());
    EXPECT_TRUE(until([this] {
        return ui_.noAttempts()->text().contains(QStringLiteral("no journal is known"));
    }));
}

TEST_F(Mailboxes, deliversWhatWaitsOfThisPersonAlone)
{
    ASSERT_TRUE(load());
    std::vector<std::pair<BulkAction::Verb, Selection>> wanted;
    QObject::connect(&page_, &MailboxesPage::actionRequested, &page_,
                     [&](BulkAction::Verb verb, const Selection& selection) {
                         wanted.emplace_back(verb, selection);
                     });
    ASSERT_TRUE(ui_.deliver()->isEnabled());
    ui_.deliver()->click();
    ASSERT_EQ(wanted.size(), 1U);
    EXPECT_EQ(wanted[0].first, BulkAction::Verb::Release);
    EXPECT_EQ(wanted[0].second.ids, (std::vector<std::string>{"m0", "m1"}));
    EXPECT_FALSE(wanted[0].second.all);
}

TEST_F(Mailboxes, writesNothingWhereNothingMayBeWritten)
{
    ConnectionProfile profile;
    profile.mode = AccessMode::ReadOnly;
    auto backend = std::make_unique<FakeBackend>();
    backend->jobs = fake_->jobs;
    session_ = std::make_unique<StoreSession>(profile, std::move(backend));
    ASSERT_TRUE(load());
    EXPECT_FALSE(ui_.deliver()->isEnabled());
    EXPECT_FALSE(ui_.write()->isEnabled());
    EXPECT_FALSE(ui_.deliver()->toolTip().isEmpty()) << "it says why";
}

TEST_F(Mailboxes, findsPeopleByAPartOfTheirName)
{
    ASSERT_TRUE(load());
    ui_.filter()->setText(QStringLiteral("DAV"));
    ASSERT_TRUE(until([this] { return ui_.list()->model()->rowCount() == 1; }));
    EXPECT_EQ(fake_->mailboxQueries.back().name, "DAV");
    EXPECT_EQ(ui_.count(), QStringLiteral("1 mailbox(es), 1 message(s)"));
    EXPECT_EQ(page_.person(), kCarol) << "who is read stays until another one is chosen";
    ui_.filter()->setText(QStringLiteral("nobody"));
    ASSERT_TRUE(until([this] { return !ui_.list()->isVisible(); }));
    EXPECT_TRUE(ui_.instead().contains(QStringLiteral("“nobody”")));
    ui_.filter()->clear();
    EXPECT_TRUE(until([this] { return ui_.list()->model()->rowCount() == 2; }));
}

TEST_F(Mailboxes, doesNotSayThatNobodyIsCalledSoBeforeTheStoreHasAnswered)
{
    ASSERT_TRUE(load());
    ui_.filter()->setText(QStringLiteral("dav"));
    fake_->nextError = Error{ErrorCode::Unavailable, "the store is away"};
    ASSERT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
    EXPECT_EQ(ui_.count(), QString()) << "how many there are is not known";
    EXPECT_FALSE(ui_.instead().contains(QStringLiteral("“dav”"))) << ui_.instead().toStdString();
    ui_.notice()->findChild<QPushButton*>(QStringLiteral("messageBarRetry"))->click();
    EXPECT_TRUE(until([this] { return ui_.list()->isVisible(); }));
    EXPECT_EQ(ui_.list()->model()->rowCount(), 1);
}

TEST_F(Mailboxes, leaveAStoreAloneForLongerThatFailsSlowly)
{
    ASSERT_TRUE(load());
    fake_->latencyMs = 300;
    ui_.filter()->setText(QStringLiteral("dav"));
    fake_->nextError = Error{ErrorCode::Unavailable, "no answer in time"};
    ASSERT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
    const auto asked = fake_->mailboxQueries.size();
    page_.refresh();
    EXPECT_EQ(fake_->mailboxQueries.size(), asked);
    ui_.notice()->findChild<QPushButton*>(QStringLiteral("messageBarRetry"))->click();
    EXPECT_EQ(fake_->mailboxQueries.size(), asked + 1) << "somebody wants it";
    ASSERT_TRUE(until([this] { return page_.isLoaded(); }));
    page_.refresh();
    EXPECT_EQ(fake_->mailboxQueries.size(), asked + 1);
    auto link = fake_->link();
    link.phase = LinkState::Phase::Lost;
    fake_->setLink(link);
    link.phase = LinkState::Phase::Ready;
    fake_->setLink(link);
    page_.refresh();
    EXPECT_EQ(fake_->mailboxQueries.size(), asked + 2) << "it may be faster now";
}

TEST_F(Mailboxes, goOnWithNoPageOfAnotherName)
{
    fake_->jobs.clear();
    for (int i = 0; i < 450; ++i) {
        hold(fmt::format("sip:user{:03}@example.org", i), "sip:frank@example.org", "x", 1h);
    }
    ASSERT_TRUE(load(QStringLiteral("user000@example.org")));
    ui_.filter()->setText(QStringLiteral("user"));
    ui_.more()->click();  // while somebody types
    fake_->latencyMs = 50;
    const auto asked = fake_->mailboxQueries.size();
    ASSERT_TRUE(until([&] { return fake_->mailboxQueries.size() > asked; }));
    ui_.more()->click();  // while the store is asked
    ASSERT_TRUE(until([this] { return page_.isLoaded(); }));
    for (const auto& query : fake_->mailboxQueries) {
        EXPECT_TRUE(query.cursor.empty()) << query.cursor;
    }
    EXPECT_EQ(MailboxesPageObject::row(ui_.list(), 0).section(u',', 0, 0),
              QStringLiteral("user000@example.org"));
}

TEST_F(Mailboxes, leaveASlowStoreAloneForLonger)
{
    fake_->latencyMs = 300;
    ASSERT_TRUE(load());
    const auto looks = fake_->mailboxQueries.size();
    const auto persons = fake_->mailboxRequests.size();
    page_.refresh();
    EXPECT_EQ(fake_->mailboxQueries.size(), looks);
    EXPECT_EQ(fake_->mailboxRequests.size(), persons + 1) << "one person is cheap";
}

TEST_F(Mailboxes, goesOnPageByPage)
{
    fake_->jobs.clear();
    for (int i = 0; i < 450; ++i) {
        hold(fmt::format("sip:user{:03}@example.org", i), "sip:frank@example.org", "x", 1h);
    }
    ASSERT_TRUE(load(QStringLiteral("user000@example.org")));
    EXPECT_EQ(ui_.list()->model()->rowCount(), 200);
    ASSERT_TRUE(ui_.more()->isVisible());
    ui_.more()->click();
    ASSERT_TRUE(until([this] { return ui_.list()->model()->rowCount() == 400; }));
    ui_.more()->click();
    ASSERT_TRUE(until([this] { return ui_.list()->model()->rowCount() == 450; }));
    EXPECT_FALSE(ui_.more()->isVisible());
    EXPECT_EQ(ui_.list()->currentKey(), "sip:user000@example.org");
    EXPECT_TRUE(until([this] {
        page_.refresh();
        return fake_->mailboxQueries.back().limit == 450;
    }));
}

TEST_F(Mailboxes, staysAsLongAsItWasReadWhenTheStoreIsReadAgain)
{
    constexpr int kAll = 700;  // more than the store gives at once
    fake_->jobs.clear();
    for (int i = 0; i < kAll; ++i) {
        hold(fmt::format("sip:user{:03}@example.org", i), "sip:frank@example.org", "x", 1h);
    }
    ASSERT_TRUE(load(QStringLiteral("user000@example.org")));
    for (const auto rows : {400, 600, kAll}) {
        ui_.more()->click();
        ASSERT_TRUE(until([&] { return ui_.list()->model()->rowCount() == rows; }));
    }
    const auto asked = fake_->mailboxQueries.size();
    ASSERT_TRUE(until([&] {
        page_.refresh();
        return fake_->mailboxQueries.size() > asked;
    }));
    ASSERT_TRUE(until([this] { return page_.isLoaded(); }));
    EXPECT_EQ(ui_.list()->model()->rowCount(), kAll);
    EXPECT_LE(fake_->mailboxQueries[asked].limit, 500U);
    EXPECT_FALSE(ui_.more()->isVisible());
}

TEST_F(Mailboxes, saysAtLeastWhenNotAllWereLookedAt)
{
    fake_->mailboxesComplete = false;
    ASSERT_TRUE(load());
    EXPECT_EQ(ui_.count(), QStringLiteral("at least 2 mailbox(es), 3 message(s)"));
}

TEST_F(Mailboxes, teachWhatWouldStandHereWhileNothingWaits)
{
    fake_->jobs.clear();
    fake_->mailboxViews.clear();
    show();
    EXPECT_TRUE(until([this] { return ui_.instead().contains(QStringLiteral("restante-phone")); }));
}

TEST_F(Mailboxes, showsSomebodyForWhomNothingWaits)
{
    ASSERT_TRUE(load());
    fake_->mailboxViews[kJudy].devices = {here("Linphone/5.1")};
    page_.showPerson(kJudy);
    ASSERT_TRUE(until([this] { return ui_.person() == QStringLiteral("judy@example.org"); }));
    EXPECT_EQ(ui_.outlook(), QStringLiteral("Nothing waits for this person."));
    EXPECT_EQ(ui_.devices()->model()->rowCount(), 1);
    EXPECT_FALSE(ui_.deliver()->isEnabled());
    EXPECT_TRUE(ui_.write()->isEnabled());
}

TEST_F(Mailboxes, keepsWhatIsReadWhenOtherMessagesCome)
{
    for (int i = 0; i < 40; ++i) {
        hold(kCarol, "sip:frank@example.org", fmt::format("line {}", i), 30min);
    }
    ASSERT_TRUE(load());
    const auto* bar = ui_.messages()->verticalScrollBar();
    ASSERT_GT(bar->maximum(), 0);
    EXPECT_EQ(bar->value(), bar->maximum()) << "the newest is in sight";
    ui_.messages()->selectionModel()->select(ui_.messages()->model()->index(1, 0),
                                             QItemSelectionModel::ClearAndSelect);
    ui_.messages()->verticalScrollBar()->setValue(0);
    hold(kCarol, "sip:frank@example.org", "another one", 1min);
    page_.refresh();
    ASSERT_TRUE(until([this] { return ui_.messages()->model()->rowCount() == 43; }));
    EXPECT_EQ(ui_.messages()->selectedIds(), std::vector<std::string>{"m1"});
    EXPECT_EQ(bar->value(), 0);
    EXPECT_EQ(page_.selected().ids, std::vector<std::string>{"m1"});
    EXPECT_EQ(page_.selection().states.at(JobState::Held), 1U);
}

TEST_F(Mailboxes, selectsNothingOfThePersonBeforeWhileTheNextOneIsRead)
{
    ASSERT_TRUE(load());
    ui_.messages()->selectionModel()->select(ui_.messages()->model()->index(1, 0),
                                             QItemSelectionModel::ClearAndSelect);
    ASSERT_EQ(page_.selected().ids, std::vector<std::string>{"m1"});
    fake_->latencyMs = 50;
    const QSignalSpy told(&page_, &Page::selectionChanged);
    choose(kDave);
    EXPECT_GT(told.count(), 0);
    EXPECT_EQ(page_.selection().count, 0U);
    EXPECT_TRUE(page_.selected().ids.empty()) << "or a command would be about what nobody sees";
    EXPECT_TRUE(page_.knownRows(10).empty());
    ASSERT_TRUE(until([this] { return ui_.messages()->isVisible(); }));
    EXPECT_EQ(page_.selection().count, 0U);
}

TEST_F(Mailboxes, neverShowsOnePersonUnderTheNameOfAnother)
{
    ASSERT_TRUE(load());
    fake_->latencyMs = 50;
    choose(kDave);
    page_.refresh();
    EXPECT_FALSE(ui_.messages()->isVisible()) << "until it is known what waits for Dave";
    ASSERT_TRUE(until([this] { return ui_.messages()->isVisible(); }));
    EXPECT_EQ(ui_.textOf(0), QStringLiteral("one"));
}

TEST_F(Mailboxes, saysWhyTheyCouldNotBeRead)
{
    fake_->nextError = Error{ErrorCode::Unavailable, "the store is away"};
    show();
    EXPECT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
}

TEST_F(Mailboxes, showTextsOfStrangersLetterByLetter)
{
    const Bait bait;
    fake_->jobs.clear();
    const auto hostile = "sip:" + bait.markup() + "@example.org";
    auto& view = hold(hostile, "sip:" + bait.markup() + "@x", bait.markup(), 1h);
    view.lastError = bait.markup();
    fake_->mailboxViews[hostile].devices = {gone(bait.markup(), 2h)};
    fake_->mailboxViews[hostile].devices[0].contact = bait.markup();
    fake_->histories["m0"] = {};
    show();
    ASSERT_TRUE(until([this] { return ui_.messages()->model()->rowCount() == 1; }));
    turn();
    EXPECT_EQ(ui_.textOf(0), bait.text());
    EXPECT_EQ(notLiteral(bait.text()), QStringList());
    EXPECT_EQ(notLiteralTips(page_, bait.text()), QStringList());
    EXPECT_FALSE(bait.taken());
}

namespace {

MailboxText::MessageExcerpt shownOf(const std::string& type, const std::string& body)
{
    Job job;
    job.contentType = type;
    job.body = body;
    return MailboxText::excerptOf(job);
}

}  // namespace

TEST(MessageText, isWhatSomebodyHasWritten)
{
    EXPECT_EQ(shownOf("text/plain", "hello\r\nyou").text, QStringLiteral("hello\nyou"));
    EXPECT_EQ(shownOf("text/plain;charset=ISO-8859-1", "gr\xfc\xdf").text, QStringLiteral("grüß"));
    EXPECT_EQ(shownOf("message/cpim",
                      "From: <sip:a@b>\r\nTo: <sip:c@d>\r\n\r\nContent-Type: text/plain\r\n\r\nhi")
                  .text,
              QStringLiteral("hi"));
    EXPECT_EQ(shownOf("multipart/mixed; boundary=\"x y\"",
                      "--x y\r\nContent-Type: text/plain\r\n\r\nlook\r\n--x y\r\n"
                      "Content-Type: image/png\r\n\r\n\x89PNG\r\n--x y--\r\n")
                  .text,
              QStringLiteral("look\n[image/png, 4 bytes]"));
    EXPECT_EQ(shownOf("application/octet-stream", std::string("\0\1\2", 3)).text,
              QStringLiteral("[application/octet-stream, 3 bytes]"));
    EXPECT_EQ(shownOf("text/plain", "").text, QStringLiteral("[empty]"));
}

TEST(MessageText, undoesTheEncodingOfAPartAndNamesItsFile)
{
    const auto shown =
        shownOf("multipart/mixed; boundary=x",
                "--x\r\nContent-Type: text/plain; charset=utf-8\r\n"
                "Content-Transfer-Encoding: quoted-printable\r\n\r\ngr=C3=BC=C3=9F\r\n"
                "--x\r\nContent-Type: image/jpeg\r\n"
                "Content-Disposition: attachment; filename=\"photo.jpg\"\r\n"
                "Content-Transfer-Encoding: base64\r\n\r\n" +
                    std::string(40'000, 'A') + "\r\n--x--\r\n");
    EXPECT_TRUE(shown.text.startsWith(QStringLiteral("grüß\n[photo.jpg, ")))
        << shown.text.toStdString();
    EXPECT_FALSE(shown.isTruncated) << "all of the text is there, however large the picture is";
}

TEST(MessageText, isBoundedWhateverIsInIt)
{
    const auto lines = shownOf("text/plain", std::string(10'000, '\n') + "end");
    EXPECT_TRUE(lines.isTruncated);
    const auto line = shownOf("text/plain", std::string(1'000'000, 'x'));
    EXPECT_TRUE(line.isTruncated);
    EXPECT_EQ(line.text.size(), 800);
    EXPECT_EQ(shownOf("text/plain", std::string("a\x1b[2Jb", 6)).text.at(1), QChar(0x241b));
    EXPECT_EQ(shownOf("text/plain", "\xe2\x80\xaegnp.exe").text.at(0), QChar(0x2426))
        << "no turning round of what is read";
    std::string nested = "x";
    for (int i = 0; i < 50; ++i) {
        nested.insert(0, "A: b\r\n\r\nContent-Type: message/cpim\r\n\r\n");
    }
    EXPECT_FALSE(shownOf("message/cpim", nested).text.isEmpty());
}

}  // namespace restante::gui::test
