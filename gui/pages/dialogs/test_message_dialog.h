#pragma once

#include "gui/pages/detail/job_watch.h"
#include "gui/pages/dialogs/dialog_parts.h"

#include <QElapsedTimer>
#include <QTimer>

#include <string>

class QListWidget;

namespace restante::gui {

class Preferences;
class StoreSession;

/// Sends one message to an address and, while open, shows its delivery: the requests, the answers,
/// and why it waits. The message expires soon, so that nobody gets a test hours later. *Thread of
/// the window.*
class TestMessageDialog : public FormDialog {
    Q_OBJECT

public:
    /// How long the message waits for delivery before it expires.
    static constexpr Millis kExpiresAfter = std::chrono::minutes{10};

    TestMessageDialog(StoreSession& session,
                      const Preferences& preferences,
                      const QString& recipient,
                      QWidget* parent);

signals:
    void jobRequested(const QString& id);

private:
    void send();
    void startWatching(const std::string& id);
    void showProgress();
    void showSteps();
    /// Shows the outcome as far as known; true when it is final.
    bool showOutcome();
    QString timeText(TimePoint at) const;
    void retranslate() override;

    StoreSession& session_;
    const Preferences& preferences_;
    JobWatch jobWatch_;
    TimePoint storedAt_{};
    QTimer refreshTimer_;      ///< polls, as the journal is written with a delay
    QElapsedTimer sinceGone_;  ///< since the job left the store; invalid before

    QLineEdit* to_ = nullptr;
    QLineEdit* text_ = nullptr;
    QLabel* hint_ = nullptr;
    QListWidget* steps_ = nullptr;
    QPushButton* openButton_ = nullptr;
};

}  // namespace restante::gui
