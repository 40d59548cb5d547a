#pragma once

#include "tests/gui/support/page_object.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableView>

namespace restante::gui::test {

class AuditViewObject : public PageObject {
public:
    using PageObject::PageObject;

    QTableView* table() const { return named<QTableView>("auditTable"); }
    QLineEdit* actor() const { return named<QLineEdit>("auditActor"); }
    QComboBox* verb() const { return named<QComboBox>("auditVerb"); }
    QLineEdit* text() const { return named<QLineEdit>("auditText"); }
    QComboBox* time() const { return named<QComboBox>("auditTime"); }
    QDateTimeEdit* since() const { return named<QDateTimeEdit>("auditSince"); }
    QDateTimeEdit* end() const { return named<QDateTimeEdit>("auditUntil"); }
    /// Where the rows are from.
    QLabel* source() const { return named<QLabel>("auditSource"); }
    QPushButton* exportButton() const { return named<QPushButton>("auditExport"); }
    QWidget* notice() const { return named<QWidget>("auditNotice"); }
};

}  // namespace restante::gui::test
