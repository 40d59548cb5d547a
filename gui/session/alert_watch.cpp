#include "gui/session/alert_watch.h"

#include "gui/base/preferences.h"
#include "gui/session/alert_settings.h"
#include "gui/session/store_session.h"

#include <QDateTime>

namespace restante::gui {

namespace {

/// A rule fires within a second after it has held for long enough.
constexpr int kEvaluationIntervalMs = 1'000;

}  // namespace

AlertWatch::AlertWatch(Preferences& preferences, QObject* parent)
    : QObject(parent),
      preferences_(preferences)
{
    evaluationTimer_.setInterval(kEvaluationIntervalMs);
    connect(&evaluationTimer_, &QTimer::timeout, this, &AlertWatch::evaluate);
    muteTimer_.setSingleShot(true);
    muteTimer_.setInterval(static_cast<int>(kMuteTime.count()));
    connect(&muteTimer_, &QTimer::timeout, this, &AlertWatch::changed);
    connect(&preferences_, &Preferences::changed, this, &AlertWatch::applySettings);
    applySettings();
}

void AlertWatch::open(StoreSession* session)
{
    if (backend_ != nullptr) {
        backend_->disconnect(this);
    }
    backend_ = session == nullptr ? nullptr : &session->backend();
    values_ = {};
    evaluator_ = {};
    evaluator_.setSettings(alertSettings(preferences_), now());
    evaluationTimer_.stop();
    if (backend_ != nullptr) {
        connect(backend_, &Backend::linkChanged, this, &AlertWatch::evaluate);
        evaluationTimer_.start();
    }
    evaluate();
}

void AlertWatch::addSample(const Sample& sample)
{
    values_.addSample(sample);
    evaluate();
}

void AlertWatch::setDaemons(std::optional<std::vector<DaemonView>> daemons)
{
    values_.setDaemons(std::move(daemons));
    evaluate();
}

bool AlertWatch::isOpen() const
{
    return backend_ != nullptr;
}

TimePoint AlertWatch::now() const
{
    return backend_ == nullptr ? fromEpochMs(QDateTime::currentMSecsSinceEpoch())
                               : backend_->source().now();
}

void AlertWatch::applySettings()
{
    const auto settings = alertSettings(preferences_);
    if (settings != evaluator_.settings()) {
        evaluator_.setSettings(settings, now());
        evaluate();
    }
}

void AlertWatch::evaluate()
{
    if (backend_ != nullptr) {
        values_.setLink(backend_->link());
        const auto changes = evaluator_.evaluate(values_.readings(now()), now());
        for (const auto& change : changes) {
            if (change.kind == AlertChange::Kind::Began) {
                emit began(change.episode);
            } else {
                emit ended(change.episode);
            }
        }
    }
    emit changed();
}

void AlertWatch::acknowledge(AlertId rule)
{
    evaluator_.acknowledge(rule);
    emit changed();
}

void AlertWatch::acknowledgeAll()
{
    for (const auto& rule : alertRules()) {
        evaluator_.acknowledge(rule.id);
    }
    emit changed();
}

void AlertWatch::setMuted(bool muted)
{
    if (muted == isMuted()) {
        return;
    }
    if (muted) {
        muteTimer_.start();
    } else {
        muteTimer_.stop();
    }
    emit changed();
}

}  // namespace restante::gui
