#pragma once

#include <QObject>
#include <QString>

class QComboBox;
class QFormLayout;
class QLineEdit;
class QWidget;

namespace restante::gui {

/// The rows of a form that say how we log in at sentinels. *Thread of the window.*
class SentinelFields : public QObject {
    Q_OBJECT

public:
    /// Adds its rows to `form`.
    SentinelFields(QFormLayout* form, QWidget* parent);

    enum class LogIn {
        AsAtRedis,  ///< should they want it
        Own,        ///< with a password in the keychain
    };
    LogIn logIn() const;
    QString user() const;      ///< empty = the default user
    QString password() const;  ///< what was typed
    void setLogIn(LogIn logIn, const QString& user);
    void setPassword(const QString& password);
    /// Whether there are sentinels.
    void setPossible(bool possible);
    void retranslate();

signals:
    void edited();

private:
    void showRows();

    QFormLayout* form_;
    bool possible_ = true;
    QComboBox* logIn_ = nullptr;
    QLineEdit* user_ = nullptr;
    QLineEdit* password_ = nullptr;
};

}  // namespace restante::gui
