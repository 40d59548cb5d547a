#include "gui/pages/dialogs/confirm_dialog.h"

#include "gui/operations/verb_texts.h"
#include "gui/session/store_session.h"

#include <QLineEdit>
#include <QProgressBar>

#include <algorithm>
#include <vector>

namespace restante::gui {

namespace {

using Verb = BulkAction::Verb;

/// Topics that are named; the others are one number.
constexpr std::size_t kTopicsShown = 5;
/// Numbers older than this are counted once more before they are acted on: as old as the rows of a
/// table are that looks at its usual interval.
constexpr qint64 kFreshMs = 2'000;

QString digitsOf(const QString& text)
{
    QString digits;
    for (const auto character : text) {
        if (character.isDigit()) {
            digits += QString::number(character.digitValue());
        } else if (character.isLetter()) {
            return {};
        }
    }
    return digits;
}

QString statesText(const BulkReport& report)
{
    QStringList parts;
    for (const auto& [state, count] : report.matched) {
        if (count > 0) {
            parts.append(QStringLiteral("%1 %2").arg(Theme::stateName(state), numberText(count)));
        }
    }
    return parts.join(QStringLiteral(" · "));
}

QString topicsText(const BulkReport& report)
{
    std::vector<std::pair<std::uint64_t, std::string>> topics;
    for (const auto& [topic, count] : report.topics) {
        topics.emplace_back(count, topic);
    }
    std::sort(topics.rbegin(), topics.rend());
    QStringList parts;
    auto others = report.total();
    for (const auto& [count, topic] : topics) {
        if (parts.size() < static_cast<qsizetype>(kTopicsShown)) {
            parts.append(
                QStringLiteral("%1 %2").arg(QString::fromStdString(topic), numberText(count)));
            others -= count;
        }
    }
    if (others > 0) {
        parts.append(ConfirmDialog::tr("others %1").arg(numberText(others)));
    }
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

ConfirmDialog::ConfirmDialog(StoreSession& session,
                             BulkRequest request,
                             Confirmation how,
                             QWidget* parent)
    : FormDialog("confirmDialog", parent),
      session_(session),
      request_(std::move(request)),
      how_(how)
{
    heading_ = headingIn(this, "question");
    consequence_ = plainIn(this);
    form_ = makeForm();
    const auto addText = [this](const char* name) {
        auto* text = plainIn(this, name);
        addLabelledRow(form_, text, RowHeight::Lines);
        return text;
    };
    scope_ = addText("scope");
    states_ = addText("states");
    topics_ = addText("topics");
    reason_ = addReason();
    typed_ = addField<QLineEdit>("typedCount");
    showRow(form_, typed_, how_ == Confirmation::Type);
    busy_ = new QProgressBar(this);
    busy_->setTextVisible(false);
    makeButtons(DefaultButton::Cancel, 84);
    again_ = buttons_->addButton(QString(), QDialogButtonBox::ResetRole);
    again_->setAutoDefault(false);
    column_->addWidget(heading_);
    column_->addWidget(consequence_);
    column_->addLayout(form_);
    column_->addWidget(notice_);
    column_->addWidget(busy_);
    column_->addStretch(1);
    column_->addWidget(buttons_);
    connect(typed_, &QLineEdit::textChanged, this, &ConfirmDialog::updateButton);
    connect(again_, &QPushButton::clicked, this, &ConfirmDialog::count);
    connect(accept_, &QPushButton::clicked, this, &ConfirmDialog::agree);
    reason_->setText(QString::fromStdString(request_.reason));
    retranslate();
    count();
}

void ConfirmDialog::agree()
{
    grown_ = false;
    if (countedSince_.elapsed() > kFreshMs) {
        agreed_ = report_.total();
        return count();
    }
    finish();
}

void ConfirmDialog::finish()
{
    request_.reason = reason_->text().trimmed().toStdString();
    request_.mode = BulkRequest::Mode::Apply;
    accept();
    emit confirmed(request_, report_.total());
}

void ConfirmDialog::count()
{
    problem_.clear();
    counted_ = false;
    report_ = {};
    auto dryRun = request_;
    dryRun.mode = BulkRequest::Mode::DryRun;
    busy_->setRange(0, 0);
    busy_->show();
    counting_ = session_.commands().act(
        std::move(dryRun),
        // Progress may still come after the dialog is gone.
        [self = QPointer(this)](const Progress& progress) {
            if (self != nullptr && self->counting_ != 0) {
                self->showProgress(progress);
            }
        },
        {this, [this](const Result<BulkReport>& report) {
             if (!report) {
                 return fail(QString::fromStdString(report.error().message));
             }
             if (report->failed > 0) {
                 const auto& failures = report->failures;
                 return fail(failures.empty()
                                 ? tr("no answer")
                                 : QString::fromStdString(failures.front().second.message));
             }
             take(*report);
         }});
    showNumbers();
}

void ConfirmDialog::showProgress(const Progress& progress)
{
    constexpr int kSteps = 1'000;
    report_ = progress.report;
    const auto expected = std::max(progress.expected, request_.selection.count);
    if (expected > 0) {
        busy_->setRange(0, kSteps);
        busy_->setValue(
            static_cast<int>(std::min<std::uint64_t>(kSteps, report_.total() * kSteps / expected)));
    }
    showNumbers();
}

void ConfirmDialog::take(const BulkReport& report)
{
    counting_ = 0;
    report_ = report;
    counted_ = true;
    countedSince_.start();
    if (const auto agreed = std::exchange(agreed_, std::nullopt)) {
        grown_ = report_.total() > *agreed;
        if (!grown_ && report_.total() > 0) {
            return finish();
        }
    }
    showNumbers();
}

void ConfirmDialog::fail(const QString& why)
{
    counting_ = 0;
    agreed_.reset();
    problem_ = why;
    showNumbers();
}

void ConfirmDialog::done(int result)
{
    if (counting_ != 0) {
        session_.commands().stop(std::exchange(counting_, 0));
    }
    QDialog::done(result);
}

void ConfirmDialog::showNumbers()
{
    const auto total = counted_ ? report_.total() : request_.selection.count;
    heading_->setText(questionText(request_.verb, total));
    setWindowTitle(heading_->text());
    states_->setText(counted_ || report_.total() > 0 ? statesText(report_) : tr("counting…"));
    topics_->setText(counted_ || report_.total() > 0 ? topicsText(report_) : tr("counting…"));
    busy_->setVisible(!counted_ && problem_.isEmpty());
    again_->setVisible(!problem_.isEmpty());
    setRowTitle(typed_, tr("&Type %1 to confirm:").arg(numberText(total)));
    if (!problem_.isEmpty()) {
        notice_->say(tr("They could not be counted: %1").arg(problem_), Theme::Meaning::Bad);
    } else if (counted_ && report_.total() == 0) {
        notice_->say(tr("None of these jobs is in a state for that any more."),
                     Theme::Meaning::Warning);
    } else if (const auto text = noticeText(); !text.isEmpty()) {
        notice_->say(text, grown_ ? Theme::Meaning::Warning : Theme::Meaning::Notice);
    } else {
        notice_->clearText();
    }
    updateButton();
}

QString ConfirmDialog::noticeText() const
{
    QStringList parts;
    if (grown_) {
        parts.append(tr("There are more by now: please look at the numbers again."));
    }
    if (counted_ && report_.skipped > report_.skippedAsNewer) {
        parts.append(tr("%Ln job(s) no longer match and will be skipped.", "",
                        static_cast<int>(report_.skipped - report_.skippedAsNewer)));
    }
    if (counted_ && report_.skippedAsNewer > 0) {
        parts.append(tr("%Ln job(s) came in after you selected and will be left alone.", "",
                        static_cast<int>(report_.skippedAsNewer)));
    }
    return parts.join(u' ');
}

void ConfirmDialog::updateButton()
{
    const auto total = counted_ ? report_.total() : request_.selection.count;
    accept_->setText(buttonText(request_.verb, total));
    const bool typed =
        how_ != Confirmation::Type || digitsOf(typed_->text()) == QString::number(report_.total());
    accept_->setEnabled(counted_ && report_.total() > 0 && typed);
}

void ConfirmDialog::retranslate()
{
    switch (request_.verb) {
    case Verb::Purge: consequence_->setText(tr("Nothing brings them back.")); break;
    case Verb::RunNow:
        consequence_->setText(
            tr("They become due at once. What has been delivered cannot be taken back."));
        break;
    case Verb::Trash:
        consequence_->setText(tr("They can be restored until the trash is emptied."));
        break;
    default: consequence_->setText(tr("This can be undone while the connection is open."));
    }
    setRowTitle(scope_, tr("Jobs:"));
    scope_->setText(scopeText(request_.selection));
    setRowTitle(states_, tr("By state:"));
    setRowTitle(topics_, tr("By topic:"));
    setRowTitle(reason_, tr("&Reason:"));
    busy_->setAccessibleName(tr("Counting"));
    typed_->setAccessibleName(tr("The count, typed"));
    again_->setText(tr("Count &Again"));
    showNumbers();
}

}  // namespace restante::gui
