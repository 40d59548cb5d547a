#include "gui/pages/pane_parts.h"

#include "gui/pages/page_parts.h"
#include "gui/theme/saved_layout.h"

#include <QFrame>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

namespace restante::gui {

QVBoxLayout* spacedColumn(QWidget* owner)
{
    const auto gap = owner->fontMetrics().height() / 2;
    auto* column = new QVBoxLayout(owner);
    column->setContentsMargins(gap, gap, gap, gap);
    column->setSpacing(gap / 2);
    return column;
}

void applyHeadingFont(QWidget& widget)
{
    auto large = widget.font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setWeight(QFont::DemiBold);
    widget.setFont(large);
}

QLabel* sectionTitle(QWidget* parent, const char* name)
{
    auto* label = plainLabel(parent, name);
    auto bold = label->font();
    bold.setWeight(QFont::DemiBold);
    label->setFont(bold);
    return label;
}

QLabel* quietLabel(QWidget* parent, const char* name)
{
    auto* label = wrappedLabel(parent, name);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeading);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

QFrame* separator(QWidget* parent)
{
    auto* line = new QFrame(parent);
    line->setFrameShape(QFrame::HLine);
    line->setForegroundRole(QPalette::Midlight);
    line->setFrameShadow(QFrame::Plain);
    return line;
}

void showEither(QLabel* none, QWidget* list, const QString& sentence)
{
    none->setText(sentence);
    none->setVisible(!sentence.isEmpty());
    list->setVisible(sentence.isEmpty());
}

void applySides(QSplitter& split, Preferences& preferences, const QString& key)
{
    split.setStretchFactor(0, 3);
    split.setStretchFactor(1, 2);
    split.setSizes({600, 400});
    split.setChildrenCollapsible(false);
    split.setHandleWidth(1);
    rememberSplitter(split, preferences, key);
}

}  // namespace restante::gui
