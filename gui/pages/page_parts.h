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

/// Pieces that pages and dialogs are made of.

/// A new widget with the object name `name`; `args` go to its constructor.
template <class Widget, class... Args>
Widget* makeWidget(const char* name, Args&&... args)
{
    auto* widget = new Widget(std::forward<Args>(args)...);
    widget->setObjectName(QString::fromLatin1(name));
    return widget;
}

/// Text from strangers, or a sentence, shown as it is and never as markup.
QLabel* plainLabel(QWidget* parent, const char* name = "");
/// The same where it may need several lines.
QLabel* wrappedLabel(QWidget* parent, const char* name = "");
/// Gives `owner` a vertical layout without margins and spacing.
QVBoxLayout* tightVBoxLayout(QWidget* owner);

/// Calls `retranslate` whenever the widget receives a LanguageChange event.
void onLanguageChange(QWidget* widget, std::function<void()> retranslate);

/// The settings of a file dialog. *Value.*
struct FileDialogOptions {
    const char* name;  ///< of the dialog
    QString title;
    QString initialPath = {};  ///< a folder, or a file that is proposed
    QString filter = {};       ///< "Texts (*.txt);;All files (*)"
    QFileDialog::AcceptMode acceptMode = QFileDialog::AcceptOpen;
    QString defaultSuffix = {};  ///< of a name that is typed without one
};

/// Asks for a file once it is opened, and is deleted when it is closed. `then` is not called when
/// the user gives up, nor when `parent` has died by then.
QFileDialog* fileDialog(const FileDialogOptions& options,
                        QWidget* parent,
                        const std::function<void(const QString& file)>& then);

/// Sets the widths of the columns from the first one on, in average characters.
void resizeColumns(QTableView& table, const std::vector<int>& widthsInChars);

}  // namespace restante::gui
