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

/// Each costs the store one look-up; the topics with the largest backlog come first.
constexpr std::size_t kLatenessAsked = 50;

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
    updateStatus();
}

QBoxLayout* TopicsPage::buildBar()
{
    auto* rows = new QVBoxLayout;
    auto* bar = new QHBoxLayout;
    find_ = makeWidget<QLineEdit>("topicFilter", this);
    find_->setClearButtonEnabled(true);
    find_->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    find_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    jobs_ = new QPushButton(this);
    jobs_->setIcon(icon(QStringLiteral("view-list-details")));
    pause_ = new QToolButton(this);
    pause_->setDefaultAction(context_.actions[ActionId::PauseTopic]);
    pause_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addWidget(find_, 1);
    bar->addStretch(1);
    bar->addWidget(jobs_);
    bar->addWidget(pause_);
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
    for (int at = 0; at < static_cast<int>(TopicPart::Count_); ++at) {
        const auto part = static_cast<TopicPart>(at);
        parts.append(QStringLiteral("<span style='color:%1'>%2</span>&nbsp;%3")
                         .arg(TopicsModel::partColour(part).name(),
                              part == TopicPart::Dead       ? QChar(0x25A8)
                              : part == TopicPart::Retrying ? QChar(0x25A7)
                                                            : QChar(0x25A0),
                              TopicsModel::partName(part).toHtmlEscaped()));
    }
    legend_->setText(parts.join(QStringLiteral("&nbsp;&nbsp; ")));
}

void TopicsPage::buildTable()
{
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(&model_);
    sorted_->setSortRole(TopicsModel::kSortRole);
    sorted_->setFilterKeyColumn(TopicsModel::Topic);
    sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_ = makeWidget<QTableView>("topicsTable", this);
    table_->setModel(sorted_);
    applyTableStyle(*table_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setSortingEnabled(true);
    table_->sortByColumn(TopicsModel::Topic, Qt::AscendingOrder);
    resizeColumns(*table_,
                  {20, 34, 20, 13, 10, 12, 11, 10, 9, 9, 10, 10, 10, 14, 12, 13, 16, 36, 14});
    auto* header = table_->horizontalHeader();
    // What is left of a wide window makes the bars longer, and nothing else wider.
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
    connect(find_, &QLineEdit::textChanged, this, [this](const QString& text) {
        sorted_->setFilterFixedString(text);
        updateStatus();
    });
    connect(jobs_, &QPushButton::clicked, this, &TopicsPage::showJobs);
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& at) {
        if ((at.flags() & Qt::ItemIsEditable) == 0) {
            return showJobs();
        }
        table_->edit(at);
    });
    connectLimits();
    connect(table_, &QTableView::customContextMenuRequested, this, &TopicsPage::showMenu);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        jobs_->setEnabled(chosenTopic().has_value());
        emit selectionChanged();
    });
    connect(&model_, &QAbstractItemModel::dataChanged, this, &Page::selectionChanged);
    connect(emptyPane_, &EmptyPane::pressed, find_, &QLineEdit::clear);
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
                notice_->showMessage(Theme::Meaning::Warning, refusal_);
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

void TopicsPage::tellRefused(const std::string& topic, const QString& why)
{
    refusal_ =
        tr("The limits of “%1” are as they were: %2").arg(QString::fromStdString(topic), why);
    notice_->showMessage(Theme::Meaning::Bad, refusal_, refusal_);
}

bool TopicsPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == table_->viewport() && event->type() == QEvent::Resize) {
        fitColumns();
    }
    return StorePage::eventFilter(watched, event);
}

/// Columns that have no room go, in the order of kGoFirst; the bar has what is left.
void TopicsPage::fitColumns()
{
    if (std::exchange(fitting_, true)) {
        return;
    }
    auto* header = table_->horizontalHeader();
    for (int column = 0; column < model_.columnCount(); ++column) {
        header->setSectionHidden(column, false);
    }
    const auto leastBar = fontMetrics().averageCharWidth() * 24;
    auto wanted = leastBar;
    for (int column = 0; column < model_.columnCount(); ++column) {
        wanted += column == TopicsModel::Jobs ? 0 : header->sectionSize(column);
    }
    const auto gone = [&](int column) {
        wanted -= header->sectionSize(column);
        header->setSectionHidden(column, true);
    };
    for (const auto column : kGoFirst) {
        if (wanted > table_->viewport()->width()) {
            gone(column);
        }
    }
    fitting_ = false;
}

void TopicsPage::clear()
{
    loaded_ = false;
    topics_.clear();
    activity_.reset();
    model_.clear();
    trend_.clear();
}

void TopicsPage::forget()
{
    if (session_ != nullptr) {
        for (const auto requestId : asked_) {
            session_->source().cancel(requestId);
        }
        session_->source().cancel(listAsked_);
        session_->source().cancel(activityAsked_);
    }
    asked_.clear();
    listAsked_ = 0;
    activityAsked_ = 0;
}

void TopicsPage::refresh()
{
    // A slow store is not asked twice at a time.
    if (!isReady() || listAsked_ != 0) {
        return;
    }
    listAsked_ = session_->source().topics(
        {this, [this](Result<std::vector<TopicView>> topics) {
             listAsked_ = 0;
             if (topics) {
                 take(std::move(*topics));
                 return;
             }
             const auto why = QString::fromStdString(topics.error().message);
             notice_->showMessage(Theme::Meaning::Bad,
                                  tr("The topics could not be read: %1").arg(why), why);
             updateStatus();
         }});
}

void TopicsPage::take(std::vector<TopicView> topics)
{
    if (refusal_.isEmpty()) {
        notice_->clear();
    }
    loaded_ = true;
    model_.setEditable(session_->commands().refusal().isEmpty());
    topics_ = std::move(topics);
    showTopics();
    askLateness();
    askActivity();
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
    updateStatus();
    emit selectionChanged();
}

void TopicsPage::askActivity()
{
    if (activityAsked_ != 0) {
        return;
    }
    activityAsked_ = session_->source().activity({this, [this](Result<TopicActivity> activity) {
                                                      activityAsked_ = 0;
                                                      if (activity) {
                                                          activity_ = *activity;
                                                          model_.setActivity(std::move(*activity));
                                                          showTopics();
                                                      }
                                                  }});
}

void TopicsPage::askLateness()
{
    for (const auto requestId : asked_) {
        session_->source().cancel(requestId);
    }
    asked_.clear();
    std::vector<const TopicRow*> waiting;
    for (const auto& row : model_.rows()) {
        if (row.ready != 0) {
            waiting.push_back(&row);
        }
    }
    const auto most = std::min(waiting.size(), kLatenessAsked);
    std::partial_sort(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(most),
                      waiting.end(),
                      [](const auto* a, const auto* b) { return a->ready > b->ready; });
    waiting.resize(most);
    for (const auto* row : waiting) {
        PageRequest request;
        request.view.states = {JobState::Ready};
        // In the filter, too: only ready and scheduled jobs are kept by topic.
        request.view.filter = *JobFilter::parse("state:ready");
        request.view.topic = row->view.topic;
        request.limit = 1;
        const auto topic = row->view.topic;
        asked_.push_back(session_->source().page(
            std::move(request),
            {this, [this, topic](Result<JobRows> oldest) {
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
    const auto topic = chosenTopic();
    SelectionSummary summary;
    summary.topicChosen = topic.has_value();
    summary.topicPaused = topic && topic->pause;
    summary.topicName = topic ? QString::fromStdString(topic->topic) : QString();
    return summary;
}

std::optional<TopicView> TopicsPage::chosenTopic() const
{
    const auto rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty()) {
        return {};
    }
    return model_.row(sorted_->mapToSource(rows.front()).row()).view;
}

std::string TopicsPage::selectedTopic() const
{
    const auto topic = chosenTopic();
    return topic ? topic->topic : std::string{};
}

QWidget* TopicsPage::firstFocus()
{
    return isTableShown() ? static_cast<QWidget*>(table_) : find_;
}

void TopicsPage::showJobs()
{
    if (const auto topic = chosenTopic()) {
        emit filterRequested(QString::fromStdString(filterFor("topic", topic->topic)));
    }
}

void TopicsPage::showMenu(const QPoint& at)
{
    if (!chosenTopic()) {
        return;
    }
    menu_->clear();
    menu_->addAction(jobs_->icon(), jobs_->text(), this, &TopicsPage::showJobs);
    const auto topic = QString::fromStdString(selectedTopic());
    menu_->addAction(icon(QStringLiteral("office-chart-line")), tr("Show in Monitor"), this,
                     [this, topic] { emit chartRequested(topic); });
    menu_->addAction(context_.actions[ActionId::PauseTopic]);
    const auto limit = [this](const QString& text, TopicsModel::Column column) {
        auto* action = menu_->addAction(icon(QStringLiteral("document-edit")), text, this,
                                        [this, column] { editLimit(column); });
        action->setEnabled(session_ != nullptr && session_->commands().refusal().isEmpty());
    };
    limit(tr("Change Concurrency"), TopicsModel::Concurrency);
    limit(tr("Change Rate Limit"), TopicsModel::RateLimit);
    menu_->popup(table_->viewport()->mapToGlobal(at));
}

void TopicsPage::updateStatus()
{
    showLegend();
    legend_->setVisible(sorted_->rowCount() != 0);
    const auto total = model_.rowCount();
    jobs_->setEnabled(chosenTopic().has_value());
    showTable(sorted_->rowCount() != 0);
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
                                tr("None of the topics contains “%1”.").arg(find_->text()),
                                {tr("Show All Topics")}});
    }
}

void TopicsPage::retranslate()
{
    find_->setPlaceholderText(tr("Find a topic"));
    find_->setAccessibleName(tr("Find a topic"));
    jobs_->setText(tr("Show Jobs"));
    jobs_->setToolTip(tr("Show the jobs of this topic"));
    table_->setAccessibleName(tr("Topics"));
    model_.retranslate();
    updateStatus();
}

}  // namespace restante::gui
