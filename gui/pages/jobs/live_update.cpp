#include "gui/pages/jobs/live_update.h"

#include "gui/base/preferences.h"

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

/// How soon after a menu has closed, or the like, it looks again.
constexpr int kSoonMs = 200;
/// More than a screen has rows.
constexpr std::size_t kMostIds = 5'000;

}  // namespace

LiveUpdate::LiveUpdate(const Preferences& preferences, QObject* parent)
    : QObject(parent),
      preferences_(preferences)
{
    timer_.setSingleShot(true);
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this, &LiveUpdate::tell);
}

void LiveUpdate::setSource(JobSource* source)
{
    if (source_) {
        disconnect(source_, nullptr, this, nullptr);
    }
    source_ = source;
    timer_.stop();
    dirty_ = false;
    gathered_.clear();
    if (source != nullptr) {
        connect(source, &JobSource::changed, this, &LiveUpdate::handleChanges);
    }
}

void LiveUpdate::setOn(bool on)
{
    on_ = on;
    if (on_ && dirty_ && !timer_.isActive()) {
        timer_.start(0);
    } else if (!on_) {
        timer_.stop();
    }
}

void LiveUpdate::handleChanges(const ChangeBatch& batch)
{
    dirty_ = true;
    for (const auto& id : batch.ids) {
        if (gathered_.size() < kMostIds) {
            gathered_.insert(id);
        }
    }
    if (!on_ || timer_.isActive()) {
        return;
    }
    const auto since = sinceTold_.isValid() ? sinceTold_.elapsed() : preferences_.liveIntervalMs();
    timer_.start(static_cast<int>(std::max<qint64>(0, preferences_.liveIntervalMs() - since)));
}

void LiveUpdate::tell()
{
    if (!dirty_) {
        return;
    }
    if (isUserBusy_ && isUserBusy_()) {
        timer_.start(kSoonMs);
        return;
    }
    dirty_ = false;
    sinceTold_.start();
    due_ = std::exchange(gathered_, {});
    emit due();
}

}  // namespace restante::gui
