#pragma once

#include <QFormLayout>
#include <QLabel>

namespace restante::gui {

/// A row with a label whose text comes later: QFormLayout makes none of an empty text.
inline void addLabelledRow(QFormLayout* form, QWidget* field)
{
    auto* label = new QLabel(field->parentWidget());
    label->setTextFormat(Qt::PlainText);
    label->setBuddy(field->focusProxy() != nullptr ? field->focusProxy() : field);
    form->addRow(label, field);
}

}  // namespace restante::gui
