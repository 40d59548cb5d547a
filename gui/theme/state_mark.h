#pragma once

#include "gui/theme/theme.h"

#include <QWidget>

namespace restante::gui {

/// A small sign that says how something is by shape and colour: a disc is well, a triangle wants a
/// look, a cross is broken, a ring is neither. Words stand beside it. *Thread of the window.*
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
