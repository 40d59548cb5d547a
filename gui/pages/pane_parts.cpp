#include "gui/pages/pane_parts.h"

#include "gui/pages/page_parts.h"
#include "gui/theme/saved_layout.h"

#include <QFrame>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

namespace restante::gui {

QVBoxLayout* spacedVBoxLayout(QWidget* owner)
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

QLabel* emptyListLabel(QWidget* parent, const char* name)
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

void showListOrText(QLabel* label, QWidget* list, const QString& text)
{
    label->setText(text);
    label->setVisible(!text.isEmpty());
    list->setVisible(text.isEmpty());
}

void setupSplitter(QSplitter& splitter, Preferences& preferences, const QString& key)
{
    splitter.setStretchFactor(0, 3);
    splitter.setStretchFactor(1, 2);
    splitter.setSizes({600, 400});
    splitter.setChildrenCollapsible(false);
    splitter.setHandleWidth(1);
    rememberSplitter(splitter, preferences, key);
}

}  // namespace restante::gui
