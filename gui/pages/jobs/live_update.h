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

/// Gathers what the store tells and says when the table should look again: no more often than the
/// preferences want, and not while the user drags or selects. *Thread of the window.*
class LiveUpdate : public QObject {
    Q_OBJECT

public:
    explicit LiveUpdate(const Preferences& preferences, QObject* parent = nullptr);

    /// Null: listens to nobody.
    void setSource(JobSource* source);
    void setOn(bool on);
    bool isOn() const noexcept { return on_; }
    /// While it answers true nothing is told; asked again shortly after. What has come meanwhile
    /// is not forgotten.
    void setPausePredicate(std::function<bool()> isUserBusy)
    {
        isUserBusy_ = std::move(isUserBusy);
    }
    /// Jobs that have changed since the last `due`.
    const std::set<std::string>& changedIds() const noexcept { return due_; }

signals:
    /// The store has changed, and it is time to look.
    void due();

private:
    void handleChanges(const ChangeBatch& batch);
    void tell();

    const Preferences& preferences_;
    QPointer<JobSource> source_;
    std::function<bool()> isUserBusy_;
    QTimer timer_;
    QElapsedTimer sinceTold_;
    std::set<std::string> gathered_;
    std::set<std::string> due_;
    bool on_ = true;
    bool dirty_ = false;
};

}  // namespace restante::gui
