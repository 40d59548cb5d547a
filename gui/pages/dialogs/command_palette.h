#pragma once

#include <QDialog>
#include <QIcon>
#include <QString>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace restante::gui {

/// A command that the palette offers. *Value.*
struct PaletteEntry {
    QString title;
    QString detail;  ///< its shortcut, or why it is disabled
    QIcon icon;
    bool enabled = true;
    std::function<void()> run;
};

/// How well `title` fits what has been typed: every word must be in it. 0 = not at all; the
/// beginning of the title is best, the beginning of a word better than its middle. *Pure.*
int paletteScore(const QString& title, const QString& typed);

/// Finds a command by some letters of its name and runs it. *Thread of the window.*
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    /// Returns additional entries for the typed text, such as opening the job of that id.
    using EntriesForText = std::function<std::vector<PaletteEntry>(const QString& typed)>;

    CommandPalette(std::vector<PaletteEntry> entries,
                   EntriesForText entriesForText,
                   QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void updateList();
    void runCurrent();

    std::vector<PaletteEntry> entries_;
    std::vector<PaletteEntry> listed_;
    EntriesForText entriesForText_;
    QLineEdit* searchField_;
    QListWidget* results_;
};

}  // namespace restante::gui
