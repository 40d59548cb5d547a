#pragma once

#include "gui/base/file_writer.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;
class QTableWidget;

namespace restante::gui {

class JobActions;
class TaskBoard;
class TasksModel;
struct Task;

/// All tasks of this connection with their progress, and what failed in the one that is selected.
/// *Thread of the window.*
class TasksPanel : public QWidget {
    Q_OBJECT

public:
    /// Borrows both.
    TasksPanel(TaskBoard& board, JobActions& actions, QWidget* parent);

    /// Writes a CSV line for each failure: id, code, message. `completed` is called at the end.
    static void writeFailures(const Task& task,
                              const QString& file,
                              QObject* receiver,
                              FileWriter::Completed completed);

protected:
    void changeEvent(QEvent* event) override;

private:
    void showProblem(const QString& problem);
    void build();
    QWidget* buildButtons();
    void retranslate();
    void updateButtons();
    void showFailures();
    void exportFailures();
    int selectedTask() const;

    TaskBoard& board_;
    JobActions& actions_;
    TasksModel* model_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    QLabel* emptyLabel_ = nullptr;
    QTableView* table_ = nullptr;
    QTableWidget* failures_ = nullptr;
    QPushButton* stop_ = nullptr;
    QPushButton* undo_ = nullptr;
    QPushButton* retry_ = nullptr;
    QPushButton* export_ = nullptr;
    QPushButton* clear_ = nullptr;
};

}  // namespace restante::gui
