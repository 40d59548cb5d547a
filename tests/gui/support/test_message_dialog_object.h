#pragma once

#include "tests/gui/support/dialog_object.h"

#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>

namespace restante::gui::test {

class TestMessageDialogObject : public DialogObject {
public:
    using DialogObject::DialogObject;

    QLineEdit* to() const { return named<QLineEdit>("to"); }
    QLineEdit* text() const { return named<QLineEdit>("text"); }
    QPushButton* open() const { return named<QPushButton>("openButton"); }
    /// What has happened, a line each.
    QStringList steps() const
    {
        QStringList lines;
        const auto* list = named<QListWidget>("steps");
        for (int row = 0; row < list->count(); ++row) {
            lines += list->item(row)->text();
        }
        return lines;
    }
    QString noticeText() const { return notice()->text(); }
};

}  // namespace restante::gui::test
