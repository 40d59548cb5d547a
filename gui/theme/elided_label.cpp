#include "gui/theme/elided_label.h"

#include "gui/theme/table_style.h"

#include <QEvent>

#include <algorithm>

namespace restante::gui {

namespace {

/// Fewer letters would be meaningless.
constexpr int kLeastLetters = 6;

}  // namespace

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setWhole(const QString& text, const QString& tip)
{
    whole_ = text.simplified();
    setAccessibleName(whole_);
    setToolTip(literalTip(tip.isEmpty() ? whole_ : tip));
    updateGeometry();
    elide();
}

/// Never wider than the current width: a long text from outside must not widen the layout.
QSize ElidedLabel::sizeHint() const
{
    return {std::min(fontMetrics().horizontalAdvance(whole_) + 1,
                     std::max(width(), minimumSizeHint().width())),
            QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {std::min(fontMetrics().horizontalAdvance(whole_) + 1,
                     fontMetrics().averageCharWidth() * kLeastLetters),
            QLabel::minimumSizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event)
{
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        elide();
    }
}

void ElidedLabel::elide()
{
    setText(fontMetrics().elidedText(whole_, Qt::ElideMiddle, width()));
}

}  // namespace restante::gui
