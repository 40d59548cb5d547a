#pragma once

#include "core/base/error.h"

#include <QElapsedTimer>
#include <QFrame>
#include <QTimer>

#include <optional>

class QLabel;
class QPushButton;

namespace restante::gui {

/// Above a table whose rows could not be brought up to date: why, how old they are, Retry and Copy
/// Details. *Thread of the window.*
class TroubleBar : public QFrame {
    Q_OBJECT

public:
    explicit TroubleBar(QWidget* parent = nullptr);

    /// Shown while there is an error; `hasRows`: there is something old to look at.
    void show(const std::optional<Error>& error, bool hasRows);
    /// What is shown is true now.
    void fresh();
    QString text() const;

signals:
    void retryWanted();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    std::optional<Error> error_;
    bool hasRows_ = false;
    QElapsedTimer lastGood_;
    QTimer tick_;
    QLabel* icon_;
    QLabel* text_;
    QPushButton* retry_;
    QPushButton* copy_;
};

}  // namespace restante::gui
