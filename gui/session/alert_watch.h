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

/// Judges the alerts of a store by what the window has asked it anyway, and says what begins and
/// what ends. Another store has none of what was before. *Thread of the window.*
class AlertWatch : public QObject {
    Q_OBJECT

public:
    /// How long somebody who wants to hear nothing hears nothing.
    static constexpr Millis kMute{3'600'000};

    explicit AlertWatch(Preferences& preferences, QObject* parent = nullptr);

    /// Null: there is no store, and nothing is judged.
    void open(StoreSession* session);
    void addSample(const redis::StoreStats& sample);
    /// None = nobody knows.
    void setDaemons(std::optional<std::vector<redis::DaemonView>> daemons);

    const AlertEvaluator& alerts() const noexcept { return evaluator_; }
    bool isOpen() const;
    /// The store's time.
    TimePoint now() const;
    void acknowledge(AlertId rule);
    void acknowledgeAll();
    /// Nothing is told aloud meanwhile; what fires is still listed.
    void setMuted(bool muted);
    bool isMuted() const { return mute_.isActive(); }

signals:
    /// A rule, its value, or whether it is muted.
    void changed();
    /// Once for each time that a rule fires, muted or not.
    void began(const restante::AlertEpisode& alert);
    void ended(const restante::AlertEpisode& alert);

private:
    void applySettings();
    void judge();

    Preferences& preferences_;
    QPointer<Backend> backend_;
    AlertValues values_;
    AlertEvaluator evaluator_;
    QTimer pace_;
    QTimer mute_;
};

}  // namespace restante::gui
