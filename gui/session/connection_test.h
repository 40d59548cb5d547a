#pragma once

#include "gui/session/connection_profile.h"
#include "gui/session/link_problem.h"

#include <QObject>
#include <QString>

#include <memory>

namespace restante::gui {

template <class Worker>
class WorkerThread;

/// Tries a profile out, step by step, journal included, and leaves again. *Thread of the window.*
/// Destroying it ends it.
class ConnectionTest : public QObject {
    Q_OBJECT

public:
    ConnectionTest(const ConnectionProfile& profile,
                   const QString& password,
                   QObject* parent = nullptr);
    ~ConnectionTest() override;

signals:
    void found(const restante::gui::LinkFinding& finding);
    /// After the last step.
    void finished(bool passed);

private:
    class Trial;
    std::unique_ptr<WorkerThread<Trial>> thread_;
};

}  // namespace restante::gui
