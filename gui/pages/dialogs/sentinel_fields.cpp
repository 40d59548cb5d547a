#include "gui/pages/dialogs/sentinel_fields.h"

#include "gui/pages/dialogs/form_row.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

namespace restante::gui {

SentinelFields::SentinelFields(QFormLayout* form, QWidget* parent) : QObject(parent), form_(form)
{
    logIn_ = new QComboBox(parent);
    logIn_->setObjectName(QStringLiteral("connectionSentinelLogIn"));
    for (const auto way : {LogIn::AsAtRedis, LogIn::Own}) {
        logIn_->addItem(QString(), static_cast<int>(way));
    }
    addLabelledRow(form_, logIn_);
    const auto line = [&](const char* name) {
        auto* edit = new QLineEdit(parent);
        edit->setObjectName(QString::fromLatin1(name));
        addLabelledRow(form_, edit);
        connect(edit, &QLineEdit::textEdited, this, &SentinelFields::edited);
        return edit;
    };
    user_ = line("connectionSentinelUser");
    password_ = line("connectionSentinelPassword");
    password_->setEchoMode(QLineEdit::Password);
    connect(logIn_, &QComboBox::currentIndexChanged, this, [this] {
        showRows();
        emit edited();
    });
}

SentinelFields::LogIn SentinelFields::logIn() const
{
    return possible_ ? static_cast<LogIn>(logIn_->currentData().toInt()) : LogIn::AsAtRedis;
}

QString SentinelFields::user() const
{
    return logIn() == LogIn::Own ? user_->text().trimmed() : QString();
}

QString SentinelFields::password() const
{
    return logIn() == LogIn::Own ? password_->text() : QString();
}

void SentinelFields::setLogIn(LogIn logIn, const QString& user)
{
    logIn_->setCurrentIndex(logIn_->findData(static_cast<int>(logIn)));
    user_->setText(user);
    password_->clear();
    showRows();
}

void SentinelFields::setPassword(const QString& password)
{
    password_->setText(password);
}

void SentinelFields::setPossible(bool possible)
{
    possible_ = possible;
    showRows();
}

void SentinelFields::showRows()
{
    const auto show = [this](QWidget* field, bool on) {
        field->setVisible(on);
        if (auto* label = form_->labelForField(field)) {
            label->setVisible(on);
        }
    };
    show(logIn_, possible_);
    show(user_, logIn() == LogIn::Own);
    show(password_, logIn() == LogIn::Own);
}

void SentinelFields::retranslate()
{
    const auto label = [this](QWidget* field, const QString& text) {
        if (auto* shown = qobject_cast<QLabel*>(form_->labelForField(field))) {
            shown->setText(text);
        }
        field->setAccessibleName(QString(text).remove(u'&').remove(u':'));
    };
    label(logIn_, tr("Log-in at the sentinels:"));
    label(user_, tr("User of the sentinels:"));
    label(password_, tr("Password of the sentinels:"));
    logIn_->setItemText(0, tr("As in Redis, should they want it"));
    logIn_->setItemText(1, tr("Their own, in the keychain"));
    user_->setPlaceholderText(tr("the default user"));
    password_->setPlaceholderText(tr("unchanged"));
}

}  // namespace restante::gui
