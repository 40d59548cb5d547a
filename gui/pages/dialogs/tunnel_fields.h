#pragma once

#include <QObject>
#include <QString>

class QFormLayout;
class QLabel;
class QLineEdit;
class QToolButton;
class QWidget;

namespace restante::gui {

/// The rows of a form that say through which machine a store is reached by ssh. *Thread of the
/// window.*
class TunnelFields : public QObject {
    Q_OBJECT

public:
    /// Adds its rows to `form`.
    TunnelFields(QFormLayout* form, QWidget* parent);

    /// [user@]host[:port]; empty when there is no tunnel.
    QString jumpHost() const;
    QString key() const;
    void setTunnel(const QString& jumpHost, const QString& key);
    /// Whether the store is one that can have it.
    void setPossible(bool possible);
    void retranslate();

signals:
    void edited();

private:
    void browse();
    void showRows();

    QFormLayout* form_;
    QWidget* parent_;
    bool possible_ = true;
    QLineEdit* host_ = nullptr;
    QWidget* keyRow_ = nullptr;
    QLineEdit* key_ = nullptr;
    QToolButton* choose_ = nullptr;
    QLabel* note_ = nullptr;
};

}  // namespace restante::gui
