#pragma once

#include <QStringList>
#include <QTranslator>
#include <QWidget>

namespace restante::gui::test {

/// The smallest screen that the console is made for, less a title and a panel of the desktop.
inline constexpr QSize kSmallScreen{1'024, 700};

/// Labels, buttons, tabs, boxes and titles of columns below `root` that are on screen and have less
/// room than their text wants, each described for the reader of a failed test.
QStringList clippedTexts(const QWidget& root);

/// Widgets below `root` that can take the focus and tell a screen reader nothing.
QStringList unnamedWidgets(const QWidget& root);

/// Labels that would read markup in what they show. Only those whose text is ours may.
QStringList markupLabels(const QWidget& root);

/// Empty, or how much too large the window is, or must be, for the screen.
QString unfitFor(const QWidget& window, const QSize& screen);

/// Makes every text 40 % longer, as German or Finnish would.
class LongTexts : public QTranslator {
public:
    QString translate(const char* context,
                      const char* source,
                      const char* disambiguation,
                      int n) const override;
    bool isEmpty() const override { return false; }
};

}  // namespace restante::gui::test
