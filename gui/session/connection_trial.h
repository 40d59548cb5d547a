#pragma once

#include "gui/session/connection_profile.h"
#include "gui/session/link_problem.h"

#include <QObject>
#include <QString>

#include <memory>

namespace restante::gui {

template <class Worker>
class WorkerThread;

/// Tries a profile step by step, including the journal, then disconnects. *Thread of the window.*
/// Destruction aborts it.
class ConnectionTrial : public QObject {
    Q_OBJECT

public:
    ConnectionTrial(const ConnectionProfile& profile,
                    const QString& password,
                    QObject* parent = nullptr);
    ~ConnectionTrial() override;

signals:
    void stepFinished(const restante::gui::LinkFinding& finding);
    /// After the last step.
    void finished(bool passed);

private:
    class TrialRun;
    std::unique_ptr<WorkerThread<TrialRun>> thread_;
};

}  // namespace restante::gui
