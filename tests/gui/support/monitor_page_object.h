#pragma once

#include "tests/gui/support/page_object.h"

#include <QComboBox>
#include <QLabel>
#include <QSplitter>

namespace restante::gui::test {

class MonitorPageObject : public PageObject {
public:
    using PageObject::PageObject;

    /// What is known of the time that is shown.
    QLabel* statusLine() const { return named<QLabel>("monitorStatus"); }
    QComboBox* topic() const { return named<QComboBox>("monitorTopic"); }
    /// Charts and table.
    QSplitter* splitter() const { return only<QSplitter>(); }
    QWidget* notice() const { return named<QWidget>("monitorNotice"); }
};

}  // namespace restante::gui::test
