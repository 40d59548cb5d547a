#include "gui/pages/jobs/columns_dialog.h"
#include "gui/pages/jobs/facet_sidebar.h"
#include "gui/theme/theme.h"
#include "tests/gui/support/columns_dialog_object.h"
#include "tests/gui/support/jobs_page_fixture.h"
#include "tests/gui/support/seeded_jobs.h"

#include <QDropEvent>
#include <QHeaderView>
#include <QMimeData>
#include <QTest>
#include <QTreeWidgetItemIterator>
#include <gtest/gtest.h>

#include <algorithm>

namespace restante::gui::test {

namespace {

struct FilterFixture : JobsPageFixture {
    FilterFixture()
        : JobsPageFixture([](FakeBackend& store) {
              store.jobs = seededJobs(20);
              store.jobs[3].job.recipient = "sip:eve@example.org";
              store.topicList.push_back(topic("invoice", Channel::Pull, 7, 3));
              store.topicList.push_back(topic("order", Channel::Sip, 20, 1));
          })
    {
        EXPECT_TRUE(opened());
        EXPECT_TRUE(settled());
    }
    static TopicView
    topic(const std::string& name, Channel channel, std::uint64_t scheduled, std::uint64_t ready)
    {
        TopicView view;
        view.topic = name;
        view.channels.push_back({channel, name, scheduled, ready});
        return view;
    }
    FilterEdit& edit() { return ui().filterEdit(); }
    QTreeWidgetItem* facet(const QString& text) { return ui().facet(text); }
    bool shows(const QString& text) { return facet(text) != nullptr; }
    void showStates(std::vector<JobState> states, const char* filter = "")
    {
        JobsView view;
        view.states = std::move(states);
        view.filter = JobFilter::parse(filter).value();
        page.showView(view);
        EXPECT_TRUE(until([&] { return page.feed().answered(); }));
    }
};

}  // namespace

TEST(FilterBox, takesACellThatIsDroppedOnIt)
{
    FilterFixture fixture;
    const std::unique_ptr<QMimeData> carried(
        fixture.table().dragData({fixture.page.feed().row(3), JobColumn::To}));
    ASSERT_NE(carried, nullptr);
    EXPECT_EQ(carried->text(), QStringLiteral("sip:eve@example.org"));
    const QPoint middle = fixture.edit().rect().center();
    QDragEnterEvent enter(middle, Qt::CopyAction, carried.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&fixture.edit(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop(middle, Qt::CopyAction, carried.get(), Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&fixture.edit(), &drop);
    EXPECT_EQ(fixture.edit().text(), QStringLiteral("to:\"sip:eve@example.org\""));
    EXPECT_TRUE(until([&] { return fixture.page.feed().total() == 1; }));
    // A check box is no value.
    EXPECT_EQ(fixture.table().dragData({fixture.page.feed().row(0), JobColumn::CheckBox}), nullptr);
}

TEST(FilterBox, showsEarlierFiltersWithDownAndEscapeGoesBack)
{
    FilterFixture fixture;
    for (const auto* filter : {"id:job-1", "id:job-2"}) {
        fixture.ui().filter(QString::fromLatin1(filter));
    }
    ASSERT_TRUE(until([&] { return fixture.page.feed().total() == 1; }));
    fixture.edit().setFocus();
    fixture.edit().clear();
    QTest::keyClick(&fixture.edit(), Qt::Key_Down);
    auto* popup = fixture.ui().offers();
    ASSERT_TRUE(until([&] { return popup->isVisible(); }));
    EXPECT_EQ(popup->model()->rowCount(), 2);
    QTest::keyClick(popup, Qt::Key_Down);
    QTest::keyClick(popup, Qt::Key_Down);
    QTest::keyClick(popup, Qt::Key_Return);
    EXPECT_EQ(fixture.edit().text(), QStringLiteral("id:job-1"));
    // It is written, not applied; Escape goes back to what the table shows.
    EXPECT_EQ(fixture.page.shownView().filter.text(), "id:job-2");
    QTest::keyClick(&fixture.edit(), Qt::Key_Escape);
    EXPECT_EQ(fixture.edit().text(), QStringLiteral("id:job-2"));
}

TEST(SavedViews, areStarredInTheBarAndChosenInTheSidebar)
{
    FilterFixture fixture;
    fixture.showStates({JobState::Scheduled}, "id:job-3");
    fixture.ui().saveView(QStringLiteral("Eve"));
    ASSERT_TRUE(fixture.shows(QStringLiteral("Eve")));
    fixture.showStates({});
    auto* side = fixture.ui().sidebar();
    side->setCurrentItem(fixture.facet(QStringLiteral("Eve")));
    QTest::keyClick(side, Qt::Key_Return);
    EXPECT_EQ(fixture.page.shownView().filter.text(), "id:job-3");
    EXPECT_EQ(fixture.page.shownView().states, std::vector{JobState::Scheduled});
}

TEST(Columns, areShownHiddenMovedAndResetInTheirDialog)
{
    FilterFixture fixture;
    fixture.actions[ActionId::Columns]->setEnabled(true);
    fixture.actions[ActionId::Columns]->trigger();
    auto* dialog = newestOf<ColumnsDialog>(fixture.page);
    const ColumnsDialogObject ui(dialog);
    auto* list = ui.list();
    ASSERT_EQ(list->count(), kJobColumns - 1);
    ASSERT_EQ(list->item(0)->text(), QStringLiteral("State"));
    ASSERT_EQ(list->item(1)->text(), QStringLiteral("Id"));
    list->item(1)->setCheckState(Qt::Unchecked);
    EXPECT_FALSE(fixture.table().isColumnChosen(JobColumn::Id));
    list->setCurrentRow(0);
    ui.down()->click();
    EXPECT_EQ(fixture.table().horizontalHeader()->logicalIndex(2),
              static_cast<int>(JobColumn::State));
    ui.reset()->click();
    EXPECT_TRUE(fixture.table().isColumnChosen(JobColumn::Id));
    EXPECT_EQ(fixture.table().horizontalHeader()->logicalIndex(1),
              static_cast<int>(JobColumn::State));
    dialog->reject();
}

TEST(Header, sortsByWhatTheStoreKeepsInOrderAndPretendsNothing)
{
    FilterFixture fixture;
    auto* header = fixture.table().horizontalHeader();
    const auto click = [&](JobColumn column) {
        const auto section = static_cast<int>(column);
        QTest::mouseClick(
            header->viewport(), Qt::LeftButton, {},
            QPoint(header->sectionViewportPosition(section) + 10, header->height() / 2));
    };
    click(JobColumn::Topic);
    EXPECT_EQ(header->sortIndicatorSection(), static_cast<int>(JobColumn::Due));
    EXPECT_FALSE(fixture.page.shownView().descending);
    auto* model = fixture.table().model();
    EXPECT_TRUE(
        model->headerData(static_cast<int>(JobColumn::Topic), Qt::Horizontal, Qt::ToolTipRole)
            .toString()
            .startsWith(QStringLiteral("Not a column to sort by")));
    click(JobColumn::Due);
    EXPECT_TRUE(fixture.page.shownView().descending);
    EXPECT_EQ(header->sortIndicatorOrder(), Qt::DescendingOrder);
    ASSERT_TRUE(until([&] { return fixture.idAt(0) == "job-19"; }));
    // What an id leads to comes in no order of time: there is no arrow, and a click does nothing.
    fixture.showStates({}, "id:job-3,job-1");
    EXPECT_FALSE(header->isSortIndicatorShown());
    click(JobColumn::Due);
    EXPECT_FALSE(fixture.page.shownView().descending);
    EXPECT_FALSE(header->isSortIndicatorShown());
}

TEST(Facets, haveTheNumbersOfTheStatesThatAreShown)
{
    FilterFixture fixture;
    ASSERT_TRUE(until([&] { return fixture.shows(QStringLiteral("invoice")); }));
    const auto count = [&](const char* text) {
        return fixture.facet(QString::fromLatin1(text))->text(1);
    };
    EXPECT_EQ(count("invoice"), QStringLiteral("≥10"));
    EXPECT_TRUE(fixture.facet(QStringLiteral("invoice"))
                    ->toolTip(1)
                    .startsWith(QStringLiteral("10 scheduled or ready")));
    fixture.showStates({JobState::Scheduled});
    EXPECT_EQ(count("invoice"), QStringLiteral("7"));
    EXPECT_EQ(count("order"), QStringLiteral("20"));
    fixture.showStates({JobState::Ready});
    EXPECT_EQ(count("invoice"), QStringLiteral("3"));
}

TEST(Facets, sayPlainlyWhereTheStoreDoesNotCount)
{
    FilterFixture fixture;
    ASSERT_TRUE(until([&] { return fixture.shows(QStringLiteral("invoice")); }));
    EXPECT_FALSE(fixture.shows(QStringLiteral("not counted in this state")));
    fixture.showStates({JobState::Trashed});
    EXPECT_TRUE(fixture.shows(QStringLiteral("not counted in this state")));
    EXPECT_EQ(fixture.facet(QStringLiteral("invoice"))->text(1), QString());
    fixture.showStates({JobState::Scheduled}, "attempts>3");
    EXPECT_TRUE(fixture.shows(QStringLiteral("not counted under a filter")));
    EXPECT_EQ(fixture.facet(QStringLiteral("invoice"))->text(1), QString());
}

TEST(Facets, listTopicsThatTheViewShowsAndTheStoreDoesNotList)
{
    FilterFixture fixture;
    auto dead = seededJob("dead", 0);
    dead.state = JobState::Dead;
    dead.job.topic = "forgotten";
    fixture.fake->jobs.push_back(dead);
    EXPECT_FALSE(fixture.shows(QStringLiteral("forgotten")));
    fixture.showStates({JobState::Dead});
    ASSERT_TRUE(until([&] { return fixture.shows(QStringLiteral("forgotten")); }));
    auto* side = fixture.ui().sidebar();
    side->setCurrentItem(fixture.facet(QStringLiteral("forgotten")));
    QTest::keyClick(side, Qt::Key_Space);
    EXPECT_EQ(fixture.page.shownView().topic, "forgotten");
    ASSERT_TRUE(until([&] { return fixture.page.feed().answered(); }));
    EXPECT_EQ(fixture.page.feed().total(), 1U);
}

TEST(Facets, countHeldAndDeadJobsByChannelAndTopic)
{
    FilterFixture fixture;
    ASSERT_TRUE(until([&] { return fixture.shows(QStringLiteral("invoice")); }));
    auto& activity = fixture.fake->topicActivity;
    activity.dead.jobs = {{"invoice", 4}, {"graveyard", 149}};
    activity.dead.byChannelAndTopic = {{{Channel::Webhook, "invoice"}, 4},
                                       {{Channel::Sms, "graveyard"}, 149}};
    activity.held.byChannelAndTopic = {{{Channel::Sip, "sip"}, 12}};
    fixture.showStates({JobState::Dead});
    const auto count = [&](const char* text) {
        const auto* row = fixture.facet(QString::fromLatin1(text));
        return row == nullptr ? QString() : row->text(1);
    };
    ASSERT_TRUE(until([&] { return count("graveyard") == QStringLiteral("149"); }));
    EXPECT_EQ(count("invoice"), QStringLiteral("4"));
    EXPECT_EQ(count("order"), QStringLiteral("0"));
    EXPECT_EQ(fixture.facet(Theme::channelName(Channel::Sms))->text(1), QStringLiteral("149"));
    EXPECT_FALSE(fixture.shows(QStringLiteral("not counted in this state")));
    activity.dead.isComplete = false;
    fixture.page.refresh();
    EXPECT_TRUE(until([&] { return count("graveyard") == QStringLiteral("≥149"); }));
}

TEST(Facets, countTheChannelsOfAStoreInWhichNoJobWaits)
{
    FilterFixture fixture;
    ASSERT_TRUE(until([&] { return fixture.shows(QStringLiteral("invoice")); }));
    fixture.fake->topicList.clear();
    fixture.fake->topicActivity.dead.byChannelAndTopic = {{{Channel::Sms, "graveyard"}, 149}};
    fixture.showStates({JobState::Dead});
    fixture.page.refresh();
    EXPECT_TRUE(until([&] {
        return !fixture.shows(QStringLiteral("invoice")) &&
               fixture.facet(Theme::channelName(Channel::Sms))->text(1) == QStringLiteral("149");
    }));
}

TEST(TopicFacets, knowWhichNumbersTheStoreKeeps)
{
    auto topic = FilterFixture::topic("order", Channel::Sip, 20, 1);
    topic.channels.push_back({Channel::Pull, "order", 5, 2});
    topic.leased = 4;
    JobsView view;
    view.states = {JobState::Scheduled, JobState::Ready};
    EXPECT_EQ(TopicFacets(view).count(topic), 28U);
    EXPECT_EQ(TopicFacets(view).coverage(), TopicFacets::Coverage::Complete);
    view.channel = Channel::Pull;
    EXPECT_EQ(TopicFacets(view).count(topic), 7U);
    view.channel.reset();
    view.topic = "other";
    EXPECT_EQ(TopicFacets(view).count(Channel::Sip, {topic}), 0U);
    view.topic.clear();
    view.states = {JobState::Leased};
    EXPECT_EQ(TopicFacets(view).count(topic), 4U);
    EXPECT_EQ(TopicFacets(view).count(Channel::Sip, {topic}), std::nullopt);
    view.states.clear();
    view.filter = JobFilter::parse("state:ready").value();
    EXPECT_EQ(TopicFacets(view).count(topic), 3U);
    EXPECT_EQ(TopicFacets(view).coverage(), TopicFacets::Coverage::Complete);
}

TEST(Columns, ofWhichNothingIsToBeSeenHideUntilARowHasSomething)
{
    FilterFixture fixture;
    const auto hidden = [&](JobColumn column) {
        return fixture.table().isColumnHidden(static_cast<int>(column));
    };
    EXPECT_TRUE(hidden(JobColumn::Error));
    EXPECT_FALSE(hidden(JobColumn::Id));
    EXPECT_FALSE(hidden(JobColumn::To));
    EXPECT_TRUE(fixture.table().isColumnChosen(JobColumn::Error)) << "the user still wants it";
    fixture.fake->jobs[2].lastError = "486 Busy Here";
    fixture.page.refresh();
    EXPECT_TRUE(until([&] { return !hidden(JobColumn::Error); }));
    // What the view says of all is not said of each.
    EXPECT_FALSE(hidden(JobColumn::State));
    fixture.showStates({JobState::Scheduled});
    EXPECT_TRUE(until([&] { return hidden(JobColumn::State); }));
    fixture.showStates({});
    EXPECT_TRUE(until([&] { return !hidden(JobColumn::State); }));
}

TEST(Columns, showTheTextOfABodyInALine)
{
    FilterFixture fixture;
    fixture.fake->jobs[0].job.contentType = "text/plain";
    fixture.fake->jobs[0].job.body = "Are you\r\ncoming?";
    fixture.page.refresh();
    const auto text = [&] {
        return fixture.table()
            .model()
            ->index(0, static_cast<int>(JobColumn::Text))
            .data()
            .toString();
    };
    EXPECT_TRUE(until([&] { return text() == QStringLiteral("Are you coming?"); }));
}

TEST(Columns, callTheMomentWhatItIsInTheStateThatIsShown)
{
    FilterFixture fixture;
    const auto title = [&] {
        return fixture.table()
            .model()
            ->headerData(static_cast<int>(JobColumn::Due), Qt::Horizontal, Qt::DisplayRole)
            .toString();
    };
    EXPECT_EQ(title(), QStringLiteral("Due"));
    fixture.showStates({JobState::Dead});
    EXPECT_EQ(title(), QStringLiteral("Died"));
}

TEST(StateTabs, haveOneForWhatIsBeingRetried)
{
    FilterFixture fixture;
    fixture.fake->jobs[4].attempt = 2;
    fixture.fake->jobs[5].attempt = 1;
    fixture.page.refresh();
    auto* tabs = fixture.ui().tabs();
    ASSERT_EQ(tabs->tabText(3).section(u' ', 0, 0), QStringLiteral("Retrying"));
    EXPECT_TRUE(until([&] { return tabs->tabText(3) == QStringLiteral("Retrying  2"); }))
        << tabs->tabText(3).toStdString();
    tabs->setCurrentIndex(3);
    ASSERT_TRUE(until([&] { return fixture.page.feed().complete(); }));
    EXPECT_EQ(fixture.page.feed().total(), 2U);
    EXPECT_TRUE(fixture.page.shownView().retrying);
    tabs->setCurrentIndex(0);
    EXPECT_FALSE(fixture.page.shownView().retrying);
}

TEST(Facets, groupFailuresByTheirReason)
{
    FilterFixture fixture;
    for (std::size_t at = 0; at < 6; ++at) {
        auto& view = fixture.fake->jobs[at];
        view.state = JobState::Dead;
        view.lastError = at < 4 ? "410 Gone" : "503 from \"hooks\"";
    }
    fixture.showStates({JobState::Dead});
    ASSERT_TRUE(until([&] { return fixture.shows(QStringLiteral("410 Gone")); }));
    EXPECT_EQ(fixture.facet(QStringLiteral("410 Gone"))->text(1), QStringLiteral("4"));
    auto* side = fixture.ui().sidebar();
    side->setCurrentItem(fixture.facet(QStringLiteral("503 from \"hooks\"")));
    QTest::keyClick(side, Qt::Key_Return);
    ASSERT_TRUE(until([&] { return fixture.page.feed().complete(); }));
    EXPECT_EQ(fixture.page.feed().total(), 2U);
    // The group is what an action applies to.
    fixture.table().jobsSelection().selectAllMatching();
    const auto selection = fixture.page.selected();
    EXPECT_TRUE(selection.all);
    EXPECT_EQ(selection.view.combinedFilter().text(), "err:\"503 from \\\"hooks\\\"\"");
    // A chip lets it go again.
    auto* chip = fixture.ui().chip("503");
    chip->click();
    EXPECT_TRUE(fixture.page.shownView().error.empty());
}

TEST(Facets, retryTheJobsOfOneReasonAndNoOthersThatContainIt)
{
    FilterFixture fixture;
    const std::vector<std::string> errors{"410 Gone", "410 Gone", "it was 410 GONE", "busy",
                                          "BUSY"};
    for (std::size_t at = 0; at < errors.size(); ++at) {
        fixture.fake->jobs[at].state = JobState::Dead;
        fixture.fake->jobs[at].lastError = errors[at];
    }
    fixture.showStates({JobState::Dead});
    ASSERT_TRUE(until([&] { return fixture.shows(QStringLiteral("410 Gone")); }));
    std::vector<BulkRequest> requests;
    QObject::connect(&fixture.page, &JobsPage::retryRequested, &fixture.page,
                     [&](const BulkRequest& request) { requests.push_back(request); });
    emit fixture.ui().sidebar()->reasonRetryRequested("410 Gone", 2);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].selection.view.error, "410 Gone");
    EXPECT_EQ(requests[0].selection.view.filter.text(), R"(-err:"it was 410 GONE")");
    EXPECT_TRUE(requests[0].selection.exact);
    // One that differs in its letter case alone cannot be excluded: the user is asked first.
    emit fixture.ui().sidebar()->reasonRetryRequested("busy", 1);
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_TRUE(requests[1].selection.view.filter.empty());
    EXPECT_FALSE(requests[1].selection.exact);
}

TEST(FilterBox, asksWhetherAnotherFilterWasMeant)
{
    FilterFixture fixture;
    fixture.edit().setText(QStringLiteral("status:failed topic:order"));
    auto* meant = fixture.ui().meant();
    ASSERT_TRUE(meant->isVisible());
    EXPECT_EQ(meant->text(), QStringLiteral("Did you mean state:dead topic:order?"));
    meant->click();
    EXPECT_EQ(fixture.page.shownView().filter.text(), "state:dead topic:order");
    EXPECT_EQ(fixture.edit().text(), QStringLiteral("state:dead topic:order"));
    EXPECT_FALSE(meant->isVisible());
}

TEST(FilterBox, andItsFacetsTakeTheOtherLookWhileTheyAreShown)
{
    FilterFixture fixture;
    fixture.ui().filter(QStringLiteral("topic:order"));
    const auto isDark = [](const QBrush& brush) { return brush.color().lightness() < 128; };
    const auto papers = [&] {
        std::vector<QBrush> found{fixture.edit().palette().base()};
        auto* facets = fixture.page.findChild<FacetSidebar*>();
        for (QTreeWidgetItemIterator row(facets); *row != nullptr; ++row) {
            if ((*row)->background(0).style() != Qt::NoBrush) {
                found.push_back((*row)->background(0));
            }
        }
        return found;
    };
    ASSERT_GT(papers().size(), 2U);
    EXPECT_TRUE(std::ranges::none_of(papers(), isDark));
    Theme::apply(Scheme::Dark);
    turn();
    EXPECT_TRUE(std::ranges::all_of(papers(), isDark));
    EXPECT_TRUE(isDark(fixture.page.findChild<FacetSidebar*>()->palette().base()));
    Theme::apply(Scheme::Light);
    turn();
    EXPECT_TRUE(std::ranges::none_of(papers(), isDark));
}

TEST(FilterBox, hasAChipForEachTerm)
{
    FilterFixture fixture;
    fixture.ui().filter(QStringLiteral("to:*eve* attempts=0"));
    fixture.ui().chip("attempts")->click();
    EXPECT_EQ(fixture.page.shownView().filter.text(), "to:*eve*");
    EXPECT_EQ(fixture.edit().text(), QStringLiteral("to:*eve*"));
}

TEST(FilterBox, findsABareWordInTheText)
{
    FilterFixture fixture;
    fixture.fake->jobs[7].job.body = "The parcel is at the neighbour's";
    fixture.ui().filter(QStringLiteral("parcel"));
    // It is asked for as an id and as a key first.
    EXPECT_TRUE(until([&] {
        return fixture.page.shownView().filter.text() == "parcel" &&
               fixture.page.feed().complete() && fixture.page.feed().total() == 1;
    })) << fixture.page.feed().total();
}

TEST(EmptyView, saysHowManyMatchElsewhere)
{
    FilterFixture fixture;
    fixture.showStates({JobState::Dead}, "topic:order");
    ASSERT_TRUE(until([&] {
        return fixture.ui().notice().sentence.contains(QStringLiteral("None here; "));
    })) << fixture.ui().notice().sentence.toStdString();
    EXPECT_TRUE(fixture.ui().notice().sentence.contains(QStringLiteral("20")));
    const auto buttons = fixture.ui().notice().buttons;
    const auto at = buttons.indexOf(QStringLiteral("Look in All &States"));
    ASSERT_GE(at, 0);
    fixture.ui().noticeButton(at)->click();
    EXPECT_TRUE(fixture.page.shownView().states.empty());
    EXPECT_TRUE(until([&] { return fixture.page.feed().total() == 20; }));
}

TEST(EmptyView, ofWhatIsBeingRetriedSaysThatNothingIs)
{
    FilterFixture fixture;
    fixture.fake->storeCounts.states[JobState::Scheduled] = 20;
    fixture.ui().tabs()->setCurrentIndex(3);
    ASSERT_TRUE(fixture.page.shownView().retrying);
    // Those that are scheduled are in a state of this tab.
    const auto told = QStringLiteral(
        "This view shows jobs that are tried again after a failed attempt, and there are none.\n"
        "None here; 20 in all states.");
    EXPECT_TRUE(until([&] { return fixture.ui().notice().sentence == told; }))
        << fixture.ui().notice().sentence.toStdString();
}

TEST(EmptyView, ofAReasonSaysThatNothingFailedForIt)
{
    FilterFixture fixture;
    JobsView view;
    view.error = "410 Gone";
    fixture.page.showView(view);
    const auto told = QStringLiteral(
        "This view shows jobs whose last failure had the chosen reason, and there are none.");
    EXPECT_TRUE(until([&] { return fixture.ui().notice().sentence == told; }))
        << fixture.ui().notice().sentence.toStdString();
}

}  // namespace restante::gui::test
