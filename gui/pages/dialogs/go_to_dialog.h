#pragma once

#include "gui/pages/dialogs/dialog_parts.h"

namespace restante::gui {

class StoreSession;

/// Finds a job by its id. *Thread of the window.*
class GoToDialog : public FormDialog {
    Q_OBJECT

public:
    GoToDialog(StoreSession& session, QWidget* parent);

signals:
    void found(const QString& id);

private:
    void lookUp();
    void retranslate() override;

    StoreSession& session_;
    QLineEdit* id_ = nullptr;
};

}  // namespace restante::gui
