#pragma once

#include "gui/actions/context.h"

#include <QDialog>

class QTextBrowser;

namespace restante::gui {

/// Help about the console, the filter syntax and the shortcuts, in a window of its own. *Thread of
/// the window.*
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

/// The version of the program and of Qt, and the licences of its libraries.
class AboutDialog : public QDialog {
    Q_OBJECT

public:
    explicit AboutDialog(QWidget* parent);
};

}  // namespace restante::gui
