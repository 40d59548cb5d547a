#pragma once

#include <QWidget>

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace restante::gui {

class LinkButton;

/// A titled part of the overview: rows, or a sentence while there are none, and a link to the page
/// that has all of them. *Thread of the window.*
class Section : public QWidget {
    Q_OBJECT

public:
    explicit Section(const char* name, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    /// Shown below the rows, small; empty = nothing.
    void setNote(const QString& note);
    /// The text of the link to all rows; empty = no link.
    void setMore(const QString& text);
    /// Instead of the rows; empty = the rows.
    void setSentence(const QString& sentence);
    /// The layout of the rows.
    QGridLayout& grid() noexcept { return *grid_; }
    /// The parent of the widgets in grid().
    QWidget* body() noexcept { return body_; }

signals:
    void moreRequested();

private:
    QLabel* title_;
    LinkButton* more_;
    QLabel* sentence_;
    QWidget* body_;
    QGridLayout* grid_;
    QLabel* note_;
};

}  // namespace restante::gui
