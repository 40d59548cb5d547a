#pragma once

#include <QString>
#include <QStringList>

namespace restante::gui {

/// One line of RFC 4180, its end included: a field with a comma, a quote or a line break stands in
/// quotes, and so does one that a spreadsheet might take for a formula.
QString csvLine(const QStringList& fields);

}  // namespace restante::gui
