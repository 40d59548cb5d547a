#pragma once

#include "gui/actions/context.h"
#include "gui/pages/dialogs/command_palette.h"

#include <QObject>
#include <QPointer>

#include <functional>
#include <vector>

class QWidget;

namespace restante::gui {

/// What the menus Tools and Help and the preferences do: dialogs that need no store. *Thread of
/// the window.*
class ToolActions : public QObject {
    Q_OBJECT

public:
    /// More to choose from in the palette: saved views, connections.
    using EntrySource = std::function<std::vector<PaletteEntry>()>;

    /// Gives the commands the keys that the user has set. `window` is the parent of the dialogs.
    ToolActions(Context context, QWidget* window);

    void addToPalette(EntrySource source) { paletteSources_.push_back(std::move(source)); }

signals:
    /// Show the jobs that this filter finds.
    void filterRequested(const QString& filter);

private:
    void open(QDialog* dialog);
    void showPalette();
    std::vector<PaletteEntry> commands() const;
    std::vector<PaletteEntry> entriesForText(const QString& typed);

    Context context_;
    QWidget* window_;
    QPointer<QDialog> help_;
    std::vector<EntrySource> paletteSources_;
};

}  // namespace restante::gui
