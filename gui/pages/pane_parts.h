#pragma once

#include <QString>

class QFrame;
class QLabel;
class QSplitter;
class QVBoxLayout;
class QWidget;

namespace restante::gui {

class Preferences;

/// Widgets and helpers that the panes beside a page's list share.

/// Gives `owner` a vertical layout with margins of half a line.
QVBoxLayout* spacedVBoxLayout(QWidget* owner);
/// Sets the font of a pane's heading.
void applyHeadingFont(QWidget& widget);
/// A title above a section of the pane.
QLabel* sectionTitle(QWidget* parent, const char* name);
/// A label that replaces an empty list.
QLabel* emptyListLabel(QWidget* parent, const char* name);
/// A thin horizontal line.
QFrame* separator(QWidget* parent);
/// Shows `text` in `label` instead of the list; shows the list if `text` is empty.
void showListOrText(QLabel* label, QWidget* list, const QString& text);
/// Gives the first of two widgets three fifths of the size. The position of the handle is restored
/// from and saved in `preferences` under `key`.
void setupSplitter(QSplitter& splitter, Preferences& preferences, const QString& key);

}  // namespace restante::gui
