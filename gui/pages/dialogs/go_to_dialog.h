#pragma once

#include "gui/pages/dialogs/dialog_parts.h"

#include <QDialog>

class QLineEdit;

namespace restante::gui {

class Session;

/// Finds a job by its id. *Thread of the window.*
class GoToDialog : public QDialog {
    Q_OBJECT

public:
    GoToDialog(Session& session, QWidget* parent);

signals:
    void found(const QString& id);

protected:
    void changeEvent(QEvent* event) override;

private:
    void lookUp();
    void retranslate();

    Session& session_;
    QLabel* title_ = nullptr;
    QLineEdit* id_ = nullptr;
    NoticeLine* notice_ = nullptr;
    Buttons buttons_{};
};

}  // namespace restante::gui
