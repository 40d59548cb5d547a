#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/topics/topics_page.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/topics_page_object.h"
#include "tests/gui/support/wait.h"

#include <QHeaderView>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>
#include <gtest/gtest.h>

namespace restante::gui::test {

namespace {

TopicView topic(const std::string& name, std::uint64_t scheduled, std::uint64_t ready)
{
    TopicView view;
    view.topic = name;
    view.channels = {{Channel::Sip, name, scheduled, ready}, {Channel::Webhook, name, 1, 0}};
    return view;
}

class Topics : public testing::Test {
protected:
    Topics()
    {
        auto backend = std::make_unique<FakeBackend>();
        fake_ = backend.get();
        fake_->topicList = {topic("billing", 10, 2), topic("order", 100, 0), topic("sms", 5, 1)};
        fake_->topicList[2].pause =
            TopicPause{fake_->time - Millis{3'600'000}, "ops@host", "<b>gateway</b> is down"};
        fake_->topicList[0].limits = {4, {10, Millis{1'000}}};
        fake_->topicList[0].leased = 3;
        JobView waiting;
        waiting.job.id = "late-one";
        waiting.job.topic = "billing";
        waiting.state = JobState::Ready;
        waiting.due = fake_->time - Millis{90'000};
        fake_->jobs = {waiting};
        session_ = std::make_unique<StoreSession>(ConnectionProfile{}, std::move(backend));
    }
    ~Topics() override { page_.open(nullptr); }

    bool load()
    {
        page_.resize(1'200, 500);
        page_.show();
        page_.open(session_.get());
        return until([this] {
            return page_.model().rowCount() == 3 && text(0, TopicsModel::Late) != dash();
        });
    }
    /// Whatever is asked once the list has arrived takes that long.
    QMetaObject::Connection answerLaterOnceListed(int latencyMs)
    {
        return QObject::connect(&page_.model(), &QAbstractItemModel::dataChanged, &page_,
                                [this, latencyMs] { fake_->latencyMs = latencyMs; });
    }
    static QString dash() { return QStringLiteral("–"); }
    QString text(int row, int column) const
    {
        return page_.model().index(row, column).data().toString();
    }
    QTableView* table() const { return ui_.table(); }

    QTemporaryDir home_;
    Preferences preferences_{home_.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry actions_;
    FakeBackend* fake_ = nullptr;
    std::unique_ptr<StoreSession> session_;
    TopicsPage page_{Context{actions_, preferences_}};
    const TopicsPageObject ui_{&page_};
};

}  // namespace

TEST_F(Topics, listsTopicsWithWhatWaitsAndWhatHoldsThemBack)
{
    ASSERT_TRUE(load());
    EXPECT_EQ(text(0, TopicsModel::Topic), QStringLiteral("billing"));
    EXPECT_EQ(text(0, TopicsModel::Scheduled), QStringLiteral("11"));
    EXPECT_EQ(text(0, TopicsModel::Ready), QStringLiteral("2"));
    EXPECT_EQ(text(0, TopicsModel::Leased), QStringLiteral("3"));
    EXPECT_EQ(text(0, TopicsModel::Concurrency), QStringLiteral("4"));
    EXPECT_EQ(text(0, TopicsModel::RateLimit), QStringLiteral("10/s"));
    EXPECT_EQ(text(0, TopicsModel::Status), QStringLiteral("Limited"));
    EXPECT_EQ(text(1, TopicsModel::Status), QStringLiteral("Open"));
    EXPECT_EQ(text(1, TopicsModel::Leased), dash()) << "nobody has counted it there";
    EXPECT_EQ(text(2, TopicsModel::Status), QStringLiteral("Paused"));
    EXPECT_EQ(text(2, TopicsModel::Reason),
              QStringLiteral("ops@host, 1 h ago: <b>gateway</b> is down"));
}

TEST_F(Topics, showHowLongTheOldestReadyJobHasWaited)
{
    ASSERT_TRUE(load());
    EXPECT_EQ(text(0, TopicsModel::Late), QStringLiteral("1 min 30 s"));
    EXPECT_EQ(text(1, TopicsModel::Late), dash()) << "nothing of it is due";
    ASSERT_EQ(fake_->pages.size(), 2U) << "only topics with ready jobs are asked about";
    EXPECT_EQ(fake_->pages[0].limit, 1U);
    EXPECT_TRUE(fake_->pages[0].view.ranked());
}

TEST_F(Topics, showNoLatenessThatNobodyAsksForAnyMore)
{
    ASSERT_TRUE(load());
    ASSERT_TRUE(until([this] { return text(2, TopicsModel::Late) != dash(); }));
    EXPECT_EQ(text(0, TopicsModel::Late), QStringLiteral("1 min 30 s"));
    // More than are asked for at a time, each of them with more ready jobs.
    constexpr int kOthers = 60;
    for (int at = 0; at < kOthers; ++at) {
        fake_->topicList.push_back(topic("x" + std::to_string(at), 0, 1'000));
    }
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 3 + kOthers; }));
    EXPECT_EQ(text(0, TopicsModel::Topic), QStringLiteral("billing"));
    EXPECT_EQ(text(0, TopicsModel::Late), dash());
}

TEST_F(Topics, areNotOnTimeBeforeItIsKnown)
{
    ASSERT_TRUE(load());
    ASSERT_TRUE(until([this] { return text(2, TopicsModel::Late) != dash(); }));
    const auto later = answerLaterOnceListed(60'000);
    fake_->topicList[1] = topic("order", 100, 7);
    page_.refresh();
    ASSERT_TRUE(until([this] { return text(1, TopicsModel::Ready) == QStringLiteral("7"); }));
    EXPECT_EQ(text(1, TopicsModel::Late), dash());
    QObject::disconnect(later);
    fake_->latencyMs = 0;
    page_.open(session_.get());
    EXPECT_TRUE(until(
        [this] { return page_.model().rowCount() == 3 && text(1, TopicsModel::Late) != dash(); }));
}

TEST_F(Topics, showHowLateTheyAreHoweverLongTheStoreTakes)
{
    answerLaterOnceListed(300);
    page_.resize(1'200, 500);
    page_.show();
    page_.open(session_.get());
    ASSERT_TRUE(until([this] {
        fake_->latencyMs = 0;
        page_.refresh();  // as Live Update does
        return page_.model().rowCount() == 3 && text(0, TopicsModel::Late) != dash();
    }));
    EXPECT_EQ(text(0, TopicsModel::Late), QStringLiteral("1 min 30 s"));
}

TEST_F(Topics, showHowManyJobsComeAndGoAndAreLeased)
{
    fake_->topicActivity.from = fake_->time - Millis{300'000};
    fake_->topicActivity.until = fake_->time;
    fake_->topicActivity.rates["billing"] = {2.0 / 60, 12.5};
    fake_->topicActivity.leased.emplace()["billing"] = 9;
    ASSERT_TRUE(load());
    ASSERT_TRUE(until([this] { return text(0, TopicsModel::In) != dash(); }));
    EXPECT_EQ(text(0, TopicsModel::In), QStringLiteral("2/min"));
    EXPECT_EQ(text(0, TopicsModel::Out), QStringLiteral("12.5/s"));
    EXPECT_EQ(text(1, TopicsModel::In), QStringLiteral("0/s")) << "known, and nothing came";
    EXPECT_EQ(text(0, TopicsModel::Leased), QStringLiteral("3")) << "its limit counts it itself";
    EXPECT_EQ(text(1, TopicsModel::Leased), QStringLiteral("0"));
    const auto tip = page_.model().index(0, TopicsModel::In).data(Qt::ToolTipRole).toString();
    EXPECT_TRUE(tip.contains(QStringLiteral("From "))) << tip.toStdString();
}

TEST_F(Topics, drawTheLastDayWithAGapWhereNobodyCounted)
{
    TopicPast past;
    past.from = fake_->time - std::chrono::hours{2};
    past.step = std::chrono::minutes{30};
    past.known = {true, false, true, true};
    past.topics["billing"] = {{4, 0, 6, 10}, {1, 0, 2, 9}};
    fake_->topicActivity.past = past;
    ASSERT_TRUE(load());
    const auto lines = [this](int row) {
        return page_.model()
            .index(row, TopicsModel::Past)
            .data(TopicsModel::kPastRole)
            .value<TopicLines>();
    };
    ASSERT_TRUE(until([&] { return lines(0).isKnown(); }));
    EXPECT_EQ(lines(0).in, (TopicLines::Line{4, std::nullopt, 6, 10}));
    EXPECT_EQ(lines(0).finished, (TopicLines::Line{1, std::nullopt, 2, 9}));
    EXPECT_EQ(lines(1).finished, (TopicLines::Line{0, std::nullopt, 0, 0})) << "known to be none";
    const auto spoken =
        page_.model().index(0, TopicsModel::Past).data(Qt::AccessibleTextRole).toString();
    EXPECT_TRUE(spoken.startsWith(QStringLiteral("In the last 24 hours: 20 in, 12 finished")))
        << spoken.toStdString();
    EXPECT_TRUE(spoken.contains(QStringLiteral("gap")));
    fake_->topicActivity.past.reset();
    page_.refresh();
    EXPECT_TRUE(until([&] { return !lines(0).isKnown(); }));
}

TEST_F(Topics, callWhatIsRestantesOwnByItsWord)
{
    fake_->topicList.push_back(topic("restante.reminders", 3, 0));
    page_.resize(1'200, 500);
    page_.show();
    page_.open(session_.get());
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 4; }));
    int row = 0;
    while (row < 4 && text(row, TopicsModel::Topic) != QStringLiteral("Reminders")) {
        ++row;
    }
    ASSERT_LT(row, 4);
    EXPECT_TRUE(page_.model()
                    .index(row, TopicsModel::Topic)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("restante.reminders")));
}

TEST_F(Topics, sayWhyRatesAndLeasedAreNotKnown)
{
    fake_->topicActivity.ratesProblem = "no <journal> is known";
    ASSERT_TRUE(load());
    const auto tip = [this](int column) {
        return page_.model().index(1, column).data(Qt::ToolTipRole).toString();
    };
    ASSERT_TRUE(until([&] { return !tip(TopicsModel::In).isEmpty(); }));
    EXPECT_EQ(text(1, TopicsModel::In), dash());
    EXPECT_EQ(text(1, TopicsModel::Out), dash());
    EXPECT_TRUE(tip(TopicsModel::Out).contains(QStringLiteral("known from the journal only")));
    EXPECT_FALSE(tip(TopicsModel::Out).contains(QStringLiteral("<journal>")));
    EXPECT_EQ(text(1, TopicsModel::Leased), dash());
    EXPECT_TRUE(tip(TopicsModel::Leased).contains(QStringLiteral("being delivered")));
}

TEST_F(Topics, showReasonsOfStrangersLiterally)
{
    ASSERT_TRUE(load());
    const auto tip = page_.model().index(2, TopicsModel::Reason).data(Qt::ToolTipRole).toString();
    EXPECT_FALSE(tip.contains(QStringLiteral("<b>")));
    EXPECT_TRUE(tip.contains(QStringLiteral("&lt;b&gt;gateway")));
}

TEST_F(Topics, keepTheChosenTopicWhileTheListChanges)
{
    ASSERT_TRUE(load());
    table()->selectRow(1);
    EXPECT_EQ(page_.selectedTopic(), "order");
    EXPECT_TRUE(page_.selection().topicChosen);
    EXPECT_FALSE(page_.selection().topicPaused);
    fake_->topicList.insert(fake_->topicList.begin(), topic("alerts", 1, 0));
    fake_->topicList[2].pause = TopicPause{fake_->time, "me@host", "because"};
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 4; }));
    EXPECT_EQ(page_.selectedTopic(), "order");
    EXPECT_TRUE(page_.selection().topicPaused);
    fake_->topicList.erase(fake_->topicList.begin() + 2);
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 3; }));
    EXPECT_NE(page_.selectedTopic(), "order");
}

TEST_F(Topics, sortNumbersAsNumbers)
{
    ASSERT_TRUE(load());
    table()->sortByColumn(TopicsModel::Scheduled, Qt::DescendingOrder);
    EXPECT_EQ(table()->model()->index(0, 0).data().toString(), QStringLiteral("order"));
    EXPECT_EQ(table()->model()->index(2, 0).data().toString(), QStringLiteral("sms"));
}

TEST_F(Topics, leadToTheJobsOfATopic)
{
    ASSERT_TRUE(load());
    QString wanted;
    QObject::connect(&page_, &TopicsPage::filterRequested,
                     [&wanted](const QString& filter) { wanted = filter; });
    table()->selectRow(0);
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_Return);
    EXPECT_EQ(wanted, QStringLiteral("topic:\"billing\""));
}

TEST_F(Topics, leadToTheChartsOfATopicByTheirMenu)
{
    ASSERT_TRUE(load());
    QString topic;
    QObject::connect(&page_, &TopicsPage::chartRequested,
                     [&topic](const QString& wanted) { topic = wanted; });
    table()->selectRow(1);
    auto* menu = ui_.menu();
    ASSERT_EQ(menu->actions().size(), 5);
    menu->actions()[1]->trigger();
    EXPECT_EQ(topic, QStringLiteral("order"));
    menu->close();
}

TEST_F(Topics, areFoundByName)
{
    ASSERT_TRUE(load());
    auto* find = ui_.filter();
    QTest::keyClicks(find, QStringLiteral("ORD"));
    EXPECT_EQ(table()->model()->rowCount(), 1);
    QTest::keyClicks(find, QStringLiteral("xyz"));
    EXPECT_FALSE(table()->isVisible());
    find->clear();
    EXPECT_EQ(table()->model()->rowCount(), 3);
}

TEST_F(Topics, stayOnTheScreenWhenTheStoreFails)
{
    ASSERT_TRUE(load());
    fake_->nextError = Error{ErrorCode::Unavailable, "no answer in time"};
    page_.refresh();
    auto* notice = ui_.notice();
    ASSERT_TRUE(until([notice] { return notice->isVisible(); }));
    EXPECT_EQ(page_.model().rowCount(), 3);
    page_.refresh();
    EXPECT_TRUE(until([notice] { return !notice->isVisible(); }));
}

TEST_F(Topics, haveABarOfTheirStatesWithTheNumbersInWords)
{
    fake_->topicActivity.leased.emplace()["order"] = 4;
    fake_->topicActivity.held.jobs["order"] = 20;
    fake_->topicActivity.dead.jobs["order"] = 3;
    fake_->topicActivity.retrying.jobs["order"] = 41;
    ASSERT_TRUE(load());
    ASSERT_TRUE(until([this] { return text(1, TopicsModel::Retrying) == QStringLiteral("41"); }));
    const auto cell = page_.model().index(1, TopicsModel::Jobs);
    EXPECT_EQ(cell.data().toString(), QStringLiteral("128"));
    EXPECT_EQ(cell.data(TopicsModel::kBarSegmentsRole).value<BarSegments>(),
              (BarSegments{0, 60, 41, 4, 20, 3}))
        << "who retries is drawn once";
    EXPECT_EQ(cell.data(Qt::AccessibleTextRole).toString(),
              QStringLiteral("60 scheduled, 41 retrying, 4 leased, 20 held, 3 dead"));
    EXPECT_TRUE(cell.data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("60 scheduled\n41 retrying")));
    fake_->topicActivity.dead.isComplete = false;
    page_.refresh();
    EXPECT_TRUE(until([&] {
        return page_.model().index(1, TopicsModel::Jobs).data().toString() ==
               QStringLiteral("≥128");
    }));
}

TEST_F(Topics, drawEachStateInItsColour)
{
    fake_->topicList = {topic("order", 50, 0)};
    fake_->topicList[0].channels.pop_back();
    fake_->topicActivity.held.jobs["order"] = 50;
    page_.resize(1'200, 500);
    page_.show();
    page_.open(session_.get());
    ASSERT_TRUE(until([this] {
        return page_.model().rowCount() == 1 && text(0, TopicsModel::Held) == QStringLiteral("50");
    }));
    const auto cell =
        table()->visualRect(table()->model()->index(0, static_cast<int>(TopicsModel::Jobs)));
    const auto picture = table()->viewport()->grab().toImage();
    const auto middle = cell.center().y();
    int scheduled = 0;
    int held = 0;
    for (int x = cell.left(); x < cell.right(); ++x) {
        const auto pixel = picture.pixelColor(x, middle);
        scheduled += pixel == TopicsModel::segmentColor(BarSegment::Scheduled) ? 1 : 0;
        held += pixel == TopicsModel::segmentColor(BarSegment::Held) ? 1 : 0;
    }
    EXPECT_GT(held, 20);
    EXPECT_NEAR(held, scheduled, 3) << "each is half of the bar";
}

TEST_F(Topics, withNothingButDeadOrHeldJobsAreListedAndNotOpen)
{
    fake_->topicActivity.leased.emplace()["working"] = 1;
    fake_->topicActivity.dead.jobs["graveyard"] = 149;
    fake_->topicActivity.held.jobs["sip"] = 12;
    page_.resize(1'200, 500);
    page_.show();
    page_.open(session_.get());
    ASSERT_TRUE(until([this] { return page_.model().rowCount() == 6; }));
    EXPECT_EQ(text(1, TopicsModel::Topic), QStringLiteral("graveyard"));
    EXPECT_EQ(text(1, TopicsModel::Status), QStringLiteral("All dead"));
    EXPECT_EQ(text(1, TopicsModel::Late), dash());
    EXPECT_EQ(text(1, TopicsModel::Dead), QStringLiteral("149"));
    EXPECT_EQ(text(3, TopicsModel::Topic), QStringLiteral("sip"));
    EXPECT_EQ(text(3, TopicsModel::Status), QStringLiteral("All held"));
    EXPECT_EQ(text(5, TopicsModel::Status), QStringLiteral("Open")) << "one of it is leased";
}

TEST_F(Topics, showHowManyAttemptsFail)
{
    fake_->topicActivity.rates["billing"] = {1, 1, 0.75};
    fake_->topicActivity.rates["order"] = {1, 1, {}};
    ASSERT_TRUE(load());
    ASSERT_TRUE(until([this] { return text(0, TopicsModel::Errors) != dash(); }));
    EXPECT_EQ(text(0, TopicsModel::Errors), QStringLiteral("75%"));
    EXPECT_EQ(text(1, TopicsModel::Errors), dash());
}

TEST_F(Topics, fillAWideWindowAndHideColumnsOfANarrowOneInTheirOrder)
{
    ASSERT_TRUE(load());
    const auto* header = table()->horizontalHeader();
    const auto shown = [&](int column) { return !header->isSectionHidden(column); };
    page_.resize(2'600, 500);
    for (int column = 0; column < TopicsModel::Count_; ++column) {
        EXPECT_TRUE(shown(column)) << column;
    }
    EXPECT_EQ(header->length(), table()->viewport()->width());
    for (const int width : {1'500, 1'200, 900, 700}) {
        page_.resize(width, 500);
        bool isGone = true;
        for (const auto column : TopicsPage::kHiddenFirst) {
            EXPECT_LE(shown(column) ? 0 : 1, isGone ? 1 : 0)
                << "at " << width << " a later one has gone before column " << column;
            isGone = !shown(column);
        }
        EXPECT_LE(header->length(), table()->viewport()->width()) << "at " << width;
    }
    for (const auto column : {TopicsModel::Topic, TopicsModel::Jobs, TopicsModel::Status,
                              TopicsModel::Late, TopicsModel::Dead}) {
        EXPECT_TRUE(shown(column)) << column;
    }
}

TEST_F(Topics, haveTheirLimitsEditedInTheRow)
{
    ASSERT_TRUE(load());
    page_.resize(2'600, 500);
    std::vector<TopicLimits> wanted;
    QObject::connect(
        &page_, &TopicsPage::limitsRequested,
        [&](const std::string& topic, const TopicLimits& before, const TopicLimits& after) {
            EXPECT_EQ(topic, "billing");
            EXPECT_EQ(before, (TopicLimits{4, {10, Millis{1'000}}}));
            wanted.push_back(after);
        });
    const auto edit = [&](int column) {
        EXPECT_TRUE(until([&] { return ui_.limitEditor() == nullptr; }));
        table()->setFocus();
        table()->setCurrentIndex(table()->model()->index(0, column));
        QTest::keyClick(table(), Qt::Key_F2);
        return ui_.limitEditor();
    };
    auto* field = edit(TopicsModel::Concurrency);
    ASSERT_NE(field, nullptr);
    EXPECT_EQ(field->text(), QStringLiteral("4"));
    EXPECT_EQ(field->accessibleName(), QStringLiteral("Concurrency of “billing”"));
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("many"));
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_TRUE(wanted.empty());
    ASSERT_EQ(ui_.limitEditor(), field) << "what is no limit stays in its field";
    EXPECT_TRUE(field->accessibleDescription().contains(QStringLiteral("1 to 100,000")));
    page_.refresh();
    ASSERT_TRUE(until([&] { return page_.isLoaded(); }));
    EXPECT_EQ(field->text(), QStringLiteral("many")) << "a new look does not take it away";
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("8"));
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_TRUE(until([&] { return wanted.size() == 1; }));
    EXPECT_EQ(wanted[0], (TopicLimits{8, {10, Millis{1'000}}}));
    field = edit(TopicsModel::RateLimit);
    ASSERT_NE(field, nullptr);
    field->clear();
    QTest::keyClicks(field, QStringLiteral(" "));
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_TRUE(until([&] { return wanted.size() == 2; }));
    EXPECT_EQ(wanted[1], (TopicLimits{4, {}})) << "nothing is no limit";
}

TEST_F(Topics, sayThatAFieldWasLeftWithNoLimitInIt)
{
    ASSERT_TRUE(load());
    page_.resize(2'600, 500);
    table()->setFocus();
    table()->setCurrentIndex(table()->model()->index(0, TopicsModel::RateLimit));
    QTest::keyClick(table(), Qt::Key_F2);
    ASSERT_NE(ui_.limitEditor(), nullptr);
    ui_.limitEditor()->selectAll();
    QTest::keyClicks(ui_.limitEditor(), QStringLiteral("fast"));
    ui_.filter()->setFocus();
    ASSERT_TRUE(until([this] { return ui_.notice()->isVisible(); }));
    EXPECT_TRUE(ui_.notice()->accessibleName().contains(QStringLiteral("“fast” is not a limit")));
    page_.refresh();
    ASSERT_TRUE(until([this] { return page_.isLoaded(); }));
    EXPECT_TRUE(ui_.notice()->isVisible()) << "until it has been read";
    fake_->nextError = Error{ErrorCode::Unavailable, "no answer in time"};
    page_.refresh();
    ASSERT_TRUE(until([this] {
        return ui_.notice()->accessibleName().contains(QStringLiteral("no answer in time"));
    }));
    page_.refresh();
    EXPECT_TRUE(until([this] { return !ui_.notice()->isVisible(); }))
        << "what has been mended is not told any more";
}

TEST_F(Topics, areNotEditedWhereNothingMayBeWritten)
{
    auto link = fake_->link();
    link.writable = false;
    link.whyNotWritable = QStringLiteral("This server is a replica.");
    fake_->setLink(link);
    ASSERT_TRUE(load());
    const auto cell = page_.model().index(0, TopicsModel::Concurrency);
    EXPECT_FALSE(cell.flags() & Qt::ItemIsEditable);
    EXPECT_TRUE(page_.model().index(0, TopicsModel::Topic).flags() & Qt::ItemIsSelectable);
}

TEST(TopicLimits, areReadAsSomebodyTypesThem)
{
    const auto rate = [](const char* text) {
        return TopicsModel::withTypedLimit({3, {}}, TopicsModel::RateLimit,
                                           QString::fromLatin1(text));
    };
    EXPECT_EQ(rate("10/s"), (TopicLimits{3, {10, Millis{1'000}}}));
    EXPECT_EQ(rate(" 100 / m "), (TopicLimits{3, {100, Millis{60'000}}}));
    EXPECT_EQ(rate("0"), (TopicLimits{3, {}}));
    EXPECT_FALSE(rate("10"));
    EXPECT_FALSE(rate("10/"));
    const auto concurrency = [](const char* text) {
        return TopicsModel::withTypedLimit({}, TopicsModel::Concurrency, QString::fromLatin1(text));
    };
    EXPECT_EQ(concurrency("8"), (TopicLimits{8, {}}));
    EXPECT_EQ(concurrency(""), TopicLimits{});
    EXPECT_FALSE(concurrency("-1"));
    EXPECT_FALSE(concurrency("100001"));
    EXPECT_FALSE(concurrency("8 jobs"));
}

TEST(BacklogTrend, isJobsAMinuteOverTheLastMinute)
{
    BacklogTrend trend;
    const TimePoint start{Millis{1'793'000'000'000}};
    trend.addSample("order", start, 100);
    EXPECT_FALSE(trend.perMinute("order"));
    trend.addSample("order", start + Millis{30'000}, 400);
    EXPECT_DOUBLE_EQ(trend.perMinute("order").value(), 600);
    trend.addSample("order", start + Millis{80'000}, 300);
    EXPECT_DOUBLE_EQ(trend.perMinute("order").value(), -120) << "the first look is too old";
    EXPECT_FALSE(trend.perMinute("nobody"));
}

TEST(BacklogTrend, beginsAnewWhenTheClockIsSetBack)
{
    BacklogTrend trend;
    const TimePoint start{Millis{1'793'000'000'000}};
    trend.addSample("order", start, 100);
    trend.addSample("order", start - Millis{3'600'000}, 50);
    EXPECT_FALSE(trend.perMinute("order"));
}

}  // namespace restante::gui::test
