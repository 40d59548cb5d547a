#include "gui/pages/page_parts.h"

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

void resizeColumns(QTableView& table, const std::vector<int>& letters)
{
    const auto letter = table.fontMetrics().averageCharWidth();
    for (std::size_t at = 0; at < letters.size(); ++at) {
        table.horizontalHeader()->resizeSection(static_cast<int>(at), letters[at] * letter);
    }
}

}  // namespace restante::gui
