#pragma once

#include "gui/theme/theme.h"

#include <QWidget>

namespace restante::gui {

/// A small mark that shows a Severity by shape and colour: disc = Good, triangle = Warning, cross =
/// Bad, ring = Notice. Text beside it says the same. *Thread of the window.*
class SeverityMark : public QWidget {
    Q_OBJECT

public:
    explicit SeverityMark(QWidget* parent = nullptr);

    void setSeverity(Theme::Severity severity);
    Theme::Severity severity() const noexcept { return severity_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme::Severity severity_ = Theme::Severity::Notice;
};

}  // namespace restante::gui
