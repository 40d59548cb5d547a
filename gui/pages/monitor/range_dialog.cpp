#include "gui/pages/monitor/range_dialog.h"

#include "gui/base/preferences.h"
#include "gui/base/utc.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/theme.h"
#include "gui/theme/time_text.h"

#include <QDateTimeEdit>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace restante::gui {

RangeDialog::RangeDialog(const Preferences& preferences,
                         const TimeSpan& shown,
                         TimePoint now,
                         QWidget* parent)
    : QDialog(parent),
      zone_(zoneOf(preferences)),
      now_(now),
      from_(addEdit("rangeFrom", shown.from)),
      to_(addEdit("rangeTo", shown.to)),
      hint_(wrappedLabel(this, "rangeHint"))
{
    setObjectName(QStringLiteral("rangeDialog"));
    setWindowTitle(tr("Chart Range"));
    auto* form = new QFormLayout;
    form->addRow(tr("&From:"), from_);
    form->addRow(tr("&To:"), to_);
    auto* zoneLabel = plainLabel(this);
    zoneLabel->setText(tr("Times of %1.", "a time zone").arg(QString::fromLatin1(zone_.id())));
    zoneLabel->setForegroundRole(QPalette::PlaceholderText);
    form->addRow(QString(), zoneLabel);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    showButton_ = buttons->addButton(tr("&Show"), QDialogButtonBox::AcceptRole);
    showButton_->setObjectName(QStringLiteral("rangeShow"));
    showButton_->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(hint_);
    column->addStretch(1);
    column->addWidget(buttons);
    setMinimumWidth(fontMetrics().averageCharWidth() * 60);
    connect(from_, &QDateTimeEdit::dateTimeChanged, this, &RangeDialog::check);
    connect(to_, &QDateTimeEdit::dateTimeChanged, this, &RangeDialog::check);
    check();
}

/// The local time of the zone is edited as if it were UTC, which skips no hour.
QDateTimeEdit* RangeDialog::addEdit(const char* name, TimePoint at)
{
    const auto local = QDateTime::fromMSecsSinceEpoch(toEpochMs(at), zone_);
    auto* edit = makeWidget<QDateTimeEdit>(name, this);
    showUtc(*edit);
    edit->setDisplayFormat(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    edit->setCalendarPopup(true);
    edit->setDateTime(QDateTime(local.date(), local.time(), kUtc));
    return edit;
}

TimeSpan RangeDialog::range() const
{
    return {timeOf(from_->date(), from_->time(), zone_), timeOf(to_->date(), to_->time(), zone_)};
}

QString RangeDialog::problem() const
{
    const auto span = range();
    if (span.from >= span.to) {
        return tr("It must begin before it ends.");
    }
    if (span.from >= now_) {
        return tr("It begins in the future, of which nothing is known.");
    }
    if (span.length() < kShortestSpan) {
        return tr("Half a minute is the shortest that can be shown.");
    }
    if (span.length() > kLongestSpan) {
        return tr("31 days are the longest that can be shown.");
    }
    return {};
}

void RangeDialog::check()
{
    const auto problemText = problem();
    showButton_->setEnabled(problemText.isEmpty());
    hint_->setText(problemText.isEmpty()
                       ? tr("%1, in steps of %2.")
                             .arg(TimeText::duration(range().length()),
                                  TimeText::duration(kTimeRanges[rangeIndexFor(range())].step))
                       : problemText);
    auto colors = palette();
    if (!problemText.isEmpty()) {
        colors.setColor(QPalette::WindowText, Theme::foreground(Theme::Severity::Bad));
    }
    hint_->setPalette(colors);
}

void RangeDialog::accept()
{
    if (problem().isEmpty()) {
        emit rangeRequested(range());
        QDialog::accept();
    }
}

}  // namespace restante::gui
