#include "gui/pages/audit/audit_filter.h"

#include "gui/base/preferences.h"
#include "gui/pages/audit/audit_model.h"
#include "gui/pages/page_parts.h"
#include "gui/theme/icons.h"
#include "gui/theme/time_text.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QHBoxLayout>

namespace restante::gui {

namespace {

/// Long enough that a word can be typed before the store is asked.
constexpr int kTypingMs = 300;
/// The choice of a time of one's own, among spans in ms.
constexpr qlonglong kBetween = -1;
constexpr qlonglong kHour = 3'600'000;

}  // namespace

AuditFilter::AuditFilter(const Preferences& preferences, QWidget* parent)
    : QWidget(parent),
      preferences_(preferences)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    actor_ = addText("auditActor");
    actor_->addAction(icon(QStringLiteral("edit-find")), QLineEdit::LeadingPosition);
    verb_ = makeWidget<QComboBox>("auditVerb", this);
    verb_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    verb_->addItem(QString(), QString());
    for (const auto& word : auditVerbs()) {
        verb_->addItem(verbText(word), word);
    }
    connect(verb_, &QComboBox::currentIndexChanged, this, &AuditFilter::tellChanged);
    text_ = addText("auditText");  // here, as Tab goes by the order of making
    row->addWidget(actor_, 2);
    row->addWidget(verb_);
    row->addWidget(text_, 3);
    addTimes();
    typed_.setSingleShot(true);
    typed_.setInterval(kTypingMs);
    connect(&typed_, &QTimer::timeout, this, &AuditFilter::changed);
    retranslate();
    showSpan();
}

QLineEdit* AuditFilter::addText(const char* name)
{
    auto* edit = makeWidget<QLineEdit>(name, this);
    edit->setClearButtonEnabled(true);
    edit->setMinimumWidth(fontMetrics().averageCharWidth() * 12);
    connect(edit, &QLineEdit::textChanged, this, [this] { typed_.start(); });
    connect(edit, &QLineEdit::returnPressed, this, &AuditFilter::tellChanged);
    return edit;
}

void AuditFilter::addTimes()
{
    time_ = makeWidget<QComboBox>("auditTime", this);
    time_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const auto span : {0LL, kHour, 24 * kHour, 7 * 24 * kHour, 30 * 24 * kHour, kBetween}) {
        time_->addItem(QString(), span);
    }
    layout()->addWidget(time_);
    const auto today = QDateTime::currentDateTimeUtc().toTimeZone(zoneOf(preferences_)).date();
    since_ = addTime("auditSince");
    until_ = addTime("auditUntil");
    since_->setDateTime(QDateTime(today, QTime(0, 0)));
    until_->setDateTime(QDateTime(today.addDays(1), QTime(0, 0)));
    typed_.stop();
    connect(time_, &QComboBox::currentIndexChanged, this, [this] {
        showSpan();
        tellChanged();
    });
}

QDateTimeEdit* AuditFilter::addTime(const char* name)
{
    auto* edit = makeWidget<QDateTimeEdit>(name, this);
    edit->setCalendarPopup(true);
    edit->setDisplayFormat(preferences_.clock24() ? QStringLiteral("yyyy-MM-dd HH:mm")
                                                  : QStringLiteral("yyyy-MM-dd hh:mm AP"));
    connect(edit, &QDateTimeEdit::dateTimeChanged, this, [this] { typed_.start(); });
    layout()->addWidget(edit);
    return edit;
}

void AuditFilter::showSpan()
{
    const bool between = time_->currentData().toLongLong() == kBetween;
    since_->setVisible(between);
    until_->setVisible(between);
}

void AuditFilter::tellChanged()
{
    typed_.stop();
    emit changed();
}

AuditRequest AuditFilter::request(TimePoint now) const
{
    AuditRequest request;
    request.actor = actor_->text().trimmed();
    request.text = text_->text().trimmed();
    request.verb = verb_->currentData().toString();
    const auto span = time_->currentData().toLongLong();
    if (span == kBetween) {
        // What the fields show is meant in the zone that all times are shown in.
        const auto zone = zoneOf(preferences_);
        request.since = timeOf(since_->date(), since_->time(), zone);
        request.until = timeOf(until_->date(), until_->time(), zone);
    } else if (span > 0) {
        request.since = now - Millis{span};
    }
    return request;
}

bool AuditFilter::restricts() const
{
    return !actor_->text().trimmed().isEmpty() || !text_->text().trimmed().isEmpty() ||
           verb_->currentIndex() > 0 || time_->currentIndex() > 0;
}

void AuditFilter::clear()
{
    actor_->clear();
    text_->clear();
    verb_->setCurrentIndex(0);
    time_->setCurrentIndex(0);
    tellChanged();
}

void AuditFilter::retranslate()
{
    actor_->setPlaceholderText(tr("Who"));
    actor_->setAccessibleName(tr("Show only what people of this name did"));
    text_->setPlaceholderText(tr("Job, topic or reason"));
    text_->setAccessibleName(tr("Show only writes whose job, topic or reason contains this"));
    verb_->setAccessibleName(tr("Show only this kind of write"));
    verb_->setItemText(0, tr("Everything"));
    for (int at = 1; at < verb_->count(); ++at) {
        verb_->setItemText(at, verbText(verb_->itemData(at).toString()));
    }
    time_->setAccessibleName(tr("Show only writes of this time"));
    const QString spans[] = {tr("At any time"), tr("Last hour"),    tr("Last 24 hours"),
                             tr("Last 7 days"), tr("Last 30 days"), tr("Between…")};
    for (int at = 0; at < time_->count(); ++at) {
        time_->setItemText(at, spans[at]);
    }
    since_->setAccessibleName(tr("From this time on"));
    until_->setAccessibleName(tr("Up to this time"));
    for (auto* field : std::initializer_list<QWidget*>{actor_, text_, since_, until_}) {
        field->setToolTip(field->accessibleName());
    }
}

}  // namespace restante::gui
