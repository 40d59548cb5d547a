#include "gui/pages/audit/audit_filter.h"

#include "gui/base/preferences.h"
#include "gui/base/utc.h"
#include "gui/pages/audit/audit_model.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/icons.h"
#include "gui/theme/time_text.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QHBoxLayout>

namespace restante::gui {

namespace {

/// Lets a word be typed before the store is queried.
constexpr int kTypingDelayMs = 300;
/// Marks the choice of a custom time among spans in ms.
constexpr qlonglong kCustomSpan = -1;
constexpr qlonglong kHourMs = 3'600'000;

}  // namespace

AuditFilter::AuditFilter(const Preferences& preferences, QWidget* parent)
    : QWidget(parent),
      preferences_(preferences)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    actor_ = addTextField("auditActor");
    actor_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    verbBox_ = makeWidget<QComboBox>("auditVerb", this);
    verbBox_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    verbBox_->addItem(QString(), QString());
    for (const auto& word : auditVerbs()) {
        verbBox_->addItem(verbText(word), word);
    }
    connect(verbBox_, &QComboBox::currentIndexChanged, this, &AuditFilter::emitChangedNow);
    text_ = addTextField("auditText");  // created here because Tab follows the creation order
    row->addWidget(actor_, 2);
    row->addWidget(verbBox_);
    row->addWidget(text_, 3);
    addTimeFields();
    typingTimer_.setSingleShot(true);
    typingTimer_.setInterval(kTypingDelayMs);
    connect(&typingTimer_, &QTimer::timeout, this, &AuditFilter::changed);
    retranslate();
    updateSpanFields();
}

QLineEdit* AuditFilter::addTextField(const char* name)
{
    auto* edit = makeWidget<QLineEdit>(name, this);
    edit->setClearButtonEnabled(true);
    edit->setMinimumWidth(fontMetrics().averageCharWidth() * 12);
    connect(edit, &QLineEdit::textChanged, this, [this] { typingTimer_.start(); });
    connect(edit, &QLineEdit::returnPressed, this, &AuditFilter::emitChangedNow);
    return edit;
}

void AuditFilter::addTimeFields()
{
    spanBox_ = makeWidget<QComboBox>("auditTime", this);
    spanBox_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const auto span :
         {0LL, kHourMs, 24 * kHourMs, 7 * 24 * kHourMs, 30 * 24 * kHourMs, kCustomSpan}) {
        spanBox_->addItem(QString(), span);
    }
    layout()->addWidget(spanBox_);
    const auto today = QDateTime::currentDateTimeUtc().toTimeZone(zoneOf(preferences_)).date();
    since_ = addDateTimeField("auditSince");
    until_ = addDateTimeField("auditUntil");
    since_->setDateTime(QDateTime(today, QTime(0, 0), kUtc));
    until_->setDateTime(QDateTime(today.addDays(1), QTime(0, 0), kUtc));
    typingTimer_.stop();
    connect(spanBox_, &QComboBox::currentIndexChanged, this, [this] {
        updateSpanFields();
        emitChangedNow();
    });
}

/// The local time of the zone is edited as if it were UTC, which skips no hour: the clocks of this
/// machine, which may be set forward on that day, are not those of the zone.
QDateTimeEdit* AuditFilter::addDateTimeField(const char* name)
{
    auto* edit = makeWidget<QDateTimeEdit>(name, this);
    showUtc(*edit);
    edit->setCalendarPopup(true);
    edit->setDisplayFormat(preferences_.clock24() ? QStringLiteral("yyyy-MM-dd HH:mm")
                                                  : QStringLiteral("yyyy-MM-dd hh:mm AP"));
    connect(edit, &QDateTimeEdit::dateTimeChanged, this, [this] { typingTimer_.start(); });
    layout()->addWidget(edit);
    return edit;
}

void AuditFilter::updateSpanFields()
{
    const bool isCustom = spanBox_->currentData().toLongLong() == kCustomSpan;
    since_->setVisible(isCustom);
    until_->setVisible(isCustom);
}

void AuditFilter::emitChangedNow()
{
    typingTimer_.stop();
    emit changed();
}

AuditRequest AuditFilter::request(TimePoint now) const
{
    AuditRequest request;
    request.actor = actor_->text().trimmed();
    request.text = text_->text().trimmed();
    request.verb = verbBox_->currentData().toString();
    const auto span = spanBox_->currentData().toLongLong();
    if (span == kCustomSpan) {
        // The fields are in the time zone in which all times are shown.
        const auto zone = zoneOf(preferences_);
        request.since = timeOf(since_->date(), since_->time(), zone);
        request.until = timeOf(until_->date(), until_->time(), zone);
    } else if (span > 0) {
        request.since = now - Millis{span};
    }
    return request;
}

bool AuditFilter::isActive() const
{
    return !actor_->text().trimmed().isEmpty() || !text_->text().trimmed().isEmpty() ||
           verbBox_->currentIndex() > 0 || spanBox_->currentIndex() > 0;
}

void AuditFilter::clear()
{
    actor_->clear();
    text_->clear();
    verbBox_->setCurrentIndex(0);
    spanBox_->setCurrentIndex(0);
    emitChangedNow();
}

void AuditFilter::retranslate()
{
    actor_->setPlaceholderText(tr("Who"));
    actor_->setAccessibleName(tr("Show only what people of this name did"));
    text_->setPlaceholderText(tr("Job, topic or reason"));
    text_->setAccessibleName(tr("Show only writes whose job, topic or reason contains this"));
    verbBox_->setAccessibleName(tr("Show only this kind of write"));
    verbBox_->setItemText(0, tr("Everything"));
    for (int at = 1; at < verbBox_->count(); ++at) {
        verbBox_->setItemText(at, verbText(verbBox_->itemData(at).toString()));
    }
    spanBox_->setAccessibleName(tr("Show only writes of this time"));
    const QString spans[] = {tr("At any time"), tr("Last hour"),    tr("Last 24 hours"),
                             tr("Last 7 days"), tr("Last 30 days"), tr("Between…")};
    for (int at = 0; at < spanBox_->count(); ++at) {
        spanBox_->setItemText(at, spans[at]);
    }
    since_->setAccessibleName(tr("From this time on"));
    until_->setAccessibleName(tr("Up to this time"));
    for (auto* field : std::initializer_list<QWidget*>{actor_, text_, since_, until_}) {
        field->setToolTip(field->accessibleName());
    }
}

}  // namespace restante::gui
