#include "gui/pages/topics/topics_page.h"

#include "core/job/job_filter.h"
#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/page_parts.h"
#include "gui/pages/topics/topic_delegates.h"
#include "gui/session/store_session.h"
#include "gui/session/topic_views.h"
#include "gui/theme/empty_pane.h"
#include "gui/theme/icons.h"
#include "gui/theme/message_bar.h"
#include "gui/theme/table_style.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Each is one request; the topics with the most ready jobs come first.
constexpr std::size_t kMaxLatenessRequests = 50;

}  // namespace

TopicsPage::TopicsPage(Context context, QWidget* parent)
    : StorePage(context, parent),
      model_(context.preferences)
{
    setObjectName(QStringLiteral("topicsPage"));
    auto* bar = buildBar();
    buildTable();
    setupLayout("topicsNotice", bar, table_);
    connectAll();
    retranslate();
    updateDisplay();
}

QBoxLayout* TopicsPage::buildBar()
{
    auto* rows = new QVBoxLayout;
    auto* bar = new QHBoxLayout;
    searchField_ = makeWidget<QLineEdit>("topicFilter", this);
    searchField_->setClearButtonEnabled(true);
    searchField_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    searchField_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    showJobsButton_ = new QPushButton(this);
    showJobsButton_->setIcon(icon(QStringLiteral("view-list-details")));
    pauseButton_ = new QToolButton(this);
    pauseButton_->setDefaultAction(context_.actions[ActionId::PauseTopic]);
    pauseButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addWidget(searchField_, 1);
    bar->addStretch(1);
    bar->addWidget(showJobsButton_);
    bar->addWidget(pauseButton_);
    rows->addLayout(bar);
    legend_ = makeWidget<QLabel>("topicLegend", this);
    legend_->setTextFormat(Qt::RichText);
    rows->addWidget(legend_);
    return rows;
}

/// What the colours of the bars mean.
void TopicsPage::showLegend()
{
    QStringList parts;
    for (int at = 0; at < static_cast<int>(BarSegment::Count_); ++at) {
        const auto segment = static_cast<BarSegment>(at);
        parts.append(QStringLiteral("<span style='color:%1'>%2</span>&nbsp;%3")
                         .arg(TopicsModel::segmentColor(segment).name(),
                              segment == BarSegment::Dead       ? QChar(0x25A8)
                              : segment == BarSegment::Retrying ? QChar(0x25A7)
                                                                : QChar(0x25A0),
                              TopicsModel::segmentName(segment).toHtmlEscaped()));
    }
    legend_->setText(parts.join(QStringLiteral("&nbsp;&nbsp; ")));
}

void TopicsPage::buildTable()
{
    sortedModel_ = new QSortFilterProxyModel(this);
    sortedModel_->setSourceModel(&model_);
    sortedModel_->setSortRole(TopicsModel::kSortRole);
    sortedModel_->setFilterKeyColumn(TopicsModel::Topic);
    sortedModel_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_ = makeWidget<QTableView>("topicsTable", this);
    table_->setModel(sortedModel_);
    applyTableStyle(*table_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setSortingEnabled(true);
    table_->sortByColumn(TopicsModel::Topic, Qt::AscendingOrder);
    resizeColumns(*table_,
                  {20, 34, 20, 13, 10, 12, 11, 10, 9, 9, 10, 10, 10, 14, 12, 13, 16, 36, 14});
    auto* header = table_->horizontalHeader();
    // In a wide window only the bars get wider.
    header->setStretchLastSection(false);
    header->setSectionResizeMode(TopicsModel::Jobs, QHeaderView::Stretch);
    header->setMinimumSectionSize(fontMetrics().averageCharWidth() * 6);
    table_->setItemDelegateForColumn(TopicsModel::Jobs, new TopicBarDelegate(table_));
    table_->setItemDelegateForColumn(TopicsModel::Past, new TopicPastDelegate(table_));
    header->moveSection(header->visualIndex(TopicsModel::Past),
                        header->visualIndex(TopicsModel::Errors));
    rememberHeader(*table_->horizontalHeader(), context_.preferences,
                   QStringLiteral("topics/columns"));
    table_->viewport()->installEventFilter(this);
    menu_ = new QMenu(this);
}

void TopicsPage::connectAll()
{
    connect(searchField_, &QLineEdit::textChanged, this, [this](const QString& text) {
        sortedModel_->setFilterFixedString(text);
        updateDisplay();
    });
    connect(showJobsButton_, &QPushButton::clicked, this, &TopicsPage::showJobs);
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& at) {
        if ((at.flags() & Qt::ItemIsEditable) == 0) {
            return showJobs();
        }
        table_->edit(at);
    });
    connectLimits();
    connect(table_, &QTableView::customContextMenuRequested, this, &TopicsPage::showMenu);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        showJobsButton_->setEnabled(selectedTopicView().has_value());
        emit selectionChanged();
    });
    connect(&model_, &QAbstractItemModel::dataChanged, this, &Page::selectionChanged);
    connect(emptyPane_, &EmptyPane::pressed, searchField_, &QLineEdit::clear);
}

void TopicsPage::connectLimits()
{
    auto* limits = new LimitDelegate(table_);
    table_->setItemDelegateForColumn(TopicsModel::Concurrency, limits);
    table_->setItemDelegateForColumn(TopicsModel::RateLimit, limits);
    table_->setEditTriggers(QAbstractItemView::EditKeyPressed);
    connect(&model_, &TopicsModel::limitsRequested, this, [this] {
        refusal_.clear();
        notice_->clear();
    });
    connect(&model_, &TopicsModel::limitsRequested, this, &TopicsPage::limitsRequested);
    connect(limits, &LimitDelegate::refused, this,
            [this](const QString& typed, const QString& help) {
                refusal_ = tr("“%1” is not a limit. %2").arg(typed, help);
                notice_->showMessage(Theme::Severity::Warning, refusal_);
            });
    connect(&context_.preferences, &Preferences::layoutsForgotten, this, &TopicsPage::fitColumns);
}

void TopicsPage::editLimit(TopicsModel::Column column)
{
    const auto rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty()) {
        return;
    }
    table_->setColumnHidden(column, false);  // in a narrow window, until it is resized
    const auto cell = rows.front().siblingAtColumn(column);
    table_->selectionModel()->setCurrentIndex(cell, QItemSelectionModel::NoUpdate);
    table_->scrollTo(cell);
    table_->edit(cell);
}

void TopicsPage::showRefusedLimits(const std::string& topic, const QString& reason)
{
    refusal_ =
        tr("The limits of “%1” are as they were: %2").arg(QString::fromStdString(topic), reason);
    notice_->showMessage(Theme::Severity::Bad, refusal_, refusal_);
}

bool TopicsPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == table_->viewport() && event->type() == QEvent::Resize) {
        fitColumns();
    }
    return StorePage::eventFilter(watched, event);
}

/// Hides columns that do not fit, in the order of kHiddenFirst; the bar gets the remaining width.
void TopicsPage::fitColumns()
{
    if (std::exchange(isFitting_, true)) {
        return;
    }
    auto* header = table_->horizontalHeader();
    for (int column = 0; column < model_.columnCount(); ++column) {
        header->setSectionHidden(column, false);
    }
    const auto minBarWidth = fontMetrics().averageCharWidth() * 24;
    auto neededWidth = minBarWidth;
    for (int column = 0; column < model_.columnCount(); ++column) {
        neededWidth += column == TopicsModel::Jobs ? 0 : header->sectionSize(column);
    }
    const auto hide = [&](int column) {
        neededWidth -= header->sectionSize(column);
        header->setSectionHidden(column, true);
    };
    for (const auto column : kHiddenFirst) {
        if (neededWidth > table_->viewport()->width()) {
            hide(column);
        }
    }
    isFitting_ = false;
}

void TopicsPage::clear()
{
    loaded_ = false;
    topics_.clear();
    activity_.reset();
    model_.clear();
    trend_.clear();
    refusal_.clear();
}

void TopicsPage::cancelRequests()
{
    if (session_ != nullptr) {
        for (const auto requestId : latenessRequests_) {
            session_->source().cancel(requestId);
        }
        session_->source().cancel(listRequest_);
        session_->source().cancel(activityRequest_);
    }
    latenessRequests_.clear();
    pendingLateness_ = 0;
    listRequest_ = 0;
    activityRequest_ = 0;
}

void TopicsPage::refresh()
{
    // Never two requests at a time to a slow store.
    if (!isReady() || listRequest_ != 0) {
        return;
    }
    listRequest_ = session_->source().topics(
        {this, [this](Result<std::vector<TopicView>> topics) {
             listRequest_ = 0;
             if (topics) {
                 handleTopics(std::move(*topics));
                 return;
             }
             const auto message = QString::fromStdString(topics.error().message);
             refusal_.clear();  // its place is taken
             notice_->showMessage(Theme::Severity::Bad,
                                  tr("The topics could not be read: %1").arg(message), message);
             updateDisplay();
         }});
}

void TopicsPage::handleTopics(std::vector<TopicView> topics)
{
    if (refusal_.isEmpty()) {
        notice_->clear();
    }
    loaded_ = true;
    model_.setEditable(session_->commands().refusal().isEmpty());
    topics_ = std::move(topics);
    showTopics();
    requestLateness();
    requestActivity();
}

void TopicsPage::showTopics()
{
    const auto now = session_->source().now();
    auto topics = activity_ ? withAllTopics(topics_, *activity_) : topics_;
    std::vector<TopicRow> rows;
    rows.reserve(topics.size());
    for (auto& view : topics) {
        auto row = topicRow(std::move(view));
        trend_.addSample(row.view.topic, now, row.backlog());
        row.change = trend_.perMinute(row.view.topic);
        rows.push_back(std::move(row));
    }
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return a.view.topic < b.view.topic; });
    model_.setContent(std::move(rows), now);
    updateDisplay();
    emit selectionChanged();
}

void TopicsPage::requestActivity()
{
    if (activityRequest_ != 0) {
        return;
    }
    activityRequest_ =
        session_->source().activity({this, [this](Result<TopicActivity> activity) {
                                         activityRequest_ = 0;
                                         if (activity) {
                                             activity_ = *activity;
                                             model_.setActivity(std::move(*activity));
                                             showTopics();
                                         }
                                     }});
}

void TopicsPage::requestLateness()
{
    // Of a slow store, requests that are cancelled each time would never be answered.
    if (pendingLateness_ != 0) {
        return;
    }
    latenessRequests_.clear();
    std::vector<const TopicRow*> rowsWithReady;
    for (const auto& row : model_.rows()) {
        if (row.ready != 0) {
            rowsWithReady.push_back(&row);
        }
    }
    const auto count = std::min(rowsWithReady.size(), kMaxLatenessRequests);
    std::partial_sort(
        rowsWithReady.begin(), rowsWithReady.begin() + static_cast<std::ptrdiff_t>(count),
        rowsWithReady.end(), [](const auto* a, const auto* b) { return a->ready > b->ready; });
    for (auto at = count; at < rowsWithReady.size(); ++at) {
        if (rowsWithReady[at]->late) {
            model_.setLate(rowsWithReady[at]->view.topic, {});  // nobody asks how late it is now
        }
    }
    rowsWithReady.resize(count);
    pendingLateness_ = count;
    for (const auto* row : rowsWithReady) {
        PageRequest request;
        request.view.states = {JobState::Ready};
        // The filter needs it too: only ready and scheduled jobs are indexed by topic.
        request.view.filter = *JobFilter::parse("state:ready");
        request.view.topic = row->view.topic;
        request.limit = 1;
        const auto topic = row->view.topic;
        latenessRequests_.push_back(session_->source().page(
            std::move(request),
            {this, [this, topic](Result<JobRows> oldest) {
                 --pendingLateness_;
                 if (!oldest) {
                     model_.setLate(topic, {});
                     return;
                 }
                 const auto now = session_->source().now();
                 model_.setLate(topic, oldest->rows.empty()
                                           ? Millis{0}
                                           : std::max(Millis{0}, now - oldest->rows[0].due));
             }}));
    }
}

SelectionSummary TopicsPage::selection() const
{
    const auto topic = selectedTopicView();
    SelectionSummary summary;
    summary.topicChosen = topic.has_value();
    summary.topicPaused = topic && topic->pause;
    summary.topicName = topic ? QString::fromStdString(topic->topic) : QString();
    return summary;
}

std::optional<TopicView> TopicsPage::selectedTopicView() const
{
    const auto rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty()) {
        return {};
    }
    return model_.row(sortedModel_->mapToSource(rows.front()).row()).view;
}

std::string TopicsPage::selectedTopic() const
{
    const auto topic = selectedTopicView();
    return topic ? topic->topic : std::string{};
}

QWidget* TopicsPage::firstFocus()
{
    return isTableShown() ? static_cast<QWidget*>(table_) : searchField_;
}

void TopicsPage::showJobs()
{
    if (const auto topic = selectedTopicView()) {
        emit filterRequested(QString::fromStdString(filterFor("topic", topic->topic)));
    }
}

void TopicsPage::showMenu(const QPoint& at)
{
    if (!selectedTopicView()) {
        return;
    }
    menu_->clear();
    menu_->addAction(showJobsButton_->icon(), showJobsButton_->text(), this, &TopicsPage::showJobs);
    const auto topic = QString::fromStdString(selectedTopic());
    menu_->addAction(icon(QStringLiteral("office-chart-line")), tr("Show in Monitor"), this,
                     [this, topic] { emit chartRequested(topic); });
    menu_->addAction(context_.actions[ActionId::PauseTopic]);
    const auto addLimitAction = [this](const QString& text, TopicsModel::Column column) {
        auto* action = menu_->addAction(icon(QStringLiteral("document-edit")), text, this,
                                        [this, column] { editLimit(column); });
        action->setEnabled(session_ != nullptr && session_->commands().refusal().isEmpty());
    };
    addLimitAction(tr("Change Concurrency"), TopicsModel::Concurrency);
    addLimitAction(tr("Change Rate Limit"), TopicsModel::RateLimit);
    menu_->popup(table_->viewport()->mapToGlobal(at));
}

void TopicsPage::updateDisplay()
{
    showLegend();
    legend_->setVisible(sortedModel_->rowCount() != 0);
    const auto total = model_.rowCount();
    showJobsButton_->setEnabled(selectedTopicView().has_value());
    showTable(sortedModel_->rowCount() != 0);
    if (!isTableShown()) {
        showEmptyPane();
    }
    const auto paused = std::count_if(model_.rows().begin(), model_.rows().end(),
                                      [](const TopicRow& row) { return row.view.pause; });
    emit statusTextChanged(session_ == nullptr
                               ? QString()
                               : tr("%n topic(s)", "", total) + QStringLiteral(" · ") +
                                     tr("%n paused", "", static_cast<int>(paused)));
}

void TopicsPage::showEmptyPane()
{
    if (session_ == nullptr) {
        emptyPane_->setContent({QStringLiteral("network-server"), tr("Not connected"),
                                tr("Open a connection to see its topics.")});
    } else if (!loaded_) {
        const auto& link = session_->link();
        emptyPane_->setContent(
            {QStringLiteral("network-server"), tr("Loading topics…"),
             link.phase == LinkState::Phase::Connecting ? link.step : link.problem});
    } else if (model_.rowCount() == 0) {
        emptyPane_->setContent(
            {QStringLiteral("view-list-tree"), tr("No topics"),
             tr("A topic is listed while it has jobs that are not done, is paused, or has a "
                "limit. The first one comes with the first job: Job, New Job…")});
    } else {
        emptyPane_->setContent({QStringLiteral("edit-find"),
                                tr("No topic is called so"),
                                tr("None of the topics contains “%1”.").arg(searchField_->text()),
                                {tr("Show All Topics")}});
    }
}

void TopicsPage::retranslate()
{
    searchField_->setPlaceholderText(tr("Find a topic"));
    searchField_->setAccessibleName(tr("Find a topic"));
    showJobsButton_->setText(tr("Show Jobs"));
    showJobsButton_->setToolTip(tr("Show the jobs of this topic"));
    table_->setAccessibleName(tr("Topics"));
    model_.retranslate();
    updateDisplay();
}

}  // namespace restante::gui
