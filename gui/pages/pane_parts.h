#pragma once

#include <QString>

class QFrame;
class QLabel;
class QSplitter;
class QVBoxLayout;
class QWidget;

namespace restante::gui {

class Preferences;

/// Pieces that the panes beside a page's list are made of.

/// Gives `owner` a vertical layout with margins of half a line.
QVBoxLayout* spacedVBoxLayout(QWidget* owner);
/// Makes the font that of the heading of a pane.
void applyHeadingFont(QWidget& widget);
/// A title above a section of the pane.
QLabel* sectionTitle(QWidget* parent, const char* name);
/// A label that replaces an empty list.
QLabel* emptyListLabel(QWidget* parent, const char* name);
/// A thin line from one edge to the other.
QFrame* separator(QWidget* parent);
/// Shows `sentence` in the place of the list, unless it is empty.
void showListOrText(QLabel* label, QWidget* list, const QString& text);
/// Two parts beside each other, the first of them the larger one, until the user moves the line
/// between them; that place is kept under `key`.
void setupSplitter(QSplitter& splitter, Preferences& preferences, const QString& key);

}  // namespace restante::gui
