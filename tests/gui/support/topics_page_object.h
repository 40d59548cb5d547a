#pragma once

#include "tests/gui/support/page_object.h"

#include <QLineEdit>
#include <QMenu>
#include <QTableView>

namespace restante::gui::test {

class TopicsPageObject : public PageObject {
public:
    using PageObject::PageObject;

    QTableView* table() const { return named<QTableView>("topicsTable"); }
    QLineEdit* filter() const { return named<QLineEdit>("topicFilter"); }
    QWidget* notice() const { return named<QWidget>("topicsNotice"); }
    /// The field in which a limit is typed; null: none is open.
    QLineEdit* limitEditor() const
    {
        return table()->viewport()->findChild<QLineEdit*>(QStringLiteral("limitEditor"));
    }
    /// Of the row that is current, opened as the right button of the mouse does.
    QMenu* menu() const
    {
        emit table()->customContextMenuRequested(QPoint(5, 5));
        return only<QMenu>();
    }
};

}  // namespace restante::gui::test
