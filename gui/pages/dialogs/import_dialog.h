#pragma once

#include "gui/operations/importer.h"
#include "gui/pages/dialogs/dialog_parts.h"

#include <QPointer>

#include <optional>

class QCheckBox;
class QProgressBar;

namespace restante::gui {

/// Checks a file line by line, says what is in it or which lines are wrong, and asks whether to
/// store it. *Thread of the window.*
class ImportDialog : public FormDialog {
    Q_OBJECT

public:
    /// Deletes the importer, unless the import was started.
    ImportDialog(Importer* importer, const QString& file, QWidget* parent);
    ~ImportDialog() override;

private:
    void showCheck();
    void retranslate() override;

    QPointer<Importer> importer_;
    bool hasStarted_ = false;
    QString file_;
    std::optional<Importer::Check> check_;  ///< none = the check is still running
    QLabel* heading_ = nullptr;
    QLabel* summary_ = nullptr;
    QProgressBar* progressBar_ = nullptr;
    QTableWidget* problems_ = nullptr;
    QCheckBox* replace_ = nullptr;
};

}  // namespace restante::gui
