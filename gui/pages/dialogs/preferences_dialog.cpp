#include "gui/pages/dialogs/preferences_dialog.h"

#include "gui/base/languages.h"
#include "gui/base/payload_limits.h"
#include "gui/base/preferences.h"
#include "gui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTimeZone>
#include <QVBoxLayout>

namespace restante::gui {

namespace {

/// A sentence below a field: why one would set it.
QLabel* note(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

}  // namespace

PreferencesDialog::PreferencesDialog(Preferences& preferences, QWidget* parent)
    : QDialog(parent),
      preferences_(preferences),
      tabs_(new QTabWidget(this))
{
    setObjectName(QStringLiteral("preferencesDialog"));
    setWindowTitle(tr("Preferences"));
    tabs_->setAccessibleName(tr("Kinds of preferences"));
    tabs_->setUsesScrollButtons(false);  // the dialog is as wide as all of them
    tabs_->addTab(generalTab(), tr("&General"));
    tabs_->addTab(appearanceTab(), tr("&Appearance"));
    tabs_->addTab(timeTab(), tr("&Time and Numbers"));
    tabs_->addTab(liveTab(), tr("&Live Update"));
    tabs_->addTab(confirmTab(), tr("&Confirmations"));
    tabs_->addTab(payloadTab(), tr("&Payload"));
    tabs_->addTab(connectionsTab(), tr("C&onnections"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(tabs_, 1);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 128, fontMetrics().height() * 20);
    load();
}

QWidget* PreferencesDialog::generalTab()
{
    auto* tab = new QWidget(tabs_);
    auto* form = new QFormLayout(tab);
    language_ = new QComboBox(tab);
    language_->setObjectName(QStringLiteral("language"));
    language_->addItem(tr("As the desktop says"), QString());
    for (const auto& language : Languages::all()) {
        language_->addItem(language.name, language.code);
    }
    form->addRow(tr("Lang&uage:"), language_);
    form->addRow(QString(), note(tr("The console speaks it at once."), tab));
    return tab;
}

QWidget* PreferencesDialog::appearanceTab()
{
    auto* tab = new QWidget(tabs_);
    auto* form = new QFormLayout(tab);
    scheme_ = new QComboBox(tab);
    scheme_->setObjectName(QStringLiteral("scheme"));
    scheme_->addItem(tr("As the desktop says"), static_cast<int>(Scheme::System));
    scheme_->addItem(tr("Light"), static_cast<int>(Scheme::Light));
    scheme_->addItem(tr("Dark"), static_cast<int>(Scheme::Dark));
    auto* forget = new QPushButton(tr("&Forget Them"), tab);
    forget->setObjectName(QStringLiteral("forgetLayouts"));
    connect(forget, &QPushButton::clicked, this, [this, forget] {
        preferences_.forgetLayouts();
        forget->setEnabled(false);
    });
    form->addRow(tr("Colou&rs:"), scheme_);
    forget->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    form->addRow(tr("Columns and sizes:"), forget);
    forget->setAccessibleName(tr("Forget columns and sizes"));
    return tab;
}

QWidget* PreferencesDialog::timeTab()
{
    auto* tab = new QWidget(tabs_);
    auto* form = new QFormLayout(tab);
    zone_ = new QComboBox(tab);
    zone_->setObjectName(QStringLiteral("zone"));
    zone_->setEditable(true);
    zone_->setInsertPolicy(QComboBox::NoInsert);
    zone_->addItem(tr("This machine's"), QByteArray());
    for (const auto& id : QTimeZone::availableTimeZoneIds()) {
        zone_->addItem(QString::fromLatin1(id), id);
    }
    zone_->completer()->setFilterMode(Qt::MatchContains);
    zone_->completer()->setCompletionMode(QCompleter::PopupCompletion);
    zoneSays_ = note({}, tab);
    zoneSays_->setObjectName(QStringLiteral("zoneSays"));
    relative_ = new QCheckBox(tr("&Relative: “in 2 h”, “3 min ago”"), tab);
    relative_->setObjectName(QStringLiteral("relative"));
    connect(zone_, &QComboBox::editTextChanged, this, &PreferencesDialog::tellZone);
    form->addRow(tr("Time &zone:"), zone_);
    form->addRow(QString(), zoneSays_);
    clock24_ = new QCheckBox(tr("24 hour&s: “20:41” instead of “08:41 PM”"), tab);
    clock24_->setObjectName(QStringLiteral("clock24"));
    grouped_ = new QCheckBox(tr("Separate t&housands: “1,204”"), tab);
    grouped_->setObjectName(QStringLiteral("grouped"));
    form->addRow(tr("Times:"), relative_);
    form->addRow(QString(), clock24_);
    form->addRow(tr("Numbers:"), grouped_);
    return tab;
}

QWidget* PreferencesDialog::liveTab()
{
    auto* tab = new QWidget(tabs_);
    auto* form = new QFormLayout(tab);
    live_ = new QSpinBox(tab);
    live_->setObjectName(QStringLiteral("liveInterval"));
    live_->setRange(250, 60'000);
    live_->setSingleStep(250);
    live_->setSuffix(tr(" ms"));
    form->addRow(tr("Look &every:"), live_);
    form->addRow(QString(), note(tr("How often tables follow the store while Live Update is on: "
                                    "250 ms to a minute."),
                                 tab));
    return tab;
}

QWidget* PreferencesDialog::confirmTab()
{
    auto* tab = new QWidget(tabs_);
    auto* form = new QFormLayout(tab);
    typed_ = new QSpinBox(tab);
    typed_->setObjectName(QStringLiteral("typedCount"));
    typed_->setRange(1, 1'000'000'000);
    typed_->setGroupSeparatorShown(true);
    production_ = new QSpinBox(tab);
    production_->setObjectName(QStringLiteral("productionCount"));
    production_->setRange(1, 1'000'000'000);
    production_->setGroupSeparatorShown(true);
    form->addRow(tr("Type the count &from:"), typed_);
    form->addRow(QString(),
                 note(tr("When so many jobs or more are changed at once, their number must be "
                         "typed."),
                      tab));
    form->addRow(tr("In pro&duction from:"), production_);
    form->addRow(QString(),
                 note(tr("In a connection marked Production a dialog always asks about more than "
                         "one job, and from so many on their number must be typed."),
                      tab));
    return tab;
}

QWidget* PreferencesDialog::payloadTab()
{
    auto* tab = new QWidget(tabs_);
    auto* form = new QFormLayout(tab);
    part_ = new QSpinBox(tab);
    part_->setObjectName(QStringLiteral("payloadPart"));
    part_->setRange(PayloadLimits::kLeastKiB, PayloadLimits::kMostKiB);
    part_->setSingleStep(16);
    part_->setSuffix(tr(" KiB"));
    form->addRow(tr("&Show at once:"), part_);
    form->addRow(QString(),
                 note(tr("A longer payload is shown part by part, so that the window never waits "
                         "for it. Searching and saving are about all of it."),
                      tab));
    return tab;
}

QWidget* PreferencesDialog::connectionsTab()
{
    auto* tab = new QWidget(tabs_);
    auto* form = new QFormLayout(tab);
    reopens_ = new QCheckBox(tr("Open the last con&nection again"), tab);
    reopens_->setObjectName(QStringLiteral("reopensLast"));
    form->addRow(tr("At the start:"), reopens_);
    form->addRow(QString(), note(tr("Connections themselves are made and changed with File, Open "
                                    "Connection."),
                                 tab));
    return tab;
}

void PreferencesDialog::load()
{
    language_->setCurrentIndex(std::max(0, language_->findData(preferences_.language())));
    scheme_->setCurrentIndex(scheme_->findData(static_cast<int>(preferences_.scheme())));
    zone_->setCurrentIndex(std::max(0, zone_->findData(preferences_.timeZone())));
    relative_->setChecked(preferences_.relativeTimes());
    live_->setValue(preferences_.liveIntervalMs());
    typed_->setValue(preferences_.typedCountFrom());
    clock24_->setChecked(preferences_.clock24());
    grouped_->setChecked(preferences_.groupedNumbers());
    production_->setValue(preferences_.productionCountFrom());
    part_->setValue(static_cast<int>(PayloadLimits::of(preferences_).part / 1'024));
    reopens_->setChecked(preferences_.reopensLast());
    tellZone();
}

QByteArray PreferencesDialog::zone() const
{
    const auto at = zone_->findText(zone_->currentText());
    return at < 0 ? QByteArrayLiteral("?") : zone_->itemData(at).toByteArray();
}

void PreferencesDialog::tellZone()
{
    const auto id = zone();
    const auto chosen = id.isEmpty() ? QTimeZone::systemTimeZone() : QTimeZone(id);
    const bool known = chosen.isValid();
    zoneSays_->setText(known ? tr("Now it is %1 there.")
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
    preferences_.setLiveIntervalMs(live_->value());
    preferences_.setTypedCountFrom(typed_->value());
    preferences_.setClock24(clock24_->isChecked());
    preferences_.setGroupedNumbers(grouped_->isChecked());
    preferences_.setProductionCountFrom(production_->value());
    preferences_.setValue(PayloadLimits::partKey(), part_->value());
    preferences_.setReopensLast(reopens_->isChecked());
    preferences_.setScheme(static_cast<Scheme>(scheme_->currentData().toInt()));
    preferences_.setLanguage(language_->currentData().toString());
    QDialog::accept();
}

}  // namespace restante::gui
