#include "gui/audit/csv_line.h"

namespace restante::gui {

QString csvLine(const QStringList& fields)
{
    const auto special = QStringLiteral(",\"\r\n+=-@\t");
    QString line;
    for (const auto& field : fields) {
        bool quoted = false;
        for (const auto letter : field) {
            quoted = quoted || special.contains(letter);
        }
        auto inside = field;
        if (!line.isEmpty() || &field != &fields.front()) {
            line += u',';
        }
        line += quoted ? u'"' + inside.replace(u'"', QStringLiteral("\"\"")) + u'"' : inside;
    }
    return line + QStringLiteral("\r\n");
}

}  // namespace restante::gui
