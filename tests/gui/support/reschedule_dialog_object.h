#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTimeEdit>
#include <QLineEdit>
#include <QRadioButton>
#include <QTableWidget>

namespace restante::gui::test {

class RescheduleDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QRadioButton* at() const { return named<QRadioButton>("at"); }
    QDateTimeEdit* time() const { return named<QDateTimeEdit>("time"); }
    QComboBox* zone() const { return named<QComboBox>("zone"); }
    QRadioButton* in() const { return named<QRadioButton>("in"); }
    QComboBox* wait() const { return named<QComboBox>("wait"); }
    QCheckBox* spreads() const { return named<QCheckBox>("spreads"); }
    QComboBox* spread() const { return named<QComboBox>("spread"); }
    QRadioButton* keepAttempts() const { return named<QRadioButton>("keepAttempts"); }
    QRadioButton* resetAttempts() const { return named<QRadioButton>("resetAttempts"); }
    QLineEdit* reason() const { return named<QLineEdit>("reason"); }
    QTableWidget* preview() const { return named<QTableWidget>("preview"); }
};

}  // namespace restante::gui::test
