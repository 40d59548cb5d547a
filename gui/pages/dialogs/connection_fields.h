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
    QToolButton& browse() const noexcept { return *browse_; }
    /// The file that is chosen counts as typed.
    void ask(const FileQuestion& question);

private:
    QLineEdit* edit_;
    QToolButton* browse_;
};

/// Rows of the form of a connection that are about one thing. *Thread of the window.*
class FieldGroup : public QObject {
    Q_OBJECT

public:
    /// Whether the store is one that can have it.
    void setPossible(bool possible);
    virtual void retranslate() = 0;

protected:
    FieldGroup(QFormLayout* form, QWidget* parent);

    virtual void showRows() = 0;

    QFormLayout* form_;
    bool possible_ = true;
};

/// How we log in at sentinels.
class SentinelFields : public FieldGroup {
    Q_OBJECT

public:
    SentinelFields(QFormLayout* form, QWidget* parent);

    enum class LogIn {
        AsAtRedis,  ///< should they want it
        Own,        ///< with a password in the keychain
    };
    LogIn logIn() const;
    QString user() const;      ///< empty = the default user
    QString password() const;  ///< what was typed
    void setLogIn(LogIn logIn, const QString& user);
    void setPassword(const QString& password) { password_->setText(password); }
    void retranslate() override;

private:
    void showRows() override;

    QComboBox* logIn_;
    QLineEdit* user_;
    QLineEdit* password_;
};

/// How TLS is spoken.
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

    QCheckBox* on_;
    QCheckBox* verify_;
    FileLine* ca_ = nullptr;
    QLineEdit* serverName_ = nullptr;
    FileLine* certificate_ = nullptr;
    FileLine* key_ = nullptr;
};

/// Through which machine a store is reached by ssh.
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

/// The title of a row, which is what a screen reader says of its field, too.
void nameRow(const QFormLayout* form, QWidget* field, const QString& title);
/// A row with a box of values whose texts come later.
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
T chosen(const QComboBox* box)
{
    return static_cast<T>(box->currentData().toInt());
}
template <class T>
void choose(QComboBox* box, T value)
{
    box->setCurrentIndex(box->findData(static_cast<int>(value)));
}
/// A sentence across the form.
QLabel* addNote(QFormLayout* form, const char* name, QWidget* parent);

}  // namespace restante::gui
