#include "gui/pages/page_parts.h"

#include "gui/theme/table_style.h"

#include <QHeaderView>
#include <QTableView>

namespace restante::gui {

QFileDialog* fileDialog(const FileQuestion& question,
                        QWidget* parent,
                        const std::function<void(const QString& file)>& then)
{
    auto* dialog = makeWidget<QFileDialog>(question.name, parent, question.title, question.start,
                                           question.filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(question.mode);
    dialog->setDefaultSuffix(question.suffix);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, then);
    return dialog;
}

void setupColumns(QTableView& table,
                  const std::vector<int>& letters,
                  Preferences& preferences,
                  const QString& key)
{
    auto* header = table.horizontalHeader();
    for (int at = 0; at < static_cast<int>(letters.size()); ++at) {
        header->resizeSection(at, letters[static_cast<std::size_t>(at)] *
                                      table.fontMetrics().averageCharWidth());
    }
    rememberHeader(*header, preferences, key);
}

}  // namespace restante::gui
