#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

#include <string>

namespace restante::gui::test {

/// A door on 127.0.0.1 that must stay shut: markup names it, and nobody may come because of that.
/// *One thread.*
class Bait {
public:
    Bait();
    ~Bait();
    Bait(const Bait&) = delete;
    Bait& operator=(const Bait&) = delete;

    /// `<b>x</b><img src=http://127.0.0.1:.../x.png>`
    std::string markup() const;
    QString text() const { return QString::fromStdString(markup()); }
    /// Whether somebody has connected.
    bool taken() const;

private:
    int socket_ = -1;
    int port_ = 0;
};

/// What `shown` looks like to a reader: the text itself, or what it is rendered to where it would
/// be taken for rich text.
QString asRead(const QString& shown, bool isPlain);

/// Labels, message boxes and texts of every window that would read a stranger's markup instead of
/// showing it, and the tool tips, status tips and "What's this?" of widgets, actions and models
/// that would. `markup` is the stranger's.
QStringList notLiteral(const QString& markup);

/// Moves the mouse to rest over every visible cell of every table, list and tree below `root`, and
/// tells which tool tips would read the markup.
QStringList notLiteralTips(const QWidget& root, const QString& markup);

}  // namespace restante::gui::test
