#pragma once

#include "gui/actions/context.h"

#include <QDialog>

class QTextBrowser;

namespace restante::gui {

/// How to use the console and how to write a filter, beside the main window. *Thread of the
/// window.*
class HelpWindow : public QDialog {
    Q_OBJECT

public:
    HelpWindow(Context context, QWidget* parent);

private:
    void retranslate();
    QString filterText() const;
    QString keysText() const;

    Context context_;
    QTextBrowser* text_;
};

/// Which program this is, what it runs on, and the licences of what is in it.
class AboutDialog : public QDialog {
    Q_OBJECT

public:
    explicit AboutDialog(QWidget* parent);
};

}  // namespace restante::gui
