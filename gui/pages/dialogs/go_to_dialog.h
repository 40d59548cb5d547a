#pragma once

#include "gui/pages/dialogs/dialog_parts.h"

namespace restante::gui {

class Session;

/// Finds a job by its id. *Thread of the window.*
class GoToDialog : public FormDialog {
    Q_OBJECT

public:
    GoToDialog(Session& session, QWidget* parent);

signals:
    void found(const QString& id);

private:
    void lookUp();
    void retranslate() override;

    Session& session_;
    QLineEdit* id_ = nullptr;
};

}  // namespace restante::gui
