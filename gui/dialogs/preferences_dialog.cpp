#include "gui/dialogs/preferences_dialog.h"

#include "gui/app/languages.h"
#include "gui/app/preferences.h"
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
    tabs_->addTab(generalTab(), tr("&General"));
    tabs_->addTab(timeTab(), tr("&Time"));
    tabs_->addTab(liveTab(), tr("&Live Update"));
    tabs_->addTab(confirmTab(), tr("&Confirmations"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(tabs_, 1);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 72, fontMetrics().height() * 20);
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
    form->addRow(tr("L&anguage:"), language_);
    form->addRow(tr("&Colours:"), scheme_);
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
    form->addRow(tr("Times:"), relative_);
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
    form->addRow(tr("Type the count &from:"), typed_);
    form->addRow(QString(),
                 note(tr("When so many jobs or more are changed at once, their number must be "
                         "typed. In a connection marked Production it always must."),
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
    preferences_.setScheme(static_cast<Scheme>(scheme_->currentData().toInt()));
    preferences_.setLanguage(language_->currentData().toString());
    QDialog::accept();
}

}  // namespace restante::gui
