#pragma once

#include "gui/pages/jobs/jobs_table.h"

#include <QDialog>

class QListWidget;
class QPushButton;

namespace restante::gui {

/// Chooses and orders the columns of a table; what is changed shows at once. *Thread of the
/// window.*
class ColumnsDialog : public QDialog {
    Q_OBJECT

public:
    ColumnsDialog(JobsTable& table, Preferences& preferences, QWidget* parent = nullptr);

private:
    void fill();
    void moveColumn(int by);

    JobsTable& table_;
    QListWidget* list_;
    QPushButton* up_;
    QPushButton* down_;
    bool filling_ = false;
};

}  // namespace restante::gui
