#pragma once

#include "gui/pages/jobs/picked_jobs.h"

#include <QFrame>

class QLabel;
class QToolButton;

namespace restante::gui {

/// Under the table: what is selected and how to select all that match, and how many have come since
/// the user looked. *Thread of the window.*
class SelectionBar : public QFrame {
    Q_OBJECT

public:
    explicit SelectionBar(QWidget* parent = nullptr);

    /// `exact`: `total` is how many match, not only how many are known.
    void setContent(const PickedJobs& picks, std::uint64_t total, bool exact);
    enum class Where { Above, Below };
    void setNew(std::uint64_t count, Where where);
    QString text() const;

signals:
    void allWanted();
    void noneWanted();
    /// Go to what has come.
    void newWanted();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    std::uint64_t count_ = 0;
    std::uint64_t left_ = 0;
    std::uint64_t total_ = 0;
    bool all_ = false;
    bool exact_ = true;
    std::uint64_t new_ = 0;
    Where where_ = Where::Above;
    QLabel* text_;
    QToolButton* selectAll_;
    QToolButton* none_;
    QToolButton* pill_;
};

}  // namespace restante::gui
