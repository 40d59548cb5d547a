#pragma once

#include "tests/gui/support/wait.h"

#include <QApplication>
#include <QTest>
#include <QWidget>

namespace restante::gui::test {

/// A user who has a keyboard and nothing else: keys go to whoever has the focus, as the desktop
/// sends them.
class Keyboard {
public:
    static QWidget* holder()
    {
        const auto* active = QApplication::activeWindow();
        if (active == nullptr || !active->isVisible()) {
            activateOne();
        }
        if (auto* popup = QApplication::activePopupWidget()) {
            return popup;
        }
        auto* focus = QApplication::focusWidget();
        return focus != nullptr ? focus : QApplication::activeWindow();
    }
    static QString holderName() { return holder() == nullptr ? QString() : holder()->objectName(); }
    /// False when nobody would get it.
    static bool press(Qt::Key key, Qt::KeyboardModifiers held = Qt::NoModifier)
    {
        turn();
        if (!until([] { return holder() != nullptr; })) {
            return false;
        }
        QTest::keyClick(holder(), key, held);
        turn();
        return true;
    }
    static bool ctrl(Qt::Key key) { return press(key, Qt::ControlModifier); }
    static bool type(const QString& text)
    {
        for (const auto letter : text) {
            if (!until([] { return holder() != nullptr; })) {
                return false;
            }
            QTest::keyClick(holder(), letter.toLatin1());
        }
        turn();
        return true;
    }
    /// Presses Tab until the widget has the focus; false when it does not come there in time: it
    /// may be off until something is answered.
    static bool tabTo(const QWidget* widget, Qt::Key tab = Qt::Key_Tab)
    {
        return until([widget, tab] {
            if (holder() == widget) {
                return true;
            }
            press(tab);
            return false;
        });
    }
    /// Waits until a window of that class is the one that gets the keys.
    template <class Window>
    static bool isIn()
    {
        return until([] {
            if (holder() == nullptr) {
                return false;
            }
            const auto* active = dynamic_cast<const Window*>(QApplication::activeWindow());
            return active != nullptr && active->isVisible();
        });
    }
    /// The page object of the window that gets the keys.
    template <class Object>
    static Object window()
    {
        // Between two windows none is active.
        until([] { return holder() != nullptr && QApplication::activeWindow() != nullptr; });
        return Object(QApplication::activeWindow());
    }

private:
    /// What a window manager does when the active window has gone; here there is none.
    static void activateOne()
    {
        auto* next = QApplication::activeModalWidget();
        for (auto* window : QApplication::topLevelWidgets()) {
            const bool takesIt = window->isVisible() && window->windowType() != Qt::ToolTip &&
                                 window->windowType() != Qt::Popup;
            if (next == nullptr && takesIt) {
                next = window;
            }
        }
        if (next != nullptr) {
            next->activateWindow();
            turn();
        }
    }
};

}  // namespace restante::gui::test
