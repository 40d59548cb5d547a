#pragma once

#include "core/base/error.h"
#include "gui/theme/message_bar.h"

#include <QElapsedTimer>
#include <QTimer>

#include <optional>

namespace restante::gui {

/// Above a table whose rows could not be brought up to date: why, how old they are, Retry and Copy
/// Details. *Thread of the window.*
class ErrorBar : public MessageBar {
    Q_OBJECT

public:
    explicit ErrorBar(QWidget* parent = nullptr);

    /// Shown while there is an error; `hasRows`: there is something old to look at.
    void setContent(const std::optional<Error>& error, bool hasRows);
    /// What is shown is true now.
    void fresh();

protected:
    void changeEvent(QEvent* event) override;

private:
    void rewrite();

    std::optional<Error> error_;
    bool hasRows_ = false;
    QElapsedTimer lastGood_;
    QTimer tick_;
};

}  // namespace restante::gui
