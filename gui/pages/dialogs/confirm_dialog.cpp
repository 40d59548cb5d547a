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

/// Topics that are listed; the others are summed up.
constexpr std::size_t kTopicsShown = 5;
/// Older numbers are counted again before the request runs: the default interval of Live Update.
constexpr qint64 kCountMaxAgeMs = 2'000;

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
                             Confirmation confirmation,
                             QWidget* parent)
    : FormDialog("confirmDialog", parent),
      session_(session),
      request_(std::move(request)),
      confirmation_(confirmation)
{
    heading_ = newHeading(this, "question");
    consequence_ = newSelectableText(this);
    form_ = makeForm();
    const auto addText = [this](const char* name) {
        auto* text = newSelectableText(this, name);
        addLabelledRow(form_, text, RowHeight::Lines);
        return text;
    };
    scope_ = addText("scope");
    states_ = addText("states");
    topics_ = addText("topics");
    reason_ = addReason();
    typedCount_ = addField<QLineEdit>("typedCount");
    showRow(form_, typedCount_, confirmation_ == Confirmation::TypeCount);
    progressBar_ = new QProgressBar(this);
    progressBar_->setTextVisible(false);
    makeButtons(DefaultButton::Cancel, 84);
    recountButton_ = buttons_->addButton(QString(), QDialogButtonBox::ResetRole);
    recountButton_->setAutoDefault(false);
    column_->addWidget(heading_);
    column_->addWidget(consequence_);
    column_->addLayout(form_);
    column_->addWidget(notice_);
    column_->addWidget(progressBar_);
    column_->addStretch(1);
    column_->addWidget(buttons_);
    connect(typedCount_, &QLineEdit::textChanged, this, &ConfirmDialog::updateButton);
    connect(recountButton_, &QPushButton::clicked, this, &ConfirmDialog::count);
    connect(accept_, &QPushButton::clicked, this, &ConfirmDialog::handleAccept);
    reason_->setText(QString::fromStdString(request_.reason));
    retranslate();
    count();
}

void ConfirmDialog::handleAccept()
{
    hasGrown_ = false;
    if (countedSince_.elapsed() > kCountMaxAgeMs) {
        agreedCount_ = report_.total();
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
    progressBar_->setRange(0, 0);
    progressBar_->show();
    countRequest_ = session_.commands().runBulk(
        std::move(dryRun),
        // Progress may still arrive after the dialog is destroyed.
        [self = QPointer(this)](const Progress& progress) {
            if (self != nullptr && self->countRequest_ != 0) {
                self->showProgress(progress);
            }
        },
        {this, [this](const Result<BulkReport>& report) {
             if (countRequest_ == 0) {
                 return;  // cancelled, and not deleted yet: nobody agrees any more
             }
             if (!report) {
                 return fail(QString::fromStdString(report.error().message));
             }
             if (report->failed > 0) {
                 const auto& failures = report->failures;
                 return fail(failures.empty()
                                 ? tr("no answer")
                                 : QString::fromStdString(failures.front().second.message));
             }
             handleReport(*report);
         }});
    showNumbers();
}

void ConfirmDialog::showProgress(const Progress& progress)
{
    constexpr int kSteps = 1'000;
    report_ = progress.report;
    const auto expected = std::max(progress.expected, request_.selection.count);
    if (expected > 0) {
        progressBar_->setRange(0, kSteps);
        progressBar_->setValue(
            static_cast<int>(std::min<std::uint64_t>(kSteps, report_.total() * kSteps / expected)));
    }
    showNumbers();
}

void ConfirmDialog::handleReport(const BulkReport& report)
{
    countRequest_ = 0;
    report_ = report;
    counted_ = true;
    countedSince_.start();
    if (const auto agreedCount = std::exchange(agreedCount_, std::nullopt)) {
        hasGrown_ = report_.total() > *agreedCount;
        if (!hasGrown_ && report_.total() > 0) {
            return finish();
        }
    }
    showNumbers();
}

void ConfirmDialog::fail(const QString& problem)
{
    countRequest_ = 0;
    agreedCount_.reset();
    problem_ = problem;
    showNumbers();
}

void ConfirmDialog::done(int result)
{
    if (countRequest_ != 0) {
        session_.commands().stop(std::exchange(countRequest_, 0));
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
    progressBar_->setVisible(!counted_ && problem_.isEmpty());
    recountButton_->setVisible(!problem_.isEmpty());
    setRowTitle(typedCount_, tr("&Type %1 to confirm:").arg(numberText(total)));
    if (!problem_.isEmpty()) {
        notice_->showMessage(tr("They could not be counted: %1").arg(problem_),
                             Theme::Severity::Bad);
    } else if (counted_ && report_.total() == 0) {
        notice_->showMessage(tr("None of these jobs is in a state for that any more."),
                             Theme::Severity::Warning);
    } else if (const auto text = noticeText(); !text.isEmpty()) {
        notice_->showMessage(text, hasGrown_ ? Theme::Severity::Warning : Theme::Severity::Notice);
    } else {
        notice_->clearText();
    }
    updateButton();
}

QString ConfirmDialog::noticeText() const
{
    QStringList parts;
    if (hasGrown_) {
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
    const bool isTypedIfNeeded = confirmation_ != Confirmation::TypeCount ||
                                 digitsOf(typedCount_->text()) == QString::number(report_.total());
    accept_->setEnabled(counted_ && report_.total() > 0 && isTypedIfNeeded);
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
    progressBar_->setAccessibleName(tr("Counting"));
    typedCount_->setAccessibleName(tr("The count, typed"));
    recountButton_->setText(tr("Count &Again"));
    showNumbers();
}

}  // namespace restante::gui
