#include "gui/theme/elided_label.h"

#include "gui/theme/table_style.h"

#include <QEvent>

#include <algorithm>

namespace restante::gui {

namespace {

/// Fewer letters would be meaningless.
constexpr int kMinLabelLetters = 6;

}  // namespace

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent)
{
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setFullText(const QString& text, const QString& tip)
{
    fullText_ = text.simplified();
    setAccessibleName(fullText_);
    setToolTip(literalTip(tip.isEmpty() ? fullText_ : tip));
    updateGeometry();
    elide();
}

/// Never wider than the current width: a long text from outside must not widen the layout.
QSize ElidedLabel::sizeHint() const
{
    return {std::min(fontMetrics().horizontalAdvance(fullText_) + 1,
                     std::max(width(), minimumSizeHint().width())),
            QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const
{
    return {std::min(fontMetrics().horizontalAdvance(fullText_) + 1,
                     fontMetrics().averageCharWidth() * kMinLabelLetters),
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
    setText(fontMetrics().elidedText(fullText_, Qt::ElideMiddle, width()));
}

}  // namespace restante::gui
