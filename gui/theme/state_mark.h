#pragma once

#include "gui/theme/theme.h"

#include <QWidget>

namespace restante::gui {

/// A small mark that shows a Meaning by shape and colour: disc = Good, triangle = Warning, cross =
/// Bad, ring = Notice. Text beside it says the same. *Thread of the window.*
class StateMark : public QWidget {
    Q_OBJECT

public:
    explicit StateMark(QWidget* parent = nullptr);

    void setMeaning(Theme::Meaning meaning);
    Theme::Meaning meaning() const noexcept { return meaning_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme::Meaning meaning_ = Theme::Meaning::Notice;
};

}  // namespace restante::gui
