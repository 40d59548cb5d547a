#pragma once

#include "gui/operations/export_text.h"
#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/session/jobs_view.h"

#include <QComboBox>
#include <QStringList>

class QCheckBox;
class QListWidget;
class QRadioButton;

namespace restante::gui {

class Preferences;

/// Asks which jobs are exported to which file, and how. Remembers the choice.
/// *Thread of the window.*
class ExportDialog : public FormDialog {
    Q_OBJECT

public:
    /// `selection` may be empty; `allShown` is everything that the page shows; `filesInProgress`
    /// are those of this window's running exports, which are not there yet.
    ExportDialog(Preferences& preferences,
                 Selection selection,
                 Selection allShown,
                 QStringList filesInProgress,
                 QWidget* parent);

signals:
    void exportRequested(const restante::gui::Selection& selection,
                         const QString& file,
                         const restante::gui::ExportOptions& options);

private:
    ExportFormat format() const { return static_cast<ExportFormat>(format_->currentIndex()); }
    ExportOptions options() const;
    void updateState();
    void browse();
    bool isTaken(const QString& file) const;
    /// A name in the folder that is not taken, for the chosen format.
    QString freeFile(const QString& folder) const;
    void proposeFile(const QString& folder);
    void handleFormat();
    void askToReplace(const QString& file);
    void requestExport();
    void retranslate() override;

    Preferences& preferences_;
    Selection selection_;
    Selection allShown_;
    QStringList filesInProgress_;
    QString proposedFile_;   ///< as the field shows it
    QString confirmedFile_;  ///< that may be replaced: the user was asked

    QLabel* jobsTitle_ = nullptr;
    QRadioButton* selectionButton_ = nullptr;
    QRadioButton* allShownButton_ = nullptr;
    QComboBox* format_ = nullptr;
    QListWidget* columns_ = nullptr;
    QCheckBox* redact_ = nullptr;
    QCheckBox* history_ = nullptr;
    QCheckBox* apostrophe_ = nullptr;
    QLabel* fileTitle_ = nullptr;
    QLineEdit* file_ = nullptr;
    QPushButton* browse_ = nullptr;
};

}  // namespace restante::gui
