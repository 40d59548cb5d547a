#pragma once

#include "gui/pages/dialogs/connection_fields.h"
#include "gui/session/connection_profile.h"

class QSpinBox;

namespace restante::gui {

/// The fields of one connection. *Thread of the window.*
class ConnectionForm : public QWidget {
    Q_OBJECT

public:
    explicit ConnectionForm(QWidget* parent = nullptr);

    void setProfile(const ConnectionProfile& profile);
    /// The profile that the fields describe.
    ConnectionProfile profile() const;
    /// What was typed; it is not shown again once it is in the keychain.
    QString password() const { return password_->text(); }
    void setPassword(const QString& password) { password_->setText(password); }
    /// The same for the sentinels.
    QString sentinelPassword() const { return sentinelLogIn_->password(); }
    void setSentinelPassword(const QString& password) { sentinelLogIn_->setPassword(password); }
    /// Puts the focus on the first field.
    void focusFirstField();

signals:
    void edited();

private:
    void buildStoreFields();
    QSpinBox* addNumber(const char* name, int minimum, int maximum);
    /// The Redis URL that the fields describe, without the password.
    QString url() const;
    void retranslate();
    void showFields();
    void showColor();

    ConnectionProfile profile_;
    QFormLayout* form_ = nullptr;
    QLineEdit* name_ = nullptr;
    QToolButton* color_ = nullptr;
    QComboBox* mode_ = nullptr;
    QComboBox* kind_ = nullptr;
    FileLine* config_ = nullptr;
    QComboBox* addressKind_ = nullptr;
    QLineEdit* host_ = nullptr;
    QSpinBox* port_ = nullptr;
    QLineEdit* socket_ = nullptr;
    QLineEdit* sentinelsOrNodes_ = nullptr;
    QLineEdit* master_ = nullptr;
    SentinelFields* sentinelLogIn_ = nullptr;
    TlsFields* tls_ = nullptr;
    TunnelFields* tunnel_ = nullptr;
    QSpinBox* database_ = nullptr;
    QLineEdit* user_ = nullptr;
    QComboBox* secret_ = nullptr;
    QLineEdit* password_ = nullptr;
    QLineEdit* prefix_ = nullptr;
    QLineEdit* journal_ = nullptr;
    QSpinBox* timeout_ = nullptr;
    QLabel* note_ = nullptr;
};

}  // namespace restante::gui
