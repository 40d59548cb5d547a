#include "gui/pages/dialogs/preferences_dialog.h"

#include "gui/base/languages.h"
#include "gui/base/preferences.h"
#include "gui/operations/alert_texts.h"
#include "gui/pages/page_parts.h"
#include "gui/session/alert_settings.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTimeZone>
#include <QVBoxLayout>

namespace restante::gui {

PreferencesDialog::PreferencesDialog(Preferences& preferences, QWidget* parent)
    : QDialog(parent),
      preferences_(preferences),
      tabs_(new QTabWidget(this))
{
    setObjectName(QStringLiteral("preferencesDialog"));
    setWindowTitle(tr("Preferences"));
    tabs_->setAccessibleName(tr("Kinds of preferences"));
    tabs_->setUsesScrollButtons(false);  // the dialog is as wide as all of them
    buildGeneral();
    buildAppearance();
    buildTimes();
    buildLiveUpdate();
    buildConfirmations();
    buildPayload();
    buildConnections();
    buildAlerts();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(tabs_, 1);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 128, fontMetrics().height() * 20);
    load();
}

void PreferencesDialog::addTab(const QString& title)
{
    tab_ = new QWidget(tabs_);
    form_ = new QFormLayout(tab_);
    tabs_->addTab(tab_, title);
}

template <class Field, class... Args>
Field* PreferencesDialog::addField(const QString& title, const char* name, Args&&... args)
{
    auto* field = makeWidget<Field>(name, std::forward<Args>(args)..., tab_);
    form_->addRow(title, field);
    return field;
}

QSpinBox*
PreferencesDialog::addNumber(const QString& title, const char* name, int minimum, int maximum)
{
    auto* number = addField<QSpinBox>(title, name);
    number->setRange(minimum, maximum);
    return number;
}

QLabel* PreferencesDialog::addNote(const QString& text)
{
    auto* label = wrappedLabel(tab_);
    label->setText(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    form_->addRow(QString(), label);
    return label;
}

void PreferencesDialog::buildGeneral()
{
    addTab(tr("&General"));
    language_ = addField<QComboBox>(tr("Lang&uage:"), "language");
    language_->addItem(tr("As the desktop says"), QString());
    for (const auto& language : Languages::all()) {
        language_->addItem(language.name, language.code);
    }
    addNote(tr("The console speaks it at once."));
}

void PreferencesDialog::buildAppearance()
{
    addTab(tr("&Appearance"));
    scheme_ = addField<QComboBox>(tr("Colou&rs:"), "scheme");
    scheme_->addItem(tr("As the desktop says"), static_cast<int>(Scheme::System));
    scheme_->addItem(tr("Light"), static_cast<int>(Scheme::Light));
    scheme_->addItem(tr("Dark"), static_cast<int>(Scheme::Dark));
    auto* forget =
        addField<QPushButton>(tr("Columns and sizes:"), "forgetLayouts", tr("&Forget Them"));
    forget->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    forget->setAccessibleName(tr("Forget columns and sizes"));
    connect(forget, &QPushButton::clicked, this, [this, forget] {
        preferences_.forgetLayouts();
        forget->setEnabled(false);
    });
}

void PreferencesDialog::buildTimes()
{
    addTab(tr("&Time and Numbers"));
    zone_ = addField<QComboBox>(tr("Time &zone:"), "zone");
    zone_->setEditable(true);
    zone_->setInsertPolicy(QComboBox::NoInsert);
    zone_->addItem(tr("This machine's"), QByteArray());
    for (const auto& id : QTimeZone::availableTimeZoneIds()) {
        zone_->addItem(QString::fromLatin1(id), id);
    }
    zone_->completer()->setFilterMode(Qt::MatchContains);
    zone_->completer()->setCompletionMode(QCompleter::PopupCompletion);
    zoneHint_ = addNote({});
    zoneHint_->setObjectName(QStringLiteral("zoneHint"));
    connect(zone_, &QComboBox::editTextChanged, this, &PreferencesDialog::updateZone);
    relative_ =
        addField<QCheckBox>(tr("Times:"), "relative", tr("&Relative: “in 2 h”, “3 min ago”"));
    clock24_ = addField<QCheckBox>({}, "clock24", tr("24 hour&s: “20:41” instead of “08:41 PM”"));
    groupedNumbers_ =
        addField<QCheckBox>(tr("Numbers:"), "grouped", tr("Separate t&housands: “1,204”"));
}

void PreferencesDialog::buildLiveUpdate()
{
    addTab(tr("&Live Update"));
    liveInterval_ = addNumber(tr("Look &every:"), "liveInterval", 250, 60'000);
    liveInterval_->setSingleStep(250);
    liveInterval_->setSuffix(tr(" ms"));
    addNote(tr("How often tables follow the store while Live Update is on: "
               "250 ms to a minute."));
}

void PreferencesDialog::buildConfirmations()
{
    addTab(tr("&Confirmations"));
    typedCountFrom_ = addNumber(tr("Type the count &from:"), "typedCount", 1, 1'000'000'000);
    addNote(tr("When so many jobs or more are changed at once, their number must be typed."));
    productionCountFrom_ =
        addNumber(tr("In pro&duction from:"), "productionCount", 1, 1'000'000'000);
    addNote(tr("In a connection marked Production a dialog always asks about more than "
               "one job, and from so many on their number must be typed."));
    for (auto* number : {typedCountFrom_, productionCountFrom_}) {
        number->setGroupSeparatorShown(true);
    }
}

void PreferencesDialog::buildPayload()
{
    addTab(tr("&Payload"));
    payloadChunk_ = addNumber(tr("&Show at once:"), "payloadChunk", PayloadLimits::kMinChunkKiB,
                              PayloadLimits::kMaxChunkKiB);
    payloadChunk_->setSingleStep(16);
    payloadChunk_->setSuffix(tr(" KiB"));
    addNote(tr("A longer payload is shown part by part, so that the window never waits "
               "for it. Searching and saving are about all of it."));
}

void PreferencesDialog::buildConnections()
{
    addTab(tr("C&onnections"));
    reopenLast_ =
        addField<QCheckBox>(tr("At the start:"), "reopensLast",
                            tr("Open the wi&ndows and connections of the last time again"));
    addNote(tr("Connections themselves are made and changed with File, Open Connection."));
}

void PreferencesDialog::buildAlerts()
{
    alertTab_ = tabs_->count();
    auto* page = new QWidget(tabs_);
    tabs_->addTab(page, tr("Alerts"));
    auto* column = new QVBoxLayout(page);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setColumnStretch(1, 1);
    const QString titles[]{tr("Alert"), tr("Fires when"), {}, tr("For")};
    for (int at = 0; at < 4; ++at) {
        auto* title = plainLabel(page);
        title->setText(titles[at]);
        title->setForegroundRole(QPalette::PlaceholderText);
        grid->addWidget(title, 0, at);
    }
    for (const auto id : consoleAlerts()) {
        alerts_.push_back(buildAlert(id, grid));
    }
    column->addLayout(grid);
    auto* note = wrappedLabel(page);
    note->setText(tr("The rules are those of the Prometheus alerts that come with Restante, as far "
                     "as the console can know. Nothing fires on what is not known."));
    note->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(note);
    auto* buttonRow = new QHBoxLayout;
    sound_ = makeWidget<QCheckBox>("alertSound", tr("&Beep when an alert begins"), page);
    auto* reset = makeWidget<QPushButton>("resetAlerts", tr("Reset to &Defaults"), page);
    connect(reset, &QPushButton::clicked, this, [this] {
        loadAlerts(standardAlertSettings());
        sound_->setChecked(false);
    });
    buttonRow->addWidget(sound_);
    buttonRow->addStretch(1);
    buttonRow->addWidget(reset);
    column->addLayout(buttonRow);
    column->addStretch(1);
}

PreferencesDialog::AlertFields PreferencesDialog::buildAlert(AlertId id, QGridLayout* grid)
{
    constexpr int kDaySeconds = 86'400;
    const auto& rule = alertRule(id);
    const std::string name(rule.name);
    auto* page = tabs_->widget(alertTab_);
    const auto row = grid->rowCount();
    const auto title = alertTitle(id);
    AlertFields fields{id, makeWidget<QCheckBox>((name + "On").c_str(), title, page), nullptr,
                       makeWidget<QSpinBox>((name + "Holds").c_str(), page)};
    auto* condition = plainLabel(page);
    condition->setText(alertCondition(id));
    fields.holdSeconds->setRange(0, kDaySeconds);
    fields.holdSeconds->setSuffix(tr(" s", "seconds"));
    fields.holdSeconds->setAccessibleName(tr("%1: for how long", "an alert").arg(title));
    grid->addWidget(fields.on, row, 0);
    grid->addWidget(condition, row, 1);
    grid->addWidget(fields.holdSeconds, row, 3);
    if (rule.compare == AlertRule::Compare::Above) {
        auto* threshold = makeWidget<QDoubleSpinBox>((name + "Threshold").c_str(), page);
        threshold->setDecimals(rule.unit == AlertRule::Unit::Count ? 0 : 1);
        threshold->setRange(0, rule.unit == AlertRule::Unit::Share ? 100 : 1'000'000);
        threshold->setSuffix(rule.unit == AlertRule::Unit::Seconds ? tr(" s", "seconds")
                             : rule.unit == AlertRule::Unit::Share ? tr(" %")
                                                                   : QString());
        threshold->setAccessibleName(tr("%1: threshold", "an alert").arg(title));
        grid->addWidget(threshold, row, 2);
        fields.threshold = threshold;
    }
    connect(fields.on, &QCheckBox::toggled, this, [fields, condition](bool on) {
        for (QWidget* field :
             {static_cast<QWidget*>(fields.threshold), static_cast<QWidget*>(fields.holdSeconds),
              static_cast<QWidget*>(condition)}) {
            if (field != nullptr) {
                field->setEnabled(on);
            }
        }
    });
    return fields;
}

void PreferencesDialog::loadAlerts(const AlertSettings& settings)
{
    for (const auto& fields : alerts_) {
        const auto& setting = settings[static_cast<std::size_t>(fields.id)];
        const bool isShare = alertRule(fields.id).unit == AlertRule::Unit::Share;
        if (fields.threshold != nullptr) {
            fields.threshold->setValue(isShare ? setting.threshold * 100 : setting.threshold);
        }
        fields.holdSeconds->setValue(static_cast<int>(setting.holdTime.count() / 1'000));
        fields.on->setChecked(!setting.on);  // so that toggled() is emitted in any case
        fields.on->setChecked(setting.on);
    }
}

AlertSetting PreferencesDialog::settingOf(const AlertFields& fields) const
{
    auto setting = AlertSetting::of(alertRule(fields.id));
    setting.on = fields.on->isChecked();
    setting.holdTime = Millis{std::int64_t{fields.holdSeconds->value()} * 1'000};
    if (fields.threshold != nullptr) {
        const bool isShare = alertRule(fields.id).unit == AlertRule::Unit::Share;
        setting.threshold = isShare ? fields.threshold->value() / 100 : fields.threshold->value();
    }
    return setting;
}

void PreferencesDialog::showAlerts()
{
    tabs_->setCurrentIndex(alertTab_);
}

void PreferencesDialog::load()
{
    loadAlerts(alertSettings(preferences_));
    sound_->setChecked(alertSound(preferences_));
    language_->setCurrentIndex(std::max(0, language_->findData(preferences_.language())));
    scheme_->setCurrentIndex(scheme_->findData(static_cast<int>(preferences_.scheme())));
    zone_->setCurrentIndex(std::max(0, zone_->findData(preferences_.timeZone())));
    relative_->setChecked(preferences_.relativeTimes());
    liveInterval_->setValue(preferences_.liveIntervalMs());
    typedCountFrom_->setValue(preferences_.typedCountFrom());
    clock24_->setChecked(preferences_.clock24());
    groupedNumbers_->setChecked(preferences_.groupedNumbers());
    productionCountFrom_->setValue(preferences_.productionCountFrom());
    payloadChunk_->setValue(static_cast<int>(PayloadLimits::of(preferences_).chunkSize / 1'024));
    reopenLast_->setChecked(preferences_.reopensLast());
    updateZone();
}

QByteArray PreferencesDialog::zone() const
{
    const auto at = zone_->findText(zone_->currentText());
    return at < 0 ? QByteArrayLiteral("?") : zone_->itemData(at).toByteArray();
}

void PreferencesDialog::updateZone()
{
    const auto id = zone();
    const auto chosen = id.isEmpty() ? QTimeZone::systemTimeZone() : QTimeZone(id);
    const bool known = chosen.isValid();
    zoneHint_->setText(known ? tr("Now it is %1 there.")
                                   .arg(QDateTime::currentDateTime().toTimeZone(chosen).toString(
                                       QStringLiteral("yyyy-MM-dd HH:mm")))
                             : tr("No time zone is called so. Choose one of the list, for example "
                                  "Europe/Berlin."));
    if (auto* buttons = findChild<QDialogButtonBox*>()) {
        buttons->button(QDialogButtonBox::Ok)->setEnabled(known);
    }
}

void PreferencesDialog::accept()
{
    preferences_.setTimeZone(zone());
    preferences_.setRelativeTimes(relative_->isChecked());
    preferences_.setLiveIntervalMs(liveInterval_->value());
    preferences_.setTypedCountFrom(typedCountFrom_->value());
    preferences_.setClock24(clock24_->isChecked());
    preferences_.setGroupedNumbers(groupedNumbers_->isChecked());
    preferences_.setProductionCountFrom(productionCountFrom_->value());
    preferences_.setValue(PayloadLimits::chunkSizeKey(), payloadChunk_->value());
    preferences_.setReopensLast(reopenLast_->isChecked());
    for (const auto& fields : alerts_) {
        setAlertSetting(preferences_, fields.id, settingOf(fields));
    }
    setAlertSound(preferences_, sound_->isChecked());
    preferences_.setScheme(static_cast<Scheme>(scheme_->currentData().toInt()));
    preferences_.setLanguage(language_->currentData().toString());
    QDialog::accept();
}

}  // namespace restante::gui
