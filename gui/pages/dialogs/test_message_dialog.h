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

/// Sends one message to an address and, while it stands open, tells what becomes of it: what was
/// sent where, what was answered, why it waits. The message is given up after a while, so that
/// nobody gets a test hours later. *Thread of the window.*
class TestMessageDialog : public FormDialog {
    Q_OBJECT

public:
    /// How long a message waits for somebody who takes it.
    static constexpr Millis kLasts = std::chrono::minutes{10};

    TestMessageDialog(StoreSession& session,
                      const Preferences& preferences,
                      const QString& recipient,
                      QWidget* parent);

signals:
    void jobRequested(const QString& id);

private:
    void send();
    void watch(const std::string& id);
    void showProgress();
    void showSteps();
    /// What can be said of it now; true when nothing more will come.
    bool sayVerdict();
    QString clock(TimePoint at) const;
    void retranslate() override;

    StoreSession& session_;
    const Preferences& preferences_;
    JobWatch watch_;
    TimePoint stored_{};
    QTimer again_;             ///< the journal writes a little behind
    QElapsedTimer sinceGone_;  ///< invalid while the store has it

    QLineEdit* to_ = nullptr;
    QLineEdit* text_ = nullptr;
    QLabel* hint_ = nullptr;
    QListWidget* steps_ = nullptr;
    QPushButton* open_ = nullptr;
};

}  // namespace restante::gui
