#pragma once

#include "core/queue/bulk_action.h"
#include "gui/actions/context.h"
#include "gui/session/jobs_view.h"

#include <QObject>
#include <QPointer>

#include <map>
#include <string>

class QWidget;

namespace restante::gui {

class StoreSession;

/// Windows that each show one job. They close with the connection. *Thread of the window.*
class JobWindows : public QObject {
    Q_OBJECT

public:
    /// `owner` is the parent of the windows.
    JobWindows(Context context, QWidget* owner);

    void open(StoreSession* session);
    /// Raises the window of that job if there is one.
    void showJob(const std::string& id);

signals:
    void filterRequested(const QString& term);
    void seriesRequested(const std::string& id);
    /// Do `verb` to exactly this job.
    void actionRequested(restante::BulkAction::Verb verb,
                         const restante::gui::Selection& selection);

private:
    QWidget* buildWindow(const std::string& id);

    Context context_;
    QWidget* owner_;
    StoreSession* session_ = nullptr;
    std::map<std::string, QPointer<QWidget>> windows_;
};

}  // namespace restante::gui
