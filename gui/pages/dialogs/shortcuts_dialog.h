#pragma once

#include "gui/actions/context.h"
#include "gui/actions/shortcut_map.h"

#include <QDialog>

#include <optional>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace restante::gui {

/// Lists every command with its shortcut, and changes shortcuts. Changes apply at once.
/// *Thread of the window.*
class ShortcutsDialog : public QDialog {
    Q_OBJECT

public:
    ShortcutsDialog(Context context, QWidget* parent);

private:
    void fillTable();
    void showCommand();
    std::optional<ActionId> selectedAction() const;
    void search(const QString& text);
    void resetShortcut();

    Context context_;
    ShortcutMap shortcuts_;
    QLineEdit* searchField_ = nullptr;
    QTableWidget* table_ = nullptr;
    QKeySequenceEdit* key_ = nullptr;
    QPushButton* assign_ = nullptr;
    QPushButton* reset_ = nullptr;
    QLabel* problem_ = nullptr;
};

}  // namespace restante::gui
