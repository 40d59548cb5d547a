#pragma once

#include "gui/pages/jobs/jobs_feed.h"

#include <QFrame>

class QLabel;
class QProgressBar;
class QToolButton;

namespace restante::gui {

/// Under the filter while a view is looked through job by job: how far it is, Stop and Continue.
/// *Thread of the window.*
class ScanStrip : public QFrame {
    Q_OBJECT

public:
    explicit ScanStrip(QWidget* parent = nullptr);

    /// `of` = jobs to look at, 0 = nobody knows. `counting`: a count looks at them as well.
    void setContent(const ScanState& scan, std::uint64_t of, bool counting);
    /// The store has moved on since this was found.
    void setOutdated(bool outdated);

signals:
    void stopWanted();
    void continueWanted();
    void againWanted();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    ScanState scan_;
    std::uint64_t of_ = 0;
    bool counting_ = false;
    bool outdated_ = false;
    QLabel* text_;
    QProgressBar* bar_;
    QToolButton* stop_;
    QToolButton* continue_;
    QToolButton* again_;
};

}  // namespace restante::gui
