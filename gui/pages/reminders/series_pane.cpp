#include "gui/pages/reminders/series_pane.h"

#include "core/base/duration.h"
#include "core/job/job_filter.h"
#include "core/job/message_text.h"
#include "gui/base/preferences.h"
#include "gui/pages/detail/payload_text.h"
#include "gui/pages/page_parts.h"
#include "gui/pages/pane_parts.h"
#include "gui/session/job_preview.h"
#include "gui/theme/elided_label.h"
#include "gui/theme/entry_list.h"
#include "gui/theme/icons.h"
#include "gui/theme/link_button.h"
#include "gui/theme/table_style.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QAbstractTextDocumentLayout>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTimeZone>
#include <QVBoxLayout>

#include <algorithm>

namespace restante::gui {

namespace {

/// Of a text that a reminder has: more is read in the job.
constexpr qsizetype kMostLetters = 4'000;

/// A quiet name and what it is; nothing of both when that is empty.
void setFact(const QFormLayout& form, QWidget* field, const QString& name, bool isShown)
{
    if (auto* label = qobject_cast<QLabel*>(form.labelForField(field))) {
        label->setText(name);
        label->setVisible(isShown);
    }
    field->setVisible(isShown);
}

QString shown(const std::string& text)
{
    auto safe = QString::fromStdString(text);
    std::transform(safe.begin(), safe.end(), safe.begin(), visibleSymbol);
    return safe;
}

QString wholeText(const Job& job)
{
    QStringList parts;
    for (const auto& part : readMessage(job.contentType, job.body, job.body.size()).parts) {
        parts.append(part.isText() ? textOf(part) : QStringLiteral("[%1]").arg(nameOf(part)));
    }
    auto text = parts.join(u'\n').left(kMostLetters);
    text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    std::transform(text.begin(), text.end(), text.begin(), visibleSymbol);
    return text;
}

}  // namespace

SeriesPane::SeriesPane(Context context, QWidget* parent) : QWidget(parent), context_(context)
{
    setObjectName(QStringLiteral("seriesPane"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* column = tightVBoxLayout(this);
    column->addWidget(buildHead());
    column->addWidget(separator(this));
    auto* split = makeWidget<QSplitter>("seriesSides", Qt::Horizontal, this);
    split->addWidget(buildFacts());
    auto* side = new QWidget(split);
    auto* times = new QVBoxLayout(side);
    const auto gap = fontMetrics().height() / 2;
    times->setContentsMargins(gap, gap, 0, 0);
    times->setSpacing(gap / 2);
    timesTitle_ = sectionTitle(side, "nextRunsTitle");
    noTimes_ = emptyListLabel(side, "noNextRuns");
    times_ = makeWidget<EntryList>("nextRuns", side);
    times_->setSelectionMode(QAbstractItemView::NoSelection);
    times->addWidget(timesTitle_);
    times->addWidget(noTimes_, 1);
    times->addWidget(times_, 1);
    split->addWidget(side);
    setupSplitter(*split, context_.preferences, QStringLiteral("reminders/sides"));
    column->addWidget(split, 1);
    retranslate();
}

QWidget* SeriesPane::buildHead()
{
    auto* head = new QWidget(this);
    auto* column = spacedVBoxLayout(head);
    const auto gap = fontMetrics().height() / 2;
    auto* first = new QHBoxLayout;
    title_ = makeWidget<ElidedLabel>("seriesTitle", head);
    applyHeadingFont(*title_);
    first->addWidget(title_, 1);
    const auto button = [&](const char* name, const char* iconName) {
        auto* made = makeWidget<QPushButton>(name, head);
        made->setIcon(icon(QString::fromLatin1(iconName)));
        first->addWidget(made);
        return made;
    };
    skip_ = button("skipNext", "go-next");
    pause_ = button("pauseSeries", "media-playback-pause");
    edit_ = button("editSeries", "document-properties");
    cancel_ = button("cancelSeries", "user-trash");
    jobs_ = button("jobsOfSeries", "view-list-details");
    column->addLayout(first);
    auto* second = new QHBoxLayout;
    stateIcon_ = new QLabel(head);
    state_ = plainLabel(head, "seriesState");
    rule_ = makeWidget<ElidedLabel>("seriesRule", head);
    second->addWidget(stateIcon_);
    second->addWidget(state_);
    second->addSpacing(gap);
    second->addWidget(rule_, 1);
    column->addLayout(second);
    problem_ = wrappedLabel(head, "seriesProblem");
    problem_->setAutoFillBackground(true);
    problem_->setMargin(gap / 2);
    column->addWidget(problem_);

    connect(skip_, &QPushButton::clicked, this, &SeriesPane::skipRequested);
    connect(pause_, &QPushButton::clicked, this, [this] {
        row_ && row_->view.isPaused() ? emit resumeRequested() : emit pauseRequested();
    });
    connect(edit_, &QPushButton::clicked, this, &SeriesPane::editRequested);
    connect(cancel_, &QPushButton::clicked, this, &SeriesPane::cancelRequested);
    connect(jobs_, &QPushButton::clicked, this, [this] {
        if (row_) {
            emit filterRequested(
                QString::fromStdString(filterFor("biz_key", row_->view.job.job.bizKey)));
        }
    });
    return head;
}

QWidget* SeriesPane::buildFacts()
{
    auto* part = new QWidget(this);
    auto* column = spacedVBoxLayout(part);
    const auto gap = fontMetrics().height() / 2;
    textTitle_ = sectionTitle(part, "seriesTextTitle");
    text_ = makeWidget<QPlainTextEdit>("seriesText", part);
    text_->setReadOnly(true);
    text_->setTabChangesFocus(true);
    text_->setFrameShape(QFrame::NoFrame);
    text_->document()->setDocumentMargin(0);
    textTitle_->setBuddy(text_);
    column->addWidget(textTitle_);
    // As tall as what it says, up to what is left.
    text_->setMinimumHeight(text_->fontMetrics().lineSpacing());
    text_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    connect(text_->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
            text_, [text = text_](const QSizeF& lines) {
                text->setMaximumHeight(text->fontMetrics().lineSpacing() *
                                           std::max(1, static_cast<int>(lines.height())) +
                                       4);
            });
    column->addWidget(text_, 1);
    facts_ = new QFormLayout;
    facts_->setHorizontalSpacing(gap * 2);
    facts_->setVerticalSpacing(gap / 2);
    const auto add = [&](QWidget* field) {
        auto* name = plainLabel(part);
        name->setForegroundRole(QPalette::PlaceholderText);
        facts_->addRow(name, field);
        return field;
    };
    last_ = makeWidget<LinkButton>("lastRun", LinkButton::Look::Accent, part);
    last_->setElided(true);
    add(last_);
    lastWhy_ = wrappedLabel(part, "lastRunWhy");
    add(lastWhy_);
    add(ends_ = plainLabel(part, "seriesEnds"));
    add(channel_ = plainLabel(part, "seriesChannel"));
    add(sender_ = makeWidget<ElidedLabel>("seriesSender", part));
    add(key_ = makeWidget<ElidedLabel>("seriesKey", part));
    column->addLayout(facts_);
    column->addStretch(0);
    connect(last_, &LinkButton::clicked, this, [this] {
        if (row_ && row_->view.last) {
            emit jobRequested(row_->view.last->id);
        }
    });
    return part;
}

void SeriesPane::setContent(const SeriesRow& row, TimePoint now)
{
    if (!row_ || row_->id() != row.id()) {
        times_->scrollToTop();
    }
    row_ = row;
    now_ = now;
    reformat();
}

void SeriesPane::clear()
{
    row_.reset();
    text_->clear();
    times_->setEntries({});
}

void SeriesPane::setRefusal(const QString& refusal)
{
    refusal_ = refusal;
    showButtons();
}

void SeriesPane::reformat()
{
    if (!row_) {
        return;
    }
    showFacts();
    showTimes();
    showButtons();
}

void SeriesPane::showFacts()
{
    const auto& view = row_->view;
    const SeriesText texts(context_.preferences);
    title_->setWhole(SeriesText::person(view.job.job.recipient),
                     literalTip(QString::fromStdString(view.job.job.recipient)));
    const auto standing = SeriesText::statusOf(view, now_);
    const auto side = style()->pixelMetric(QStyle::PM_SmallIconSize);
    stateIcon_->setPixmap(icon(standing.icon).pixmap(QSize(side, side), devicePixelRatioF()));
    auto ink = palette();
    for (const auto role : {QPalette::WindowText, QPalette::Text}) {
        ink.setColor(role, standing.ink);
    }
    state_->setPalette(ink);
    state_->setText(standing.word);
    state_->setToolTip(literalTip(standing.tip));
    rule_->setWhole(view.series ? texts.ruleAndZone(*view.series) : QString(),
                    view.series ? literalTip(QString::fromStdString(view.series->rule))
                                : QString());
    // What stops it, or that it is late, is the first thing to read.
    const bool isWell = view.isPaused() || standing.tip.isEmpty();
    problem_->setVisible(!isWell);
    problem_->setText(standing.tip);
    applyTint(*problem_, Theme::tint(Theme::Meaning::Bad));

    const auto text = view.series ? wholeText(view.series->job) : QString();
    if (text != text_->toPlainText()) {
        text_->setPlainText(text);
    }
    QString last = tr("none yet");
    QString why;
    if (view.last) {
        const auto fate = SeriesText::lastRunStatus(*view.last, row_->absent);
        last = tr("%1 · %2", "what became of it, when")
                   .arg(fate.word, TimeText(context_.preferences).brief(view.last->at, now_));
        why = fate.tip;
    }
    const bool leads = view.last && view.last->job;
    last_->setContent(last, tr("The last result: %1").arg(last),
                      leads ? tr("Show this job") : last);
    last_->setEnabled(leads);
    lastWhy_->setText(why);
    setFact(*facts_, last_, tr("Last result"), true);
    setFact(*facts_, lastWhy_, {}, !why.isEmpty());
    const auto& series = view.series;
    const auto ending = series ? texts.ending(*series) : QString();
    ends_->setText(ending);
    setFact(*facts_, ends_, tr("Ends"), !ending.isEmpty());
    channel_->setText(series ? Theme::channelName(series->job.channel) : QString());
    setFact(*facts_, channel_, tr("Sent by"), series.has_value());
    sender_->setText(QString());
    static_cast<ElidedLabel*>(sender_)->setWhole(series ? shown(series->job.sender) : QString());
    setFact(*facts_, sender_, tr("From"), series && !series->job.sender.empty());
    static_cast<ElidedLabel*>(key_)->setWhole(shown(view.job.job.bizKey));
    setFact(*facts_, key_, tr("Key"), !view.job.job.bizKey.empty());
}

void SeriesPane::showTimes()
{
    const auto& view = row_->view;
    const SeriesText texts(context_.preferences);
    const auto here = zoneOf(context_.preferences);
    std::vector<Entry> entries;
    for (const auto at : view.next) {
        const auto there = view.series ? texts.zoneOf(*view.series) : here;
        Entry entry;
        entry.key = std::to_string(toEpochMs(at));
        entry.title = texts.timeInZone(at, there);
        const auto away = TimeText::relative(at, now_);
        const auto moment = QDateTime::fromMSecsSinceEpoch(toEpochMs(at), here);
        const bool isSameClock =
            there.offsetFromUtc(moment) == here.offsetFromUtc(moment) || !view.series;
        entry.detail = isSameClock ? away
                                   : tr("%1 · here %2", "how far away, the time on our clocks")
                                         .arg(away, texts.timeInZone(at, here));
        entry.tip = TimeText(context_.preferences).exact(at);
        entries.push_back(std::move(entry));
    }
    QString none;
    if (entries.empty()) {
        none = view.problem.empty() ? tr("It has come to its end: nothing is sent any more.")
                                    : tr("Its times are not known.");
    }
    timesTitle_->setText(view.isPaused() ? tr("If it is resumed now") : tr("Next times"));
    showListOrText(noTimes_, times_, none);
    times_->setEntries(std::move(entries));
}

void SeriesPane::showButtons()
{
    const bool isPaused = row_ && row_->view.isPaused();
    pause_->setText(isPaused ? tr("Resume") : tr("Pause"));
    pause_->setIcon(icon(isPaused ? QStringLiteral("media-playback-start")
                                  : QStringLiteral("media-playback-pause")));
    if (!row_) {
        return;
    }
    const auto& view = row_->view;
    const bool isInLane =
        view.job.state == JobState::Scheduled || view.job.state == JobState::Ready;
    const auto enable = [this](QPushButton* button, bool fits, const QString& tip) {
        button->setEnabled(fits && refusal_.isEmpty());
        button->setToolTip(refusal_.isEmpty() ? tip : refusal_);
    };
    enable(skip_, isInLane && view.next.size() > 1,
           tr("Leave the next time out, and go on with the one after it"));
    enable(pause_, isPaused ? !view.next.empty() : isInLane,
           isPaused ? tr("Go on with the next time that is to come; what was missed is not sent")
                    : tr("Send nothing until it is resumed"));
    enable(edit_, view.series.has_value(), tr("Change whom, when and what"));
    enable(cancel_, view.job.state != JobState::Leased,
           tr("Move it to the trash, with what of it has not been delivered"));
}

void SeriesPane::retranslate()
{
    skip_->setText(tr("Skip Next"));
    edit_->setText(tr("Edit…"));
    cancel_->setText(tr("Cancel It"));
    jobs_->setText(tr("Show Jobs"));
    jobs_->setToolTip(tr("Show the job that stands for it and those it has sent"));
    textTitle_->setText(tr("Text"));
    text_->setAccessibleName(tr("Text of the reminder"));
    times_->setAccessibleName(tr("Next times"));
    showButtons();
    reformat();
}

}  // namespace restante::gui
