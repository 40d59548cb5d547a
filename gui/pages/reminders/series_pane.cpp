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

/// The detail of the job shows longer texts.
constexpr qsizetype kMaxTextChars = 4'000;

/// Sets the name of a field's row and shows or hides the row.
void setFormRow(const QFormLayout& form, QWidget* field, const QString& name, bool isShown)
{
    if (auto* label = qobject_cast<QLabel*>(form.labelForField(field))) {
        label->setText(name);
        label->setVisible(isShown);
    }
    field->setVisible(isShown);
}

QString visibleText(const std::string& text)
{
    auto safe = QString::fromStdString(text);
    std::transform(safe.begin(), safe.end(), safe.begin(), visibleSymbol);
    return safe;
}

QString shortenedMessageText(const Job& job)
{
    QStringList parts;
    for (const auto& part : readMessage(job.contentType, job.body, job.body.size()).parts) {
        parts.append(part.isText() ? textOf(part) : QStringLiteral("[%1]").arg(nameOf(part)));
    }
    auto text = parts.join(u'\n').left(kMaxTextChars);
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
    column->addWidget(buildHeader());
    column->addWidget(separator(this));
    auto* splitter = makeWidget<QSplitter>("seriesSides", Qt::Horizontal, this);
    splitter->addWidget(buildFields());
    auto* timesPane = new QWidget(splitter);
    auto* timesColumn = new QVBoxLayout(timesPane);
    const auto gap = fontMetrics().height() / 2;
    timesColumn->setContentsMargins(gap, gap, 0, 0);
    timesColumn->setSpacing(gap / 2);
    timesTitle_ = sectionTitle(timesPane, "nextRunsTitle");
    noTimesLabel_ = emptyListLabel(timesPane, "noNextRuns");
    timesList_ = makeWidget<EntryList>("nextRuns", timesPane);
    timesList_->setSelectionMode(QAbstractItemView::NoSelection);
    timesColumn->addWidget(timesTitle_);
    timesColumn->addWidget(noTimesLabel_, 1);
    timesColumn->addWidget(timesList_, 1);
    splitter->addWidget(timesPane);
    setupSplitter(*splitter, context_.preferences, QStringLiteral("reminders/sides"));
    column->addWidget(splitter, 1);
    retranslate();
}

QWidget* SeriesPane::buildHeader()
{
    auto* header = new QWidget(this);
    auto* column = spacedVBoxLayout(header);
    const auto gap = fontMetrics().height() / 2;
    auto* titleRow = new QHBoxLayout;
    titleLabel_ = makeWidget<ElidedLabel>("seriesTitle", header);
    applyHeadingFont(*titleLabel_);
    titleRow->addWidget(titleLabel_, 1);
    const auto addButton = [&](const char* name, const char* iconName) {
        auto* button = makeWidget<QPushButton>(name, header);
        button->setIcon(icon(QString::fromLatin1(iconName)));
        titleRow->addWidget(button);
        return button;
    };
    skipButton_ = addButton("skipNext", "go-next");
    pauseButton_ = addButton("pauseSeries", "media-playback-pause");
    editButton_ = addButton("editSeries", "document-properties");
    cancelButton_ = addButton("cancelSeries", "user-trash");
    jobsButton_ = addButton("jobsOfSeries", "view-list-details");
    column->addLayout(titleRow);
    auto* stateRow = new QHBoxLayout;
    stateIcon_ = new QLabel(header);
    stateLabel_ = plainLabel(header, "seriesState");
    ruleLabel_ = makeWidget<ElidedLabel>("seriesRule", header);
    stateRow->addWidget(stateIcon_);
    stateRow->addWidget(stateLabel_);
    stateRow->addSpacing(gap);
    stateRow->addWidget(ruleLabel_, 1);
    column->addLayout(stateRow);
    problemLabel_ = wrappedLabel(header, "seriesProblem");
    problemLabel_->setAutoFillBackground(true);
    problemLabel_->setMargin(gap / 2);
    column->addWidget(problemLabel_);

    connect(skipButton_, &QPushButton::clicked, this, &SeriesPane::skipRequested);
    connect(pauseButton_, &QPushButton::clicked, this, [this] {
        row_ && row_->view.isPaused() ? emit resumeRequested() : emit pauseRequested();
    });
    connect(editButton_, &QPushButton::clicked, this, &SeriesPane::editRequested);
    connect(cancelButton_, &QPushButton::clicked, this, &SeriesPane::cancelRequested);
    connect(jobsButton_, &QPushButton::clicked, this, [this] {
        if (row_) {
            emit filterRequested(
                QString::fromStdString(filterFor("biz_key", row_->view.job.job.bizKey)));
        }
    });
    return header;
}

QWidget* SeriesPane::buildFields()
{
    auto* fields = new QWidget(this);
    auto* column = spacedVBoxLayout(fields);
    const auto gap = fontMetrics().height() / 2;
    textTitle_ = sectionTitle(fields, "seriesTextTitle");
    text_ = makeWidget<QPlainTextEdit>("seriesText", fields);
    text_->setReadOnly(true);
    text_->setTabChangesFocus(true);
    text_->setFrameShape(QFrame::NoFrame);
    text_->document()->setDocumentMargin(0);
    textTitle_->setBuddy(text_);
    column->addWidget(textTitle_);
    // As tall as its text, up to the available height.
    text_->setMinimumHeight(text_->fontMetrics().lineSpacing());
    text_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    connect(text_->document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged,
            text_, [text = text_](const QSizeF& lines) {
                text->setMaximumHeight(text->fontMetrics().lineSpacing() *
                                           std::max(1, static_cast<int>(lines.height())) +
                                       4);
            });
    column->addWidget(text_, 1);
    form_ = new QFormLayout;
    form_->setHorizontalSpacing(gap * 2);
    form_->setVerticalSpacing(gap / 2);
    const auto addField = [&](QWidget* field) {
        auto* name = plainLabel(fields);
        name->setForegroundRole(QPalette::PlaceholderText);
        form_->addRow(name, field);
        return field;
    };
    lastResultLink_ = makeWidget<LinkButton>("lastRun", LinkButton::Look::Accent, fields);
    lastResultLink_->setElided(true);
    addField(lastResultLink_);
    lastResultReason_ = wrappedLabel(fields, "lastRunWhy");
    addField(lastResultReason_);
    addField(endingLabel_ = plainLabel(fields, "seriesEnds"));
    addField(channelLabel_ = plainLabel(fields, "seriesChannel"));
    addField(senderLabel_ = makeWidget<ElidedLabel>("seriesSender", fields));
    addField(keyLabel_ = makeWidget<ElidedLabel>("seriesKey", fields));
    column->addLayout(form_);
    column->addStretch(0);
    connect(lastResultLink_, &LinkButton::clicked, this, [this] {
        if (row_ && row_->view.last) {
            emit jobRequested(row_->view.last->id);
        }
    });
    return fields;
}

void SeriesPane::setContent(const SeriesRow& row, TimePoint now)
{
    if (!row_ || row_->id() != row.id()) {
        timesList_->scrollToTop();
    }
    row_ = row;
    now_ = now;
    reformat();
}

void SeriesPane::clear()
{
    row_.reset();
    text_->clear();
    timesList_->setEntries({});
}

void SeriesPane::setRefusal(const QString& refusal)
{
    refusal_ = refusal;
    updateButtons();
}

void SeriesPane::reformat()
{
    if (!row_) {
        return;
    }
    updateFields();
    updateTimes();
    updateButtons();
}

void SeriesPane::updateFields()
{
    const auto& view = row_->view;
    const SeriesText texts(context_.preferences);
    titleLabel_->setFullText(SeriesText::person(view.job.job.recipient),
                             literalTip(QString::fromStdString(view.job.job.recipient)));
    const auto status = SeriesText::statusOf(view, now_);
    const auto iconSize = style()->pixelMetric(QStyle::PM_SmallIconSize);
    stateIcon_->setPixmap(icon(status.icon).pixmap(QSize(iconSize, iconSize), devicePixelRatioF()));
    auto colors = palette();
    for (const auto role : {QPalette::WindowText, QPalette::Text}) {
        colors.setColor(role, status.foreground);
    }
    stateLabel_->setPalette(colors);
    stateLabel_->setText(status.word);
    stateLabel_->setToolTip(literalTip(status.tip));
    ruleLabel_->setFullText(view.series ? texts.ruleAndZone(*view.series) : QString(),
                            view.series ? literalTip(QString::fromStdString(view.series->rule))
                                        : QString());
    // That it is paused is no problem, but a paused series may have one.
    const bool isOnlyPaused = view.isPaused() && view.problem.empty();
    const bool hasProblem = !isOnlyPaused && !status.tip.isEmpty();
    problemLabel_->setVisible(hasProblem);
    problemLabel_->setText(status.tip);
    applyTint(*problemLabel_, Theme::tint(Theme::Severity::Bad));

    const auto text = view.series ? shortenedMessageText(view.series->job) : QString();
    if (text != text_->toPlainText()) {
        text_->setPlainText(text);
    }
    QString lastText = tr("none yet");
    QString reason;
    if (view.last) {
        const auto lastStatus = SeriesText::lastRunStatus(*view.last, row_->runOutcome);
        lastText =
            tr("%1 · %2", "what became of it, when")
                .arg(lastStatus.word, TimeText(context_.preferences).brief(view.last->at, now_));
        reason = lastStatus.tip;
    }
    const bool hasJob = view.last && view.last->job;
    lastResultLink_->setContent(lastText, tr("The last result: %1").arg(lastText),
                                hasJob ? tr("Show this job") : lastText);
    lastResultLink_->setEnabled(hasJob);
    lastResultReason_->setText(reason);
    setFormRow(*form_, lastResultLink_, tr("Last result"), true);
    setFormRow(*form_, lastResultReason_, {}, !reason.isEmpty());
    const auto& series = view.series;
    const auto ending = series ? texts.ending(*series) : QString();
    endingLabel_->setText(ending);
    setFormRow(*form_, endingLabel_, tr("Ends"), !ending.isEmpty());
    channelLabel_->setText(series ? Theme::channelName(series->job.channel) : QString());
    setFormRow(*form_, channelLabel_, tr("Sent by"), series.has_value());
    senderLabel_->setText(QString());
    static_cast<ElidedLabel*>(senderLabel_)
        ->setFullText(series ? visibleText(series->job.sender) : QString());
    setFormRow(*form_, senderLabel_, tr("From"), series && !series->job.sender.empty());
    static_cast<ElidedLabel*>(keyLabel_)->setFullText(visibleText(view.job.job.bizKey));
    setFormRow(*form_, keyLabel_, tr("Key"), !view.job.job.bizKey.empty());
}

void SeriesPane::updateTimes()
{
    const auto& view = row_->view;
    const SeriesText texts(context_.preferences);
    const auto localZone = zoneOf(context_.preferences);
    std::vector<Entry> entries;
    for (const auto at : view.next) {
        const auto seriesZone = view.series ? texts.zoneOf(*view.series) : localZone;
        Entry entry;
        entry.key = std::to_string(toEpochMs(at));
        entry.title = texts.timeInZone(at, seriesZone);
        const auto distance = TimeText::relative(at, now_);
        const auto dateTime = QDateTime::fromMSecsSinceEpoch(toEpochMs(at), localZone);
        const bool isSameClock =
            seriesZone.offsetFromUtc(dateTime) == localZone.offsetFromUtc(dateTime) || !view.series;
        entry.detail = isSameClock ? distance
                                   : tr("%1 · here %2", "how far away, the time on our clocks")
                                         .arg(distance, texts.timeInZone(at, localZone));
        entry.tip = TimeText(context_.preferences).exact(at);
        entries.push_back(std::move(entry));
    }
    QString emptyText;
    if (entries.empty()) {
        emptyText = view.problem.empty() ? tr("It has come to its end: nothing is sent any more.")
                                         : tr("Its times are not known.");
    }
    timesTitle_->setText(view.isPaused() ? tr("If it is resumed now") : tr("Next times"));
    showListOrText(noTimesLabel_, timesList_, emptyText);
    timesList_->setEntries(std::move(entries));
}

void SeriesPane::updateButtons()
{
    const bool isPaused = row_ && row_->view.isPaused();
    pauseButton_->setText(isPaused ? tr("Resume") : tr("Pause"));
    pauseButton_->setIcon(icon(isPaused ? QStringLiteral("media-playback-start")
                                        : QStringLiteral("media-playback-pause")));
    if (!row_) {
        return;
    }
    const auto& view = row_->view;
    const bool isInLane =
        view.job.state == JobState::Scheduled || view.job.state == JobState::Ready;
    const auto updateButton = [this](QPushButton* button, bool isAllowed, const QString& tip) {
        button->setEnabled(isAllowed && refusal_.isEmpty());
        button->setToolTip(refusal_.isEmpty() ? tip : refusal_);
    };
    updateButton(skipButton_, isInLane && view.next.size() > 1,
                 tr("Leave the next time out, and go on with the one after it"));
    updateButton(pauseButton_, isPaused ? !view.next.empty() : isInLane,
                 isPaused
                     ? tr("Go on with the next time that is to come; what was missed is not sent")
                     : tr("Send nothing until it is resumed"));
    updateButton(editButton_, view.series.has_value(), tr("Change whom, when and what"));
    updateButton(cancelButton_, view.job.state != JobState::Leased,
                 tr("Move it to the trash, with what of it has not been delivered"));
}

void SeriesPane::retranslate()
{
    skipButton_->setText(tr("Skip Next"));
    editButton_->setText(tr("Edit…"));
    cancelButton_->setText(tr("Cancel It"));
    jobsButton_->setText(tr("Show Jobs"));
    jobsButton_->setToolTip(tr("Show the job that stands for it and those it has sent"));
    textTitle_->setText(tr("Text"));
    text_->setAccessibleName(tr("Text of the reminder"));
    timesList_->setAccessibleName(tr("Next times"));
    updateButtons();
    reformat();
}

}  // namespace restante::gui
