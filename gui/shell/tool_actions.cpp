#include "gui/shell/tool_actions.h"

#include "core/job/job_filter.h"
#include "gui/actions/action_registry.h"
#include "gui/actions/shortcut_map.h"
#include "gui/base/preferences.h"
#include "gui/pages/dialogs/help_window.h"
#include "gui/pages/dialogs/preferences_dialog.h"
#include "gui/pages/dialogs/shortcuts_dialog.h"
#include "gui/theme/icons.h"

#include <QWidget>

namespace restante::gui {

ToolActions::ToolActions(Context context, QWidget* window)
    : QObject(window),
      context_(context),
      window_(window)
{
    ShortcutMap(context.actions, context.preferences).applySavedKeys();
    connect(&context.preferences, &Preferences::shortcutsChanged, this,
            [this] { ShortcutMap(context_.actions, context_.preferences).applySavedKeys(); });
    auto& actions = context.actions;
    connect(actions[ActionId::Preferences], &QAction::triggered, this,
            [this] { open(new PreferencesDialog(context_.preferences, window_)); });
    connect(actions[ActionId::AlertRules], &QAction::triggered, this, [this] {
        auto* dialog = new PreferencesDialog(context_.preferences, window_);
        dialog->showAlerts();
        open(dialog);
    });
    connect(actions[ActionId::Shortcuts], &QAction::triggered, this,
            [this] { open(new ShortcutsDialog(context_, window_)); });
    connect(actions[ActionId::About], &QAction::triggered, this,
            [this] { open(new AboutDialog(window_)); });
    connect(actions[ActionId::CommandPalette], &QAction::triggered, this,
            &ToolActions::showPalette);
    connect(actions[ActionId::Help], &QAction::triggered, this, [this] {
        if (help_ == nullptr) {
            help_ = new HelpWindow(context_, window_);
            help_->setAttribute(Qt::WA_DeleteOnClose);
        }
        help_->show();
        help_->raise();
        help_->activateWindow();
    });
}

void ToolActions::open(QDialog* dialog)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void ToolActions::showPalette()
{
    auto entries = commands();
    for (const auto& source : paletteSources_) {
        for (auto& entry : source()) {
            entries.push_back(std::move(entry));
        }
    }
    open(new CommandPalette(
        std::move(entries), [this](const QString& typed) { return entriesForText(typed); },
        window_));
}

std::vector<PaletteEntry> ToolActions::commands() const
{
    std::vector<PaletteEntry> entries;
    for (auto* action : context_.actions.all()) {
        PaletteEntry entry;
        entry.title = action->iconText();
        entry.icon = action->icon();
        entry.enabled = action->isEnabled();
        // The last line of the tool tip of a command that is off says why.
        entry.detail = entry.enabled ? action->shortcut().toString(QKeySequence::NativeText)
                                     : action->toolTip().section(u'\n', -1);
        entry.run = [action = QPointer<QAction>(action)] {
            if (action != nullptr) {
                action->trigger();
            }
        };
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::vector<PaletteEntry> ToolActions::entriesForText(const QString& typed)
{
    const bool connected = context_.actions[ActionId::GoToJob]->isEnabled();
    if (!connected) {
        return {};
    }
    std::vector<PaletteEntry> entries;
    if (!typed.contains(u' ')) {
        entries.push_back({tr("Go to job %1").arg(typed), tr("by its id"),
                           icon(QStringLiteral("go-jump")), true, [this, typed] {
                               emit filterRequested(
                                   QString::fromStdString(filterFor("id", typed.toStdString())));
                           }});
    }
    if (JobFilter::parse(typed.toStdString())) {
        entries.push_back({tr("Show jobs: %1").arg(typed), tr("as a filter"),
                           icon(QStringLiteral("filter")), true,
                           [this, typed] { emit filterRequested(typed); }});
    }
    return entries;
}

}  // namespace restante::gui
