#pragma once

#include "gui/theme/sparkline.h"
#include "gui/theme/theme.h"

#include <QString>
#include <QWidget>

#include <optional>

class QLabel;

namespace restante::gui {

class LinkButton;
class SeverityMark;

/// One number of the overview with title, details and a sparkline of the last 24 hours. The number
/// links to the jobs that it counts. *Thread of the window.*
class Figure : public QWidget {
    Q_OBJECT

public:
    explicit Figure(const char* name, QWidget* parent = nullptr);

    /// *Value.*
    struct Content {
        QString title;
        QString number;
        QString note = {};
        QString tip = {};
        /// The mark beside the number; none = no mark.
        std::optional<Theme::Severity> severity = {};
        Sparkline::Values day = {};
    };
    void setContent(const Content& content);

signals:
    void pressed();

private:
    QLabel* title_;
    SeverityMark* mark_;
    LinkButton* number_;
    QLabel* note_;
    Sparkline* sparkline_;
};

}  // namespace restante::gui
