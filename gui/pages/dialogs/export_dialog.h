#pragma once

#include "gui/orders/export_text.h"
#include "gui/pages/dialogs/dialog_parts.h"
#include "gui/session/jobs_view.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QListWidget;
class QRadioButton;

namespace restante::gui {

class Preferences;

/// Asks which jobs go to which file, and how. What was chosen is the choice next time, too.
/// *Thread of the window.*
class ExportDialog : public QDialog {
    Q_OBJECT

public:
    /// `selection` may be empty; `shown` is everything that the page shows.
    ExportDialog(Preferences& preferences, Selection selection, Selection shown, QWidget* parent);

signals:
    void wanted(const restante::gui::Selection& what,
                const QString& file,
                const restante::gui::ExportOptions& options);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    void buildOptions();
    void fillColumns();
    ExportFormat format() const;
    ExportOptions options() const;
    void refresh();
    void browse();
    void send();
    void retranslate();

    Preferences& preferences_;
    Selection selection_;
    Selection shown_;

    QLabel* whatTitle_ = nullptr;
    QRadioButton* selected_ = nullptr;
    QRadioButton* everything_ = nullptr;
    QLabel* formatTitle_ = nullptr;
    QComboBox* format_ = nullptr;
    QLabel* columnsTitle_ = nullptr;
    QListWidget* columns_ = nullptr;
    QCheckBox* redact_ = nullptr;
    QCheckBox* history_ = nullptr;
    QCheckBox* apostrophe_ = nullptr;
    NoticeLine* note_ = nullptr;
    QLabel* fileTitle_ = nullptr;
    QLineEdit* file_ = nullptr;
    QPushButton* browse_ = nullptr;
    Buttons buttons_{};
};

}  // namespace restante::gui
