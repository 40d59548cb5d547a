#include "gui/actions/action_registry.h"

#include "gui/actions/action_table.h"
#include "gui/theme/icons.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace restante::gui {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("ActionRegistry", text);
}

QString withKey(const QAction& action, const QString& tip)
{
    const auto key = action.shortcut();
    return key.isEmpty()
               ? tip
               : tip + QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText));
}

bool fitsAnyState(BulkAction::Verb verb, const SelectionSummary& selection)
{
    if (selection.all || selection.states.empty()) {
        return true;
    }
    const auto states = statesFor(verb);
    return std::any_of(states.begin(), states.end(),
                       [&](JobState state) { return selection.states.count(state) != 0; });
}

/// The text of a button or an entry, without the sign of its key and without "…".
QString withoutMnemonic(QString text)
{
    // A language without Latin letters has its letters in brackets behind the word.
    static const QRegularExpression kMnemonicInBrackets(QStringLiteral("\\(&.\\)"));
    return text.remove(kMnemonicInBrackets).remove(u'&').remove(QChar(0x2026));
}

}  // namespace

ActionRegistry::ActionRegistry(QObject* parent) : QObject(parent)
{
    for (const auto& entry : actionTable()) {
        auto* action = new QAction(this);
        action->setObjectName(QString::fromLatin1(entry.objectName));
        action->setIcon(icon(QString::fromLatin1(entry.icon)));
        action->setShortcuts(standardKeys(entry));
        action->setCheckable((entry.flags & ActionEntry::Checkable) != 0);
        if ((entry.flags & ActionEntry::OfWidget) != 0) {
            action->setShortcutContext(Qt::WidgetShortcut);
        }
        action->setMenuRole(QAction::NoRole);
        actions_[static_cast<std::size_t>(entry.id)] = action;
    }
    retranslate();
    update({}, {});
}

QAction* ActionRegistry::named(const QString& objectName) const
{
    const auto found = std::find_if(actions_.begin(), actions_.end(), [&](const QAction* action) {
        return action->objectName() == objectName;
    });
    return found == actions_.end() ? nullptr : *found;
}

std::vector<QAction*> ActionRegistry::of(Menu menu) const
{
    std::vector<QAction*> result;
    for (const auto& entry : actionTable()) {
        if (entry.menu == menu) {
            result.push_back((*this)[entry.id]);
        }
    }
    return result;
}

void ActionRegistry::update(const SelectionSummary& selection, const ConnectionCaps& caps)
{
    const auto refusal = [&](const ActionEntry& entry) -> QString {
        const auto flags = entry.flags;
        const bool needsConnection =
            (flags & (ActionEntry::Connection | ActionEntry::One | ActionEntry::Some |
                      ActionEntry::Topic | ActionEntry::Write)) != 0;
        if (needsConnection && !caps.connected) {
            return tr("There is no connection.");
        }
        if ((flags & ActionEntry::Write) != 0 && !caps.writeRefusal.isEmpty()) {
            return caps.writeRefusal;
        }
        const bool isUndoOrRedo = entry.id == ActionId::Undo || entry.id == ActionId::Redo;
        if (isUndoOrRedo && caps.isStepRunning) {
            return tr("Another step is being undone or redone.");
        }
        if (entry.id == ActionId::Undo && caps.undo.isEmpty()) {
            return tr("There is nothing to undo.");
        }
        if (entry.id == ActionId::Redo && caps.redo.isEmpty()) {
            return tr("There is nothing to redo.");
        }
        if (entry.id == ActionId::NextWindow && !caps.hasOtherWindows) {
            return tr("There is no other window.");
        }
        if ((flags & ActionEntry::Some) != 0 && selection.count == 0) {
            return tr("Select a job first.");
        }
        if ((flags & ActionEntry::One) != 0 && selection.count != 1) {
            return tr("Select one job first.");
        }
        if ((flags & ActionEntry::Topic) != 0 && !selection.topicChosen) {
            return tr("Select a topic first.");
        }
        if (entry.verb && !fitsAnyState(*entry.verb, selection)) {
            return tr("Nothing that is selected is in a state for that.");
        }
        return {};
    };
    for (const auto& entry : actionTable()) {
        const auto reason = refusal(entry);
        enable(entry.id, reason.isEmpty(), reason);
    }
    showHoldOrRelease(selection);
    const auto showStepTitle = [this](ActionId id, const QString& title) {
        const auto text = translated(entryOf(id).text);
        (*this)[id]->setText(title.isEmpty() ? text : tr("%1: %2").arg(text, title));
    };
    showStepTitle(ActionId::Undo, caps.undo);
    showStepTitle(ActionId::Redo, caps.redo);
    showTopicState(selection);
}

/// The action shows what it would do: release jobs that are held, or hold others.
void ActionRegistry::showHoldOrRelease(const SelectionSummary& selection)
{
    auto* action = (*this)[ActionId::Hold];
    const bool releases = selection.heldOnly();
    const auto tip = releases ? tr("Hold it back no longer: it is due when its time has come")
                              : translated(entryOf(ActionId::Hold).tip);
    const auto text = releases ? tr("Re&lease") : tr("&Hold");
    action->setText(text);
    action->setIconText(withoutMnemonic(text));
    action->setStatusTip(tip);
    action->setWhatsThis(tip);
    if (action->isEnabled()) {
        action->setToolTip(withKey(*action, tip));
    }
}

/// The action shows what it would do: resume a paused topic, or pause one that runs.
void ActionRegistry::showTopicState(const SelectionSummary& selection)
{
    auto* action = (*this)[ActionId::PauseTopic];
    const bool paused = selection.topicPaused;
    action->setText(paused ? tr("&Resume") : tr("&Pause…"));
    action->setIconText(paused ? tr("Resume") : tr("Pause"));
    action->setIcon(
        icon(paused ? QStringLiteral("media-playback-start") : QStringLiteral("queue-pause")));
    if (selection.topicChosen && action->isEnabled()) {
        const auto tip = paused ? tr("“%1” is paused: give out its jobs again")
                                : tr("“%1” is not paused: give out nothing of it until it is "
                                     "resumed");
        action->setToolTip(withKey(*action, tip.arg(selection.topicName)));
        action->setStatusTip(tip.arg(selection.topicName));
    } else {
        action->setStatusTip(translated(entryOf(ActionId::PauseTopic).tip));
    }
}

void ActionRegistry::enable(ActionId id, bool on, const QString& refusal)
{
    const auto& entry = entryOf(id);
    auto* action = (*this)[id];
    action->setEnabled(on);
    const auto tip = withKey(*action, translated(entry.tip));
    action->setToolTip(on ? tip : tip + u'\n' + refusal);
}

void ActionRegistry::retranslate()
{
    for (const auto& entry : actionTable()) {
        auto* action = (*this)[entry.id];
        const auto text = translated(entry.text);
        action->setText(text);
        action->setIconText(withoutMnemonic(text));
        action->setStatusTip(translated(entry.tip));
        action->setWhatsThis(translated(entry.tip));
    }
}

}  // namespace restante::gui
