#pragma once

#include <QString>

class QHeaderView;
class QTableView;

namespace restante::gui {

class Preferences;

/// How the rows of every table look: all of one height, in pixels; whole rows are selected and
/// nothing is edited; no grid. Tab leaves the table.
void applyRowStyle(QTableView& table, int height);

/// The rows, each text on one line, and titles that can be read: how the table of a page looks.
void applyTableStyle(QTableView& table);

/// Widens the columns whose titles have no room, now and after each change of the language; a title
/// that the user has left too little room for is told in a tool tip.
void fitTitles(QHeaderView& header);

/// Keeps order, widths, sorting and visibility of the columns under `key` from now on, and puts
/// them back as they were left. Preferences::forgetLayouts() restores the standard layout: what the
/// columns have at this call, so call it once they have their standard widths. `preferences`
/// outlives the header.
void rememberHeader(QHeaderView& header, Preferences& preferences, const QString& key);

/// An untrusted text as a tool tip, with its markup escaped; empty for an empty text.
QString literalTip(const QString& text);

/// The selected rows as tab-separated text, columns as they stand on the screen.
QString selectedRowsText(const QTableView& table);

}  // namespace restante::gui
