#pragma once

#include "core/redis/client/redis_url.h"

#include <QObject>

#include <optional>

class QCheckBox;
class QFormLayout;
class QLineEdit;
class QWidget;

namespace restante::gui {

/// The rows of a form that say how TLS is spoken. *Thread of the window.*
class TlsFields : public QObject {
    Q_OBJECT

public:
    /// Adds its rows to `form`.
    TlsFields(QFormLayout* form, QWidget* parent);

    /// None when it is off.
    std::optional<redis::RedisUrl::Tls> tls() const;
    void setTls(const std::optional<redis::RedisUrl::Tls>& tls);
    /// Whether the store is one that can have it.
    void setPossible(bool possible);
    void retranslate();

signals:
    void edited();

private:
    struct File {
        QLineEdit* edit = nullptr;
        QWidget* row = nullptr;
    };

    File addFile(const char* name);
    void browse(QLineEdit* edit);
    void showRows();

    QFormLayout* form_;
    QWidget* parent_;
    bool possible_ = true;
    QCheckBox* on_ = nullptr;
    QCheckBox* verify_ = nullptr;
    File ca_;
    QLineEdit* serverName_ = nullptr;
    File certificate_;
    File key_;
};

}  // namespace restante::gui
