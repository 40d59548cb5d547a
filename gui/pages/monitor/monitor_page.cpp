#include "gui/pages/monitor/monitor_page.h"

#include "gui/base/file_writer.h"
#include "gui/base/preferences.h"
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
#include <utility>

namespace restante::gui {

namespace {

std::vector<ChartBox::Entry> flowEntries()
{
    return {{Line::Pushed, QColor(0x1f, 0x5f, 0xbf), QColor(0x7a, 0xb0, 0xf5), Qt::SolidLine},
            {Line::Finished, QColor(0x25, 0x6b, 0x35), QColor(0x7f, 0xd1, 0x93), Qt::SolidLine},
            {Line::Retried, QColor(0x7a, 0x52, 0x00), QColor(0xe5, 0xb9, 0x5c), Qt::DashLine},
            {Line::Failed, QColor(0xb3, 0x26, 0x1e), QColor(0xff, 0x8f, 0x86), Qt::DotLine}};
}

std::vector<ChartBox::Entry> backlogEntries()
{
    std::vector<ChartBox::Entry> entries;
    const std::pair<Line, JobState> lines[] = {{Line::Dead, JobState::Dead},
                                               {Line::Held, JobState::Held},
                                               {Line::Ready, JobState::Ready},
                                               {Line::Leased, JobState::Leased},
                                               {Line::Scheduled, JobState::Scheduled}};
    for (const auto& [line, state] : lines) {
        entries.push_back({line, Theme::style(state, Scheme::Light).series,
                           Theme::style(state, Scheme::Dark).series, Qt::SolidLine});
    }
    return entries;
}

std::vector<ChartBox::Entry> latenessEntries()
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
    auto* column = tightColumn(this);
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
        showRange(static_cast<std::size_t>(at));
    });
    topic_ = makeWidget<QComboBox>("monitorTopic", this);
    topic_->setMinimumContentsLength(16);
    topic_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    topic_->addItem(QString(), QString());
    channel_ = makeWidget<QComboBox>("monitorChannel", this);
    channel_->addItem(QString());
    for (const auto channel : {Channel::Sip, Channel::Sms, Channel::Webhook, Channel::Pull}) {
        channel_->addItem(Theme::channelName(channel), static_cast<int>(channel));
    }
    export_ = new QPushButton(icon(QStringLiteral("document-save-as")), {}, this);
    bar->addSpacing(12);
    bar->addWidget(topic_);
    bar->addSpacing(4);
    bar->addWidget(channel_);
    bar->addStretch(1);
    bar->addWidget(export_);
    at_ = wrappedLabel(this, "monitorSays");
    at_->setContentsMargins(8, 0, 8, 4);
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->addLayout(bar);
    column->addWidget(at_);
}

void MonitorPage::buildCharts()
{
    auto* box = new QWidget(splitter_);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    charts_ = {new ChartBox(Chart::Unit::JobsPerSecond, Chart::Form::Lines, flowEntries(), box),
               new ChartBox(Chart::Unit::Jobs, Chart::Form::Stacked, backlogEntries(), box),
               new ChartBox(Chart::Unit::Length, Chart::Form::Lines, latenessEntries(), box)};
    for (auto* chart : charts_) {
        column->addWidget(chart, 1);
        connect(&chart->chart(), &Chart::cursorStepMoved, this, &MonitorPage::point);
    }
    charts_.back()->chart().setAxisWritten(true);
    splitter_->addWidget(box);
}

void MonitorPage::buildTable()
{
    numbers_ = new MonitorModel(
        context_.preferences,
        [this](Line line, std::optional<double> value) { return written(line, value); }, this);
    view_ = makeWidget<QTableView>("monitorTable", splitter_);
    view_->setModel(numbers_);
    applyTableStyle(*view_);
    view_->setSelectionMode(QAbstractItemView::SingleSelection);
    std::vector<int> letters(static_cast<std::size_t>(numbers_->columnCount()), 14);
    letters.front() = 24;
    resizeColumns(*view_, letters);
    rememberHeader(*view_->horizontalHeader(), context_.preferences,
                   QStringLiteral("monitor/header"));
    splitter_->addWidget(view_);
}

void MonitorPage::connectAll()
{
    connect(&watch_, &MonitorWatch::sampled, this, [this] {
        if (std::exchange(failed_, false)) {
            notice_->clear();
        }
    });
    connect(&watch_, &MonitorWatch::dataChanged, this, [this] {
        if (isVisible()) {
            draw();
        }
    });
    connect(&watch_, &MonitorWatch::failed, this, &MonitorPage::fail);
    connect(&watch_, &MonitorWatch::topicsChanged, this, &MonitorPage::listTopics);
    connect(topic_, &QComboBox::activated, this, &MonitorPage::chooseShare);
    connect(channel_, &QComboBox::activated, this, &MonitorPage::chooseShare);
    connect(notice_, &MessageBar::retryWanted, this, &MonitorPage::refresh);
    connect(export_, &QPushButton::clicked, this, &MonitorPage::askForFile);
    connect(&context_.preferences, &Preferences::changed, this, &MonitorPage::draw);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (!row.isValid() || !view_->hasFocus()) {
                    return;
                }
                const auto from = points_.size() - 1;
                point(from - static_cast<std::size_t>(row.row()));
            });
}

void MonitorPage::open(StoreSession* session)
{
    session_ = session;
    notice_->clear();
    failed_ = false;
    watch_.open(session);
    listTopics();
    chooseShare();
    draw();
}

void MonitorPage::refresh()
{
    watch_.refresh();
    watch_.retryPast();
}

/// The chosen topic stays listed, though nothing of it may wait now.
void MonitorPage::listTopics()
{
    const auto chosen = topic_->currentData().toString();
    while (topic_->count() > 1) {
        topic_->removeItem(1);
    }
    bool listed = chosen.isEmpty();
    for (const auto& topic : watch_.topics()) {
        const auto name = QString::fromStdString(topic);
        topic_->addItem(Theme::topicName(topic), name);
        listed = listed || name == chosen;
    }
    if (!listed && session_ != nullptr) {
        topic_->addItem(chosen, chosen);
    }
    topic_->setCurrentIndex(std::max(0, topic_->findData(chosen)));
}

void MonitorPage::showTopic(const QString& topic)
{
    if (topic_->findData(topic) < 0) {
        topic_->addItem(topic, topic);
    }
    topic_->setCurrentIndex(topic_->findData(topic));
    channel_->setCurrentIndex(0);
    chooseShare();
}

void MonitorPage::chooseShare()
{
    JobScope scope;
    scope.topic = topic_->currentData().toString().toStdString();
    if (const auto channel = channel_->currentData(); channel.isValid()) {
        scope.channel = static_cast<Channel>(channel.toInt());
    }
    watch_.choose(std::move(scope));
    draw();
}

void MonitorPage::fail(const Error& error)
{
    failed_ = true;
    const auto why = QString::fromStdString(error.message);
    notice_->showMessage(Theme::Meaning::Bad, tr("The store could not be watched: %1").arg(why),
                         why);
}

void MonitorPage::showRange(std::size_t index)
{
    range_ = index < kTimeRanges.size() ? index : 0;
    for (std::size_t at = 0; at < rangeButtons_.size(); ++at) {
        rangeButtons_[at]->setChecked(at == range_);
        auto font = rangeButtons_[at]->font();
        font.setBold(at == range_);  // the frame alone is hard to see in the dark
        rangeButtons_[at]->setFont(font);
    }
    for (auto* box : charts_) {
        box->chart().setCursorStep({});
    }
    watch_.setRange(range_);
    draw();
}

void MonitorPage::draw()
{
    points_ = watch_.points();
    for (auto* box : charts_) {
        box->chart().setZone(zoneOf(context_.preferences));
        box->setContent(points_, kTimeRanges[range_].step);
    }
    numbers_->setContent(points_);
    export_->setEnabled(numbers_->rowCount() != 0);
    updateStatus();
}

void MonitorPage::point(std::optional<std::size_t> step)
{
    for (auto* box : charts_) {
        box->chart().setCursorStep(step);
        box->updateValues();
    }
    updateStatus();
}

void MonitorPage::updateStatus()
{
    const auto text = stateText();
    at_->setText(text);
    at_->setToolTip(pastText());
    emit statusTextChanged(text);
}

QString MonitorPage::stateText() const
{
    const TimeText times(context_.preferences);
    const auto cursor = charts_.front()->chart().cursorStep();
    if (cursor && *cursor < points_.size()) {
        return tr("At %1").arg(times.absolute(points_[*cursor].at));
    }
    if (session_ == nullptr) {
        return tr("Not connected");
    }
    if (!watch_.since()) {
        return tr("Waiting for the first numbers…");
    }
    return tr("Watching since %1").arg(times.absolute(*watch_.since())) + QStringLiteral(" · ") +
           pastText();
}

/// Where the figures come from that nobody here has watched.
QString MonitorPage::pastText() const
{
    using Kind = MonitorWatch::PastState::Kind;
    const auto& past = watch_.past();
    const bool all = watch_.scope().isAll();
    switch (past.kind) {
    case Kind::Asked: return tr("reading the journal for what was before…");
    case Kind::Known: return knownText();
    case Kind::Missing:
        return all ? tr("nothing is known of before: %1").arg(past.problem)
                   : tr("in and out of some jobs only the journal knows: %1").arg(past.problem);
    case Kind::Unasked: break;
    }
    return tr("nothing is known of before");
}

QString MonitorPage::knownText() const
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

QString MonitorPage::written(Line line, std::optional<double> value) const
{
    const std::size_t box = line <= Line::Failed ? 0 : line <= Line::Dead ? 1 : 2;
    return charts_[box]->chart().valueText(value);
}

void MonitorPage::askForFile()
{
    fileDialog({.name = "monitorExportDialog",
                .title = tr("Export the Numbers"),
                .start = QStringLiteral("monitor.csv"),
                .filter = tr("Comma-separated values (*.csv)"),
                .mode = QFileDialog::AcceptSave,
                .suffix = QStringLiteral("csv")},
               this, [this](const QString& file) { exportTo(file); })
        ->open();
}

void MonitorPage::exportTo(const QString& file)
{
    const std::vector<SeriesPoint> shown(numbers_->rows().rbegin(), numbers_->rows().rend());
    const auto rows = static_cast<int>(shown.size());
    writeFile(file, csvOf(shown).toStdString(), this, [this, file, rows](const QString& problem) {
        if (problem.isEmpty()) {
            notice_->showMessage(Theme::Meaning::Good,
                                 tr("%n row(s) written to %1", "", rows).arg(file));
        } else {
            notice_->showMessage(Theme::Meaning::Bad,
                                 tr("%1 could not be written: %2").arg(file, problem));
        }
    });
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
    export_->setText(tr("Export…"));
    export_->setToolTip(tr("Write the numbers of the table to a file"));
    topic_->setItemText(0, tr("All topics"));
    topic_->setAccessibleName(tr("Topic"));
    topic_->setToolTip(tr("Draw only the jobs of one topic"));
    channel_->setItemText(0, tr("All channels"));
    channel_->setAccessibleName(tr("Channel"));
    channel_->setToolTip(tr("Draw only the jobs of one channel"));
    for (int at = 1; at < channel_->count(); ++at) {
        channel_->setItemText(
            at, Theme::channelName(static_cast<Channel>(channel_->itemData(at).toInt())));
    }
    charts_[0]->setTitle(tr("In and out"));
    charts_[1]->setTitle(tr("Backlog by state"));
    charts_[2]->setTitle(tr("Lateness of ready jobs"));
    view_->setAccessibleName(tr("The numbers of the charts"));
    numbers_->retranslate();
    updateStatus();
}

void MonitorPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        draw();
    }
    if (event->type() == QEvent::ApplicationPaletteChange) {
        draw();
    }
    Page::changeEvent(event);
}

void MonitorPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    draw();
}

}  // namespace restante::gui
