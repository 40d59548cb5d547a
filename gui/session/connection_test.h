#pragma once

#include "gui/session/connection_profile.h"
#include "gui/session/link_problem.h"

#include <QObject>
#include <QString>

#include <memory>

namespace restante::gui {

template <class Worker>
class WorkerThread;

/// Tests a profile step by step, including the journal, then disconnects. *Thread of the window.*
/// Destruction aborts it.
class ConnectionTest : public QObject {
    Q_OBJECT

public:
    ConnectionTest(const ConnectionProfile& profile,
                   const QString& password,
                   QObject* parent = nullptr);
    ~ConnectionTest() override;

signals:
    void stepFinished(const restante::gui::LinkFinding& finding);
    /// After the last step.
    void finished(bool passed);

private:
    class TestRun;
    std::unique_ptr<WorkerThread<TestRun>> thread_;
};

}  // namespace restante::gui
