#pragma once

#include "core/base/alert_evaluator.h"
#include "gui/session/alert_values.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

namespace restante::gui {

class Backend;
class Preferences;
class StoreSession;

/// Evaluates the alert rules with the samples that the window takes anyway, and reports begin and
/// end of alerts. Opening another store drops all alerts. *Thread of the window.*
class AlertWatch : public QObject {
    Q_OBJECT

public:
    /// How long muting lasts.
    static constexpr Millis kMuteTime{3'600'000};

    explicit AlertWatch(Preferences& preferences, QObject* parent = nullptr);

    /// Null = no store, no alerts.
    void open(StoreSession* session);
    void addSample(const redis::StoreStats& sample);
    /// None = unknown.
    void setDaemons(std::optional<std::vector<redis::DaemonView>> daemons);

    const AlertEvaluator& alerts() const noexcept { return evaluator_; }
    bool isOpen() const;
    /// The store's time.
    TimePoint now() const;
    void acknowledge(AlertId rule);
    void acknowledgeAll();
    /// Suppresses notifications and sound; alerts stay listed.
    void setMuted(bool muted);
    bool isMuted() const { return muteTimer_.isActive(); }

signals:
    /// A rule, its value or the muting may have changed; about once a second while a store is open.
    void changed();
    /// Once for each time that a rule fires, muted or not.
    void began(const restante::AlertEpisode& alert);
    void ended(const restante::AlertEpisode& alert);

private:
    void applySettings();
    void evaluate();

    Preferences& preferences_;
    QPointer<Backend> backend_;
    AlertValues values_;
    AlertEvaluator evaluator_;
    QTimer evaluationTimer_;
    QTimer muteTimer_;
};

}  // namespace restante::gui
