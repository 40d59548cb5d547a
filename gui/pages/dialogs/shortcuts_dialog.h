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

/// Every command with its key: to look one up, and to change it. What is changed holds at once.
/// *Thread of the window.*
class ShortcutsDialog : public QDialog {
    Q_OBJECT

public:
    ShortcutsDialog(Context context, QWidget* parent);

private:
    void fill();
    void showCommand();
    std::optional<ActionId> chosen() const;
    void search(const QString& text);
    void toStandard();

    Context context_;
    ShortcutMap map_;
    QLineEdit* find_ = nullptr;
    QTableWidget* table_ = nullptr;
    QKeySequenceEdit* key_ = nullptr;
    QPushButton* assign_ = nullptr;
    QPushButton* reset_ = nullptr;
    QLabel* problem_ = nullptr;
};

}  // namespace restante::gui
