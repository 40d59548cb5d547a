#pragma once

#include "gui/session/job_source.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <set>
#include <string>

namespace restante::gui {

class Preferences;

/// Collects the changes of the store and says when the table should reload: no more often than the
/// preferences want, and not while the pause predicate forbids it. *Thread of the window.*
class LiveUpdate : public QObject {
    Q_OBJECT

public:
    explicit LiveUpdate(const Preferences& preferences, QObject* parent = nullptr);

    /// Null: no source.
    void setSource(JobSource* source);
    void setOn(bool on);
    /// While it returns true, `reloadRequested` is not emitted; it is called again shortly after.
    /// Changes meanwhile are kept.
    void setPausePredicate(std::function<bool()> mustPause) { mustPause_ = std::move(mustPause); }
    /// The jobs whose changes the last `reloadRequested` reported.
    const std::set<std::string>& changedIds() const noexcept { return changedIds_; }

signals:
    /// The store has changed, and the table should reload.
    void reloadRequested();

private:
    void handleChanges(const ChangeBatch& batch);
    void requestReload();

    const Preferences& preferences_;
    QPointer<JobSource> source_;
    std::function<bool()> mustPause_;
    QTimer timer_;
    QElapsedTimer sinceLastRequest_;
    std::set<std::string> pendingIds_;
    std::set<std::string> changedIds_;
    bool on_ = true;
    bool hasChanges_ = false;
};

}  // namespace restante::gui
