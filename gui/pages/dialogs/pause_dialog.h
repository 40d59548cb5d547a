#pragma once

#include "gui/pages/dialogs/dialog_parts.h"

#include <QDialog>

#include <string>

class QLineEdit;

namespace restante::gui {

class Session;

/// Asks why a topic is to be paused, and pauses it. *Thread of the window.*
class PauseDialog : public QDialog {
    Q_OBJECT

public:
    PauseDialog(Session& session, std::string topic, QWidget* parent);

signals:
    void paused(const QString& reason);

protected:
    void changeEvent(QEvent* event) override;

private:
    void send();
    void retranslate();

    Session& session_;
    std::string topic_;
    QLabel* heading_ = nullptr;
    QLabel* meaning_ = nullptr;
    QLabel* reasonTitle_ = nullptr;
    QLineEdit* reason_ = nullptr;
    NoticeLine* notice_ = nullptr;
    Buttons buttons_{};
};

}  // namespace restante::gui
