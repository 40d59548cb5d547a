#include "gui/pages/dialogs/preferences_dialog.h"

#include "gui/base/languages.h"
#include "gui/base/preferences.h"
#include "gui/pages/page_parts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFormLayout>
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
    buildLooks();
    buildTimes();
    buildWork();
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

QSpinBox* PreferencesDialog::addNumber(const QString& title, const char* name, int least, int most)
{
    auto* number = addField<QSpinBox>(title, name);
    number->setRange(least, most);
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

void PreferencesDialog::buildLooks()
{
    addTab(tr("&General"));
    language_ = addField<QComboBox>(tr("Lang&uage:"), "language");
    language_->addItem(tr("As the desktop says"), QString());
    for (const auto& language : Languages::all()) {
        language_->addItem(language.name, language.code);
    }
    addNote(tr("The console speaks it at once."));
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
    zoneSays_ = addNote({});
    zoneSays_->setObjectName(QStringLiteral("zoneSays"));
    connect(zone_, &QComboBox::editTextChanged, this, &PreferencesDialog::updateZone);
    relative_ =
        addField<QCheckBox>(tr("Times:"), "relative", tr("&Relative: “in 2 h”, “3 min ago”"));
    clock24_ = addField<QCheckBox>({}, "clock24", tr("24 hour&s: “20:41” instead of “08:41 PM”"));
    grouped_ = addField<QCheckBox>(tr("Numbers:"), "grouped", tr("Separate t&housands: “1,204”"));
    addTab(tr("&Live Update"));
    live_ = addNumber(tr("Look &every:"), "liveInterval", 250, 60'000);
    live_->setSingleStep(250);
    live_->setSuffix(tr(" ms"));
    addNote(tr("How often tables follow the store while Live Update is on: "
               "250 ms to a minute."));
}

void PreferencesDialog::buildWork()
{
    addTab(tr("&Confirmations"));
    typed_ = addNumber(tr("Type the count &from:"), "typedCount", 1, 1'000'000'000);
    addNote(tr("When so many jobs or more are changed at once, their number must be typed."));
    production_ = addNumber(tr("In pro&duction from:"), "productionCount", 1, 1'000'000'000);
    addNote(tr("In a connection marked Production a dialog always asks about more than "
               "one job, and from so many on their number must be typed."));
    for (auto* number : {typed_, production_}) {
        number->setGroupSeparatorShown(true);
    }
    addTab(tr("&Payload"));
    part_ = addNumber(tr("&Show at once:"), "payloadPart", PayloadLimits::kLeastKiB,
                      PayloadLimits::kMostKiB);
    part_->setSingleStep(16);
    part_->setSuffix(tr(" KiB"));
    addNote(tr("A longer payload is shown part by part, so that the window never waits "
               "for it. Searching and saving are about all of it."));
    addTab(tr("C&onnections"));
    reopens_ = addField<QCheckBox>(tr("At the start:"), "reopensLast",
                                   tr("Open the wi&ndows and connections of the last time again"));
    addNote(tr("Connections themselves are made and changed with File, Open Connection."));
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
