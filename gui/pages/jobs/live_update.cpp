#include "gui/pages/jobs/live_update.h"

#include "gui/base/preferences.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// Interval between calls of the pause predicate while it returns true.
constexpr int kPauseRecheckMs = 200;
/// More than a screen has rows.
constexpr std::size_t kMaxPendingIds = 5'000;

}  // namespace

LiveUpdate::LiveUpdate(const Preferences& preferences, QObject* parent)
    : QObject(parent),
      preferences_(preferences)
{
    timer_.setSingleShot(true);
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this, &LiveUpdate::requestReload);
}

void LiveUpdate::setSource(JobSource* source)
{
    if (source_) {
        disconnect(source_, nullptr, this, nullptr);
    }
    source_ = source;
    timer_.stop();
    hasChanges_ = false;
    pendingIds_.clear();
    if (source != nullptr) {
        connect(source, &JobSource::changed, this, &LiveUpdate::handleChanges);
    }
}

void LiveUpdate::setOn(bool on)
{
    on_ = on;
    if (on_ && hasChanges_ && !timer_.isActive()) {
        timer_.start(0);
    } else if (!on_) {
        timer_.stop();
    }
}

void LiveUpdate::handleChanges(const ChangeBatch& batch)
{
    hasChanges_ = true;
    for (const auto& id : batch.ids) {
        if (pendingIds_.size() < kMaxPendingIds) {
            pendingIds_.insert(id);
        }
    }
    if (!on_ || timer_.isActive()) {
        return;
    }
    const auto elapsedMs =
        sinceLastRequest_.isValid() ? sinceLastRequest_.elapsed() : preferences_.liveIntervalMs();
    timer_.start(static_cast<int>(std::max<qint64>(0, preferences_.liveIntervalMs() - elapsedMs)));
}

void LiveUpdate::requestReload()
{
    if (!hasChanges_) {
        return;
    }
    if (mustPause_ && mustPause_()) {
        timer_.start(kPauseRecheckMs);
        return;
    }
    hasChanges_ = false;
    sinceLastRequest_.start();
    changedIds_ = std::exchange(pendingIds_, {});
    emit reloadRequested();
}

}  // namespace restante::gui
