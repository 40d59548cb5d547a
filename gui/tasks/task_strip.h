#pragma once

#include <QFrame>
#include <QTimer>

class QLabel;
class QProgressBar;
class QToolButton;

namespace restante::gui {

class JobActions;
class TaskBoard;

/// The line above the status bar with the running task or the result of the last one, and the
/// buttons Stop, Undo and Retry. Hidden while there is no task. *Thread of the window.*
class TaskStrip : public QFrame {
    Q_OBJECT

public:
    /// Borrows both.
    TaskStrip(TaskBoard& board, JobActions& actions, QWidget* parent);

signals:
    /// The user wants to see all tasks.
    void detailsRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void refresh();
    void retranslate();
    void handleEnd(int id);

    TaskBoard& board_;
    JobActions& actions_;
    int shownTaskId_ = 0;  ///< 0 = none
    QTimer showDelay_;     ///< a task that is quick shows its end only
    QTimer hideDelay_;     ///< what has ended well goes away by itself

    QLabel* icon_ = nullptr;
    QLabel* title_ = nullptr;
    QProgressBar* bar_ = nullptr;
    QLabel* outcome_ = nullptr;
    QToolButton* undo_ = nullptr;
    QToolButton* retry_ = nullptr;
    QToolButton* details_ = nullptr;
    QToolButton* stop_ = nullptr;
    QToolButton* close_ = nullptr;
};

}  // namespace restante::gui
