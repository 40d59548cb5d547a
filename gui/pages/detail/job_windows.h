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

class JobDetail;
class StoreSession;

/// Jobs in windows of their own, one window a job. They close with the connection. *Thread of the
/// window.*
class JobWindows : public QObject {
    Q_OBJECT

public:
    /// The windows stand above `owner` and end with it.
    JobWindows(Context context, QWidget* owner);

    void open(StoreSession* session);
    /// Raises the window of that job if there is one.
    void showJob(const std::string& id);

signals:
    void filterRequested(const QString& term);
    void seriesRequested(const std::string& id);
    /// Do that to exactly this job.
    void actionRequested(restante::BulkAction::Verb verb,
                         const restante::gui::Selection& selection);

private:
    JobDetail* buildWindow(const std::string& id);

    Context context_;
    QWidget* owner_;
    StoreSession* session_ = nullptr;
    std::map<std::string, QPointer<QWidget>> windows_;
};

}  // namespace restante::gui
