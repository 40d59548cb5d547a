#include "gui/pages/monitor/monitor_page.h"

#include "gui/actions/action_registry.h"
#include "gui/base/file_writer.h"
#include "gui/base/preferences.h"
#include "gui/operations/audit_texts.h"
#include "gui/pages/monitor/range_dialog.h"
#include "gui/pages/page_parts.h"
#include "gui/session/store_session.h"
#include "gui/theme/icons.h"
#include "gui/theme/message_bar.h"
#include "gui/theme/saved_layout.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace restante::gui {

namespace {

const auto kMarksKey = QStringLiteral("monitor/marks");

std::vector<ChartBox::LegendEntry> flowEntries()
{
    return {{Line::Pushed, QColor(0x1f, 0x5f, 0xbf), QColor(0x7a, 0xb0, 0xf5), Qt::SolidLine},
            {Line::Finished, QColor(0x25, 0x6b, 0x35), QColor(0x7f, 0xd1, 0x93), Qt::SolidLine},
            {Line::Retried, QColor(0x7a, 0x52, 0x00), QColor(0xe5, 0xb9, 0x5c), Qt::DashLine},
            {Line::Failed, QColor(0xb3, 0x26, 0x1e), QColor(0xff, 0x8f, 0x86), Qt::DotLine}};
}

std::vector<ChartBox::LegendEntry> backlogEntries()
{
    std::vector<ChartBox::LegendEntry> entries;
    const std::pair<Line, JobState> lines[] = {{Line::Dead, JobState::Dead},
                                               {Line::Held, JobState::Held},
                                               {Line::Ready, JobState::Ready},
                                               {Line::Leased, JobState::Leased},
                                               {Line::Scheduled, JobState::Scheduled}};
    for (const auto& [line, state] : lines) {
        entries.push_back({line, Theme::style(state, Scheme::Light).chartColor,
                           Theme::style(state, Scheme::Dark).chartColor, Qt::SolidLine});
    }
    return entries;
}

std::vector<ChartBox::LegendEntry> latenessEntries()
{
    return {{Line::LatenessP50, QColor(0x0f, 0x6f, 0x6b), QColor(0x5f, 0xd0, 0xc8), Qt::SolidLine},
            {Line::LatenessP95, QColor(0x7a, 0x52, 0x00), QColor(0xe5, 0xb9, 0x5c), Qt::DashLine},
            {Line::LatenessP99, QColor(0xb3, 0x26, 0x1e), QColor(0xff, 0x8f, 0x86), Qt::DotLine}};
}

}  // namespace

MonitorPage::MonitorPage(Context context, QWidget* parent) : Page(parent), context_(context)
{
    setObjectName(QStringLiteral("monitorPage"));
    build();
    connectAll();
    retranslate();
    showRange(static_cast<std::size_t>(
        context_.preferences.value(QStringLiteral("monitor/window"), 0).toInt()));
}

void MonitorPage::build()
{
    auto* column = tightVBoxLayout(this);
    notice_ = makeWidget<MessageBar>("monitorNotice", this);
    column->addWidget(notice_);
    buildBar();
    splitter_ = makeWidget<QSplitter>("monitorSplitter", Qt::Vertical, this);
    splitter_->setChildrenCollapsible(false);
    buildCharts();
    buildTable();
    splitter_->setSizes({560, 200});
    splitter_->setStretchFactor(0, 3);
    splitter_->setStretchFactor(1, 1);
    rememberSplitter(*splitter_, context_.preferences, QStringLiteral("monitor/splitter"));
    column->addWidget(splitter_, 1);
}

void MonitorPage::buildBar()
{
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->setSpacing(2);
    auto* group = new QButtonGroup(this);
    for (std::size_t at = 0; at < kTimeRanges.size(); ++at) {
        auto* button = new QToolButton(this);
        button->setCheckable(true);
        group->addButton(button, static_cast<int>(at));
        rangeButtons_[at] = button;
        bar->addWidget(button);
    }
    connect(group, &QButtonGroup::idClicked, this, [this](int at) {
        context_.preferences.setValue(QStringLiteral("monitor/window"), at);
        watch_.setZoom({});
        showRange(static_cast<std::size_t>(at));
    });
    rangeButton_ = makeWidget<QToolButton>("monitorRange", this);
    rangeButton_->setIcon(icon(QStringLiteral("chart-range")));
    rangeButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    rangeButton_->setCheckable(true);
    connect(rangeButton_, &QToolButton::clicked, this, &MonitorPage::askForRange);
    liveButton_ = makeWidget<QToolButton>("monitorLive", this);
    liveButton_->setIcon(icon(QStringLiteral("chart-live")));
    liveButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    liveButton_->hide();
    connect(liveButton_, &QToolButton::clicked, this, &MonitorPage::resetZoom);
    bar->addWidget(rangeButton_);
    bar->addWidget(liveButton_);
    topicBox_ = makeWidget<QComboBox>("monitorTopic", this);
    topicBox_->setMinimumContentsLength(8);  // for a narrow window; grows in a wide one
    topicBox_->setMaximumWidth(fontMetrics().averageCharWidth() * 28);
    topicBox_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    topicBox_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    topicBox_->addItem(QString(), QString());
    channelBox_ = makeWidget<QComboBox>("monitorChannel", this);
    channelBox_->addItem(QString());
    for (const auto channel : {Channel::Sip, Channel::Sms, Channel::Webhook, Channel::Pull}) {
        channelBox_->addItem(Theme::channelName(channel), static_cast<int>(channel));
    }
    exportButton_ = new QPushButton(icon(QStringLiteral("document-save-as")), {}, this);
    bar->addSpacing(12);
    bar->addWidget(topicBox_, 2);
    bar->addSpacing(4);
    bar->addWidget(channelBox_);
    bar->addStretch(1);
    bar->addWidget(exportButton_);
    statusLine_ = wrappedLabel(this, "monitorStatus");
    statusLine_->setContentsMargins(8, 0, 8, 4);
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->addLayout(bar);
    column->addWidget(statusLine_);
}

void MonitorPage::buildCharts()
{
    auto* box = new QWidget(splitter_);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    charts_ = {new ChartBox(Chart::Unit::JobsPerSecond, Chart::Form::Lines, flowEntries(), box),
               new ChartBox(Chart::Unit::Jobs, Chart::Form::Stacked, backlogEntries(), box),
               new ChartBox(Chart::Unit::Duration, Chart::Form::Lines, latenessEntries(), box)};
    for (auto* chart : charts_) {
        column->addWidget(chart, 1);
        connectChart(chart->chart());
    }
    charts_.back()->chart().setAxisLabelsVisible(true);
    splitter_->addWidget(box);
}

void MonitorPage::connectChart(Chart& chart)
{
    connect(&chart, &Chart::cursorStepMoved, this, &MonitorPage::setCursor);
    connect(&chart, &Chart::bandMoved, this, [this](const Chart::Band& band) {
        for (auto* box : charts_) {
            box->chart().setBand(band);
        }
    });
    connect(&chart, &Chart::rangeRequested, this, [this](TimePoint from, TimePoint to) {
        zoomTo({from, to});
    });
    connect(&chart, &Chart::zoomRequested, this, &MonitorPage::zoomAround);
    connect(&chart, &Chart::panRequested, this, &MonitorPage::pan);
    connect(&chart, &Chart::resetRequested, this, &MonitorPage::resetZoom);
    // For the right button and the menu key.
    chart.setContextMenuPolicy(Qt::ActionsContextMenu);
    for (const auto id :
         {ActionId::ResetZoom, ActionId::ChartRange, ActionId::ChartMarks, ActionId::ExportChart}) {
        chart.addAction(context_.actions[id]);
    }
}

void MonitorPage::connectActions()
{
    auto& actions = context_.actions;
    auto* marksAction = actions[ActionId::ChartMarks];
    marksAction->setChecked(context_.preferences.value(kMarksKey, true).toBool());
    connect(marksAction, &QAction::toggled, this, [this](bool on) {
        context_.preferences.setValue(kMarksKey, on);
        if (!on) {
            markWatch_.clear();
        }
        refreshCharts();
    });
    connect(&markWatch_, &MarkWatch::changed, this, &MonitorPage::showMarks);
    connect(actions[ActionId::ChartRange], &QAction::triggered, this, &MonitorPage::askForRange);
    connect(actions[ActionId::ResetZoom], &QAction::triggered, this, &MonitorPage::resetZoom);
    connect(actions[ActionId::ExportChart], &QAction::triggered, this, &MonitorPage::askForPicture);
}

void MonitorPage::buildTable()
{
    model_ = new MonitorModel(
        context_.preferences,
        [this](Line line, std::optional<double> value) { return valueText(line, value); }, this);
    table_ = makeWidget<QTableView>("monitorTable", splitter_);
    table_->setModel(model_);
    applyTableStyle(*table_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    std::vector<int> charWidths(static_cast<std::size_t>(model_->columnCount()), 14);
    charWidths.front() = 24;
    resizeColumns(*table_, charWidths);
    rememberHeader(*table_->horizontalHeader(), context_.preferences,
                   QStringLiteral("monitor/header"));
    splitter_->addWidget(table_);
}

void MonitorPage::connectAll()
{
    connectActions();
    connect(&watch_, &MonitorWatch::sampled, this, [this] {
        if (std::exchange(hasFailed_, false)) {
            notice_->clear();
        }
    });
    connect(&watch_, &MonitorWatch::dataChanged, this, [this] {
        if (isVisible()) {
            refreshCharts();
        }
    });
    connect(&watch_, &MonitorWatch::storeSampled, this, &MonitorPage::sampled);
    connect(&watch_, &MonitorWatch::failed, this, &MonitorPage::showFailure);
    connect(&watch_, &MonitorWatch::topicsChanged, this, &MonitorPage::updateTopicBox);
    connect(topicBox_, &QComboBox::activated, this, &MonitorPage::applyScope);
    connect(channelBox_, &QComboBox::activated, this, &MonitorPage::applyScope);
    connect(notice_, &MessageBar::retryRequested, this, &MonitorPage::refresh);
    connect(exportButton_, &QPushButton::clicked, this, &MonitorPage::askForCsvFile);
    connect(&context_.preferences, &Preferences::changed, this, &MonitorPage::refreshCharts);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (!row.isValid() || !table_->hasFocus()) {
                    return;
                }
                const auto newestStep = points_.size() - 1;
                setCursor(newestStep - static_cast<std::size_t>(row.row()));
            });
}

void MonitorPage::open(StoreSession* session)
{
    session_ = session;
    notice_->clear();
    hasFailed_ = false;
    watch_.setZoom({});
    watch_.open(session);
    markWatch_.open(session);
    updateTopicBox();
    applyScope();
    refreshCharts();
}

void MonitorPage::refresh()
{
    watch_.refresh();
    watch_.retryPast();
}

/// Keeps the chosen topic in the list even when none of its jobs waits.
void MonitorPage::updateTopicBox()
{
    const auto selected = topicBox_->currentData().toString();
    while (topicBox_->count() > 1) {
        topicBox_->removeItem(1);
    }
    bool isListed = selected.isEmpty();
    for (const auto& topic : watch_.topics()) {
        const auto name = QString::fromStdString(topic);
        topicBox_->addItem(Theme::topicName(topic), name);
        isListed = isListed || name == selected;
    }
    if (!isListed && session_ != nullptr) {
        topicBox_->addItem(selected, selected);
    }
    topicBox_->setCurrentIndex(std::max(0, topicBox_->findData(selected)));
}

void MonitorPage::showTopic(const QString& topic)
{
    if (topicBox_->findData(topic) < 0) {
        topicBox_->addItem(topic, topic);
    }
    topicBox_->setCurrentIndex(topicBox_->findData(topic));
    channelBox_->setCurrentIndex(0);
    applyScope();
}

void MonitorPage::applyScope()
{
    JobScope scope;
    scope.topic = topicBox_->currentData().toString().toStdString();
    if (const auto channel = channelBox_->currentData(); channel.isValid()) {
        scope.channel = static_cast<Channel>(channel.toInt());
    }
    watch_.setScope(std::move(scope));
    refreshCharts();
}

void MonitorPage::showFailure(const Error& error)
{
    hasFailed_ = true;
    const auto message = QString::fromStdString(error.message);
    notice_->showMessage(Theme::Severity::Bad,
                         tr("The store could not be watched: %1").arg(message), message);
}

void MonitorPage::showRange(std::size_t index)
{
    range_ = index < kTimeRanges.size() ? index : 0;
    for (auto* box : charts_) {
        box->chart().setCursorStep({});
    }
    watch_.setRange(range_);
    refreshCharts();
}

TimeSpan MonitorPage::shownSpan() const
{
    const auto now = watch_.now();
    return zoom() ? *zoom() : TimeSpan{now - kTimeRanges[range_].span, now};
}

void MonitorPage::zoomTo(const TimeSpan& span)
{
    const auto length = std::clamp(span.length(), kShortestSpan, kLongestSpan);
    // A span that is too short is extended around its middle, one that is too long is cut.
    auto from = span.from + (span.length() - length) / 2;
    from = std::min(from, watch_.now() - length);
    for (auto* box : charts_) {
        box->chart().setCursorStep({});
    }
    watch_.setZoom(TimeSpan{from, from + length});
    refreshCharts();
}

void MonitorPage::zoomAround(TimePoint centre, double factor)
{
    const auto shown = shownSpan();
    const auto scaled = [factor](Millis length) {
        return Millis{std::llround(static_cast<double>(length.count()) * factor)};
    };
    const TimeSpan span{centre - scaled(centre - shown.from), centre + scaled(shown.to - centre)};
    if (span.length() < kShortestSpan && factor < 1) {
        return;
    }
    zoomTo(span);
}

void MonitorPage::pan(Millis by)
{
    const auto shown = shownSpan();
    zoomTo({shown.from + by, shown.to + by});
}

void MonitorPage::resetZoom()
{
    watch_.setZoom({});
    showRange(range_);
}

void MonitorPage::askForRange()
{
    rangeButton_->setChecked(zoom().has_value());
    auto* dialog = new RangeDialog(context_.preferences, shownSpan(), watch_.now(), window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &RangeDialog::rangeRequested, this, &MonitorPage::zoomTo);
    dialog->open();
}

/// The title of the picture names the chosen topic and channel.
void MonitorPage::exportChart(const QString& file, std::optional<std::size_t> chart)
{
    const TimeText times(context_.preferences);
    const auto span = shownSpan();
    ChartImage image;
    const auto store = session_ == nullptr ? QString() : session_->profile().name;
    QStringList title{store.isEmpty() ? QStringLiteral("Restante") : store};
    for (const auto* choice : {topicBox_, channelBox_}) {
        if (choice->currentIndex() > 0) {
            title.append(choice->currentText());
        }
    }
    image.title = title.join(QStringLiteral(" · "));
    image.range =
        tr("%1 to %2, in steps of %3")
            .arg(times.exact(span.from), times.exact(span.to), TimeText::duration(watch_.step()));
    image.zone = zoneOf(context_.preferences);
    for (std::size_t at = 0; at < charts_.size(); ++at) {
        if (!chart || *chart == at) {
            image.charts.push_back(charts_[at]);
        }
    }
    const bool isSvg = file.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive);
    const auto format = isSvg ? ChartImage::Format::Svg : ChartImage::Format::Png;
    writeAndReport(file, renderCharts(image, format).toStdString(),
                   tr("The picture is in %1").arg(file));
}

/// Writes the file and shows in the message bar `success`, or why it could not be written.
void MonitorPage::writeAndReport(const QString& file, std::string content, const QString& success)
{
    writeFile(file, std::move(content), this, [this, file, success](const QString& problem) {
        const bool isWritten = problem.isEmpty();
        notice_->showMessage(isWritten ? Theme::Severity::Good : Theme::Severity::Bad,
                             isWritten ? success
                                       : tr("%1 could not be written: %2").arg(file, problem));
    });
}

void MonitorPage::askForPicture()
{
    std::optional<std::size_t> selected;
    for (std::size_t at = 0; at < charts_.size(); ++at) {
        if (charts_[at]->chart().hasFocus()) {
            selected = at;
        }
    }
    fileDialog({.name = "chartExportDialog",
                .title = selected ? tr("Export the Chart “%1”").arg(charts_[*selected]->title())
                                  : tr("Export the Charts"),
                .initialPath = QStringLiteral("monitor.png"),
                .filter = tr("Pictures (*.png);;Drawings (*.svg)"),
                .acceptMode = QFileDialog::AcceptSave,
                .defaultSuffix = QStringLiteral("png")},
               this, [this, selected](const QString& file) { exportChart(file, selected); })
        ->open();
}

QString MonitorPage::markText(const std::vector<AuditRow>& rows) const
{
    const TimeText times(context_.preferences);
    const auto action =
        rows.size() == 1 ? auditSentence(rows.front(), times) : auditSentenceOfMany(rows, times);
    const auto& row = rows.front();
    const auto at = times.absolute(rows.back().at);  // the first write, where the mark stands
    return row.reason.isEmpty()
               ? tr("%1: %2", "a time, what was done").arg(at, action)
               : tr("%1: %2 (%3)", "a time, what was done, why").arg(at, action, row.reason);
}

void MonitorPage::showMarks()
{
    std::vector<ChartMark> marks;
    for (const auto& rows : markWatch_.actions()) {
        marks.push_back({rows.back().at, markText(rows)});
    }
    if (markWatch_.isOldestPartial() && !marks.empty()) {
        marks.front().text = tr("At least this: %1", "what was done").arg(marks.front().text);
    }
    for (auto* box : charts_) {
        box->chart().setMarks(marks);
    }
    updateStatusLine();
}

void MonitorPage::refreshCharts()
{
    points_ = watch_.points();
    const bool isZoomed = zoom().has_value();
    for (auto* box : charts_) {
        box->chart().setZone(zoneOf(context_.preferences));
        box->setContent(points_, watch_.step());
    }
    rangeButtons_[0]->group()->setExclusive(!isZoomed);  // then none of them is shown
    for (std::size_t at = 0; at < rangeButtons_.size(); ++at) {
        const bool isShown = at == range_ && !isZoomed;
        rangeButtons_[at]->setChecked(isShown);
        auto font = rangeButtons_[at]->font();
        font.setBold(isShown);  // the frame alone is hard to see in the dark scheme
        rangeButtons_[at]->setFont(font);
    }
    rangeButton_->setChecked(isZoomed);
    auto font = rangeButton_->font();
    font.setBold(isZoomed);
    rangeButton_->setFont(font);
    liveButton_->setVisible(isZoomed);
    if (isVisible() && context_.actions[ActionId::ChartMarks]->isChecked()) {
        markWatch_.requestMarks(shownSpan());
    }
    showMarks();
    model_->setContent(points_);
    exportButton_->setEnabled(model_->rowCount() != 0);
    updateStatusLine();
}

void MonitorPage::setCursor(std::optional<std::size_t> step)
{
    for (auto* box : charts_) {
        box->chart().setCursorStep(step);
        box->updateValues();
    }
    updateStatusLine();
}

void MonitorPage::updateStatusLine()
{
    const auto text = stateText();
    statusLine_->setText(text);
    statusLine_->setToolTip(pastText());
    emit statusTextChanged(text);
}

QString MonitorPage::stateText() const
{
    const TimeText times(context_.preferences);
    const auto cursor = charts_.front()->chart().cursorStep();
    if (cursor && *cursor < points_.size()) {
        QStringList texts{tr("At %1").arg(times.absolute(points_[*cursor].at))};
        for (const auto& mark : charts_.front()->chart().marksAt(*cursor)) {
            texts.append(mark.text);
        }
        return texts.join(QStringLiteral(" · "));
    }
    if (session_ == nullptr) {
        return tr("Not connected");
    }
    if (!watch_.since()) {
        return tr("Waiting for the first numbers…");
    }
    if (zoom()) {
        return zoomText() + QStringLiteral(" · ") + pastText();
    }
    return tr("Watching since %1").arg(times.absolute(*watch_.since())) + QStringLiteral(" · ") +
           pastText();
}

/// The zoomed span, and how far its end is in the past; empty = the charts follow the store.
QString MonitorPage::zoomText() const
{
    if (!zoom()) {
        return {};
    }
    const TimeText times(context_.preferences);
    const auto from = times.absolute(zoom()->from);
    const auto to = times.absolute(zoom()->to);
    const auto behind = std::max(Millis{0}, watch_.now() - zoom()->to);
    return tr("Stays at %1 to %2, in steps of %3, %4 behind now")
        .arg(from, to, TimeText::duration(watch_.step()), TimeText::duration(behind));
}

/// The source of the values before the first sample.
QString MonitorPage::pastText() const
{
    using Kind = MonitorWatch::PastState::Kind;
    const auto& past = watch_.past();
    const bool showsAllJobs = watch_.scope().isAll();
    switch (past.kind) {
    case Kind::Requested: return tr("reading the journal for what was before…");
    case Kind::Known: return knownPastText();
    case Kind::Missing:
        return showsAllJobs
                   ? tr("nothing is known of before: %1").arg(past.problem)
                   : tr("in and out of some jobs only the journal knows: %1").arg(past.problem);
    case Kind::NotRequested: break;
    }
    return tr("nothing is known of before");
}

QString MonitorPage::knownPastText() const
{
    const TimeText times(context_.preferences);
    const auto& past = watch_.past();
    const auto from = times.absolute(past.from);
    QString moves;
    if (!past.problem.isEmpty()) {
        moves = tr("in and out before that are not known: %1").arg(past.problem);
    } else if (watch_.scope().isAll()) {
        moves = tr("in and out before that from the journal, since %1").arg(from);
    } else {
        moves = tr("in and out from the journal, since %1; only ready and scheduled jobs are "
                   "counted by topic and channel")
                    .arg(from);
    }
    const auto backlog =
        past.backlogFrom
            ? tr("backlog and lateness since %1").arg(times.absolute(*past.backlogFrom))
            : tr("no backlog and lateness noted before that");
    return moves + QStringLiteral("; ") + backlog;
}

QString MonitorPage::valueText(Line line, std::optional<double> value) const
{
    const std::size_t box = line <= Line::Failed ? 0 : line <= Line::Dead ? 1 : 2;
    return charts_[box]->chart().valueText(value);
}

void MonitorPage::askForCsvFile()
{
    fileDialog({.name = "monitorExportDialog",
                .title = tr("Export the Numbers"),
                .initialPath = QStringLiteral("monitor.csv"),
                .filter = tr("Comma-separated values (*.csv)"),
                .acceptMode = QFileDialog::AcceptSave,
                .defaultSuffix = QStringLiteral("csv")},
               this, [this](const QString& file) { exportTo(file); })
        ->open();
}

void MonitorPage::exportTo(const QString& file)
{
    const std::vector<MonitorPoint> shown(model_->rows().rbegin(), model_->rows().rend());
    const auto rows = static_cast<int>(shown.size());
    writeAndReport(file, csvOf(shown).toStdString(),
                   tr("%n row(s) written to %1", "", rows).arg(file));
}

void MonitorPage::retranslate()
{
    const std::array<QString, kTimeRanges.size()> names{tr("15 min"), tr("1 h"), tr("6 h"),
                                                        tr("24 h"), tr("7 d")};
    for (std::size_t at = 0; at < names.size(); ++at) {
        rangeButtons_[at]->setText(names[at]);
        rangeButtons_[at]->setAccessibleName(tr("The last %1").arg(names[at]));
        rangeButtons_[at]->setToolTip(tr("The last %1").arg(names[at]));
    }
    rangeButton_->setText(tr("Range…"));
    rangeButton_->setToolTip(
        tr("Choose from when to when. Or drag in a chart; Ctrl and the wheel go "
           "closer, Shift moves, a double click goes back"));
    liveButton_->setText(tr("Live"));
    liveButton_->setAccessibleName(tr("Follow the store again"));
    liveButton_->setToolTip(tr("Follow the store again"));
    exportButton_->setText(tr("Export…"));
    exportButton_->setToolTip(tr("Write the numbers of the table to a file"));
    topicBox_->setItemText(0, tr("All topics"));
    topicBox_->setAccessibleName(tr("Topic"));
    topicBox_->setToolTip(tr("Draw only the jobs of one topic"));
    channelBox_->setItemText(0, tr("All channels"));
    channelBox_->setAccessibleName(tr("Channel"));
    channelBox_->setToolTip(tr("Draw only the jobs of one channel"));
    for (int at = 1; at < channelBox_->count(); ++at) {
        channelBox_->setItemText(
            at, Theme::channelName(static_cast<Channel>(channelBox_->itemData(at).toInt())));
    }
    charts_[0]->setTitle(tr("In and out"));
    charts_[1]->setTitle(tr("Backlog by state"));
    charts_[2]->setTitle(tr("Lateness of ready jobs"));
    table_->setAccessibleName(tr("The numbers of the charts"));
    model_->retranslate();
    updateStatusLine();
}

void MonitorPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        refreshCharts();
    }
    if (event->type() == QEvent::ApplicationPaletteChange) {
        refreshCharts();
    }
    Page::changeEvent(event);
}

void MonitorPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    refreshCharts();
}

}  // namespace restante::gui
