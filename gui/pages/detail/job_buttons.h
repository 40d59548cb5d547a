#pragma once

#include "core/job/job.h"
#include "core/queue/bulk_action.h"

#include <QWidget>

#include <optional>
#include <vector>

class QAction;
class QMenu;
class QToolButton;

namespace restante::gui {

/// What can be done with the job that is shown: Run Now, and the rest in a menu. *Thread of the
/// window.*
class JobButtons : public QWidget {
    Q_OBJECT

public:
    explicit JobButtons(QWidget* parent = nullptr);

    /// Enables what may start from this state; `refusal` says why nothing can be written, empty =
    /// it can.
    void setContent(const std::optional<JobView>& view, const QString& refusal);
    void retranslate();
    QAction* action(BulkAction::Verb verb) const;

signals:
    void wanted(restante::BulkAction::Verb verb);

private:
    struct Entry {
        BulkAction::Verb verb;
        QAction* action;
    };
    QToolButton* run_ = nullptr;
    QToolButton* more_ = nullptr;
    QMenu* menu_ = nullptr;
    std::vector<Entry> entries_;
};

}  // namespace restante::gui
