#pragma once

#include <QFileDialog>
#include <QString>

#include <functional>
#include <utility>
#include <vector>

class QLabel;
class QTableView;
class QVBoxLayout;

namespace restante::gui {

/// Widgets and helpers that pages and dialogs share.

/// A new widget with the object name `name`; `args` go to its constructor.
template <class Widget, class... Args>
Widget* makeWidget(const char* name, Args&&... args)
{
    auto* widget = new Widget(std::forward<Args>(args)...);
    widget->setObjectName(QString::fromLatin1(name));
    return widget;
}

/// A label that shows any text literally, never as markup.
QLabel* plainLabel(QWidget* parent, const char* name = "");
/// A plainLabel() with word wrap.
QLabel* wrappedLabel(QWidget* parent, const char* name = "");
/// Gives `owner` a vertical layout without margins and spacing.
QVBoxLayout* tightVBoxLayout(QWidget* owner);

/// Calls `retranslate` whenever the widget receives a LanguageChange event.
void onLanguageChange(QWidget* widget, std::function<void()> retranslate);

/// The settings of a file dialog. *Value.*
struct FileDialogOptions {
    const char* name;  ///< the object name of the dialog
    QString title;
    QString initialPath = {};  ///< a folder, or a proposed file
    QString filter = {};       ///< "Texts (*.txt);;All files (*)"
    QFileDialog::AcceptMode acceptMode = QFileDialog::AcceptOpen;
    QString defaultSuffix = {};  ///< appended to a name without suffix
};

/// Creates a file dialog, which deletes itself when it is closed; the caller opens it. `then` is
/// not called when the user cancels or when `parent` no longer exists.
QFileDialog* fileDialog(const FileDialogOptions& options,
                        QWidget* parent,
                        const std::function<void(const QString& file)>& then);

/// Sets the widths of the columns from the first one on, in average characters.
void resizeColumns(QTableView& table, const std::vector<int>& widthsInChars);

}  // namespace restante::gui
