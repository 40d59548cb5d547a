#pragma once

#include "gui/pages/dialogs/dialog_parts.h"

namespace restante::gui {

class StoreSession;

/// Asks why a topic is to be paused, and pauses it. *Thread of the window.*
class PauseDialog : public FormDialog {
    Q_OBJECT

public:
    PauseDialog(StoreSession& session, std::string topic, QWidget* parent);

signals:
    /// The topic is paused, for this reason.
    void paused(const QString& reason);

private:
    void send();
    void retranslate() override;

    StoreSession& session_;
    std::string topic_;
    QLabel* heading_;
    QLabel* explanation_;
    QLineEdit* reason_ = nullptr;
};

}  // namespace restante::gui
