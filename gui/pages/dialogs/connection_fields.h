#pragma once

#include "core/redis/client/redis_url.h"
#include "gui/pages/dialogs/dialog_parts.h"

#include <QComboBox>
#include <QLineEdit>

#include <initializer_list>
#include <optional>

class QCheckBox;
class QToolButton;

namespace restante::gui {

/// A line for the name of a file, and a button that asks for it. *Thread of the window.*
class FileLine : public QWidget {
public:
    FileLine(const char* name, const char* browseName, QWidget* parent);

    QString text() const { return edit_->text().trimmed(); }
    QLineEdit& edit() const noexcept { return *edit_; }
    QToolButton& browseButton() const noexcept { return *browseButton_; }
    /// Opens a file dialog; the chosen file is set as if it was typed.
    void browseForFile(const FileDialogOptions& options);

private:
    QLineEdit* edit_;
    QToolButton* browseButton_;
};

/// A group of related rows in the form of a connection. *Thread of the window.*
class FieldGroup : public QObject {
    Q_OBJECT

public:
    /// Hides all rows when the kind of connection does not support them.
    void setAvailable(bool available);
    virtual void retranslate() = 0;

protected:
    FieldGroup(QFormLayout* form, QWidget* parent);

    virtual void showRows() = 0;

    QFormLayout* form_;
    bool isAvailable_ = true;
};

/// The log-in at the sentinels.
class SentinelFields : public FieldGroup {
    Q_OBJECT

public:
    SentinelFields(QFormLayout* form, QWidget* parent);

    enum class LogIn {
        AsAtRedis,  ///< as at Redis, if the sentinels require it
        Own,        ///< with a password in the keychain
    };
    LogIn logIn() const;
    /// Both empty unless the log-in is LogIn::Own.
    QString user() const;      ///< empty = the default user
    QString password() const;  ///< what was typed
    /// Empties the password, too.
    void setLogIn(LogIn logIn, const QString& user);
    void setPassword(const QString& password) { password_->setText(password); }
    void retranslate() override;

private:
    void showRows() override;

    QComboBox* logIn_;
    QLineEdit* user_;
    QLineEdit* password_;
};

/// The TLS options.
class TlsFields : public FieldGroup {
    Q_OBJECT

public:
    TlsFields(QFormLayout* form, QWidget* parent);

    using Tls = redis::RedisUrl::Tls;
    /// None when it is off.
    std::optional<Tls> tls() const;
    void setTls(const std::optional<Tls>& tls);
    void retranslate() override;

private:
    FileLine* addFile(const char* name, const char* browseName, QWidget* parent);
    void showRows() override;

    QCheckBox* tlsBox_;
    QCheckBox* verifyBox_;
    FileLine* ca_ = nullptr;
    QLineEdit* serverName_ = nullptr;
    FileLine* certificate_ = nullptr;
    FileLine* key_ = nullptr;
};

/// The ssh tunnel to the store.
class TunnelFields : public FieldGroup {
    Q_OBJECT

public:
    TunnelFields(QFormLayout* form, QWidget* parent);

    /// [user@]host[:port]; empty when there is no tunnel.
    QString jumpHost() const;
    QString key() const;
    void setTunnel(const QString& jumpHost, const QString& key);
    void retranslate() override;

private:
    void showRows() override;

    QLineEdit* host_;
    FileLine* key_;
    QLabel* note_ = nullptr;
};

/// Sets the title of a row, also as the accessible name of its field.
void nameRow(const QFormLayout* form, QWidget* field, const QString& title);
/// A row with a combo box of values; their texts are set later.
template <class T>
QComboBox*
addChoice(QFormLayout* form, const char* name, QWidget* parent, std::initializer_list<T> values)
{
    auto* box = addRow<QComboBox>(form, name, parent);
    for (const auto value : values) {
        box->addItem(QString(), static_cast<int>(value));
    }
    return box;
}
template <class T>
T selectedValue(const QComboBox* box)
{
    return static_cast<T>(box->currentData().toInt());
}
template <class T>
void selectValue(QComboBox* box, T value)
{
    box->setCurrentIndex(box->findData(static_cast<int>(value)));
}
/// A sentence across both columns of the form.
QLabel* addNote(QFormLayout* form, const char* name, QWidget* parent);

}  // namespace restante::gui
