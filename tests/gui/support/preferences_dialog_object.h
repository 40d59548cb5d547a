#pragma once

#include "tests/gui/support/page_object.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>

namespace restante::gui::test {

class PreferencesDialogObject : public PageObject {
public:
    using PageObject::PageObject;

    QTabWidget* tabs() const { return only<QTabWidget>(); }
    QComboBox* scheme() const { return named<QComboBox>("scheme"); }
    QComboBox* zone() const { return named<QComboBox>("zone"); }
    QCheckBox* relative() const { return named<QCheckBox>("relative"); }
    QCheckBox* clock24() const { return named<QCheckBox>("clock24"); }
    QCheckBox* grouped() const { return named<QCheckBox>("grouped"); }
    QCheckBox* reopensLast() const { return named<QCheckBox>("reopensLast"); }
    QSpinBox* liveInterval() const { return named<QSpinBox>("liveInterval"); }
    QSpinBox* typedCount() const { return named<QSpinBox>("typedCount"); }
    QSpinBox* productionCount() const { return named<QSpinBox>("productionCount"); }
    QSpinBox* payloadChunk() const { return named<QSpinBox>("payloadChunk"); }
    QPushButton* ok() const { return only<QDialogButtonBox>()->button(QDialogButtonBox::Ok); }
};

}  // namespace restante::gui::test
