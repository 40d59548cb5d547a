#pragma once

#include "gui/pages/dialogs/connection_dialog.h"
#include "gui/pages/dialogs/connection_form.h"
#include "tests/gui/support/page_object.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>

namespace restante::gui::test {

class ConnectionDialogObject : public PageObject {
public:
    using PageObject::PageObject;

    ConnectionForm* form() const { return only<ConnectionForm>(); }
    QLineEdit* name() const { return named<QLineEdit>("connectionName"); }
    QLineEdit* socket() const { return named<QLineEdit>("connectionSocket"); }
    QLineEdit* config() const { return named<QLineEdit>("connectionConfig"); }
    QLineEdit* host() const { return named<QLineEdit>("connectionHost"); }
    QLineEdit* sentinels() const { return named<QLineEdit>("connectionSentinels"); }
    QLineEdit* master() const { return named<QLineEdit>("connectionMaster"); }
    QLineEdit* user() const { return named<QLineEdit>("connectionUser"); }
    QLineEdit* password() const { return named<QLineEdit>("connectionPassword"); }
    QLineEdit* sentinelUser() const { return named<QLineEdit>("connectionSentinelUser"); }
    QLineEdit* sentinelPassword() const { return named<QLineEdit>("connectionSentinelPassword"); }
    QLineEdit* jumpHost() const { return named<QLineEdit>("connectionJumpHost"); }
    QLineEdit* jumpKey() const { return named<QLineEdit>("connectionJumpKey"); }
    QLineEdit* serverName() const { return named<QLineEdit>("connectionServerName"); }
    QLineEdit* ca() const { return named<QLineEdit>("connectionCa"); }
    QLineEdit* certificate() const { return named<QLineEdit>("connectionCertificate"); }
    QLineEdit* key() const { return named<QLineEdit>("connectionKey"); }
    QComboBox* mode() const { return named<QComboBox>("connectionMode"); }
    QComboBox* kind() const { return named<QComboBox>("connectionKind"); }
    QComboBox* way() const { return named<QComboBox>("connectionWay"); }
    QComboBox* secret() const { return named<QComboBox>("connectionSecret"); }
    QComboBox* sentinelLogIn() const { return named<QComboBox>("connectionSentinelLogIn"); }
    QSpinBox* port() const { return named<QSpinBox>("connectionPort"); }
    QSpinBox* database() const { return named<QSpinBox>("connectionDatabase"); }
    QSpinBox* timeout() const { return named<QSpinBox>("connectionTimeout"); }
    QCheckBox* tls() const { return named<QCheckBox>("connectionTls"); }
    QCheckBox* verify() const { return named<QCheckBox>("connectionVerify"); }
    QPushButton* test() const { return named<QPushButton>("connectionTest"); }
    QPushButton* save() const { return named<QPushButton>("connectionSave"); }
    QPushButton* connect() const { return named<QPushButton>("connectionConnect"); }
    QListWidget* list() const { return named<QListWidget>("connectionList"); }
    QScrollArea* formArea() const { return named<QScrollArea>("connectionFormArea"); }
    QLabel* problem() const { return named<QLabel>("connectionProblem"); }
    /// What the test of the connection has told, a line a step.
    QStringList steps() const
    {
        QStringList texts;
        const auto* list = named<QListWidget>("connectionSteps");
        for (int at = 0; at < list->count(); ++at) {
            texts << list->item(at)->text();
        }
        return texts;
    }
};

/// Writes over what is in the field, as a person does.
inline void type(QLineEdit* field, const QString& text)
{
    field->setText(text);
    emit field->textEdited(text);
}
/// Chooses the entry that stands for the value.
inline void pick(QComboBox* box, int value)
{
    box->setCurrentIndex(box->findData(value));
}

}  // namespace restante::gui::test
