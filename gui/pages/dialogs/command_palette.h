#pragma once

#include <QDialog>
#include <QIcon>
#include <QString>

#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace restante::gui {

/// Something that the palette can do. *Value.*
struct PaletteEntry {
    QString title;
    QString detail;  ///< its key, or why it cannot be done now
    QIcon icon;
    bool enabled = true;
    std::function<void()> run;
};

/// How well `title` fits what has been typed: every word must be in it. 0 = not at all; the
/// beginning of the title is best, the beginning of a word better than its middle. *Pure.*
int paletteScore(const QString& title, const QString& typed);

/// Finds any command by some letters of its name and does it. *Thread of the window.*
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    /// What is typed itself may be something to do: the id of a job.
    using OfTyped = std::function<std::vector<PaletteEntry>(const QString& typed)>;

    CommandPalette(std::vector<PaletteEntry> entries, OfTyped ofTyped, QWidget* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void list();
    void choose();

    std::vector<PaletteEntry> entries_;
    std::vector<PaletteEntry> listed_;
    OfTyped ofTyped_;
    QLineEdit* typed_;
    QListWidget* found_;
};

}  // namespace restante::gui
