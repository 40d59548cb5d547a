#include "gui/actions/shortcut_map.h"

#include "gui/actions/action_table.h"
#include "gui/base/preferences.h"

#include <QAction>
#include <QCoreApplication>
#include <QVariant>

#include <utility>
#include <vector>

namespace restante::gui {

namespace {

QString keyOf(ActionId act)
{
    return QStringLiteral("shortcuts/") + QString::fromLatin1(entryOf(act).objectName);
}

/// A key that writes something where text is typed.
bool typesText(const QKeySequence& key)
{
    const auto first = key[0];
    const auto held = first.keyboardModifiers() & ~Qt::ShiftModifier & ~Qt::KeypadModifier;
    return held == Qt::NoModifier && first.key() >= Qt::Key_Space && first.key() < Qt::Key_Escape;
}

}  // namespace

ShortcutMap::ShortcutMap(ActionRegistry& actions, Preferences& preferences)
    : actions_(actions),
      preferences_(preferences)
{
}

void ShortcutMap::restore()
{
    std::vector<std::pair<ActionId, QKeySequence>> kept;
    for (const auto& entry : actionTable()) {
        const auto text = preferences_.value(keyOf(entry.act));
        if (text.isValid()) {
            kept.emplace_back(entry.act, QKeySequence(text.toString(), QKeySequence::PortableText));
            actions_[entry.act]->setShortcuts(QList<QKeySequence>{});
        } else if (!isStandard(entry.act)) {
            actions_[entry.act]->setShortcuts(standardKeys(entry));  // given back in another window
        }
    }
    for (const auto& [act, key] : kept) {
        // The file may have been written by hand: what would be refused is left out.
        if (!key.isEmpty() && refusal(act, key).isEmpty()) {
            actions_[act]->setShortcut(key);
        }
    }
}

QString ShortcutMap::refusal(ActionId act, const QKeySequence& key) const
{
    if (key.isEmpty()) {
        return {};
    }
    const auto text = key.toString(QKeySequence::NativeText);
    const bool ofWidget = actions_[act]->shortcutContext() == Qt::WidgetShortcut;
    if (!ofWidget && typesText(key)) {
        return QCoreApplication::translate(
                   "ShortcutMap",
                   "%1 is needed for typing. Hold Ctrl or Alt with it, or take an F key.")
            .arg(text);
    }
    for (const auto* other : actions_.all()) {
        if (other != actions_[act] && other->shortcuts().contains(key)) {
            return QCoreApplication::translate("ShortcutMap",
                                               "%1 belongs to “%2” already. Take it away there "
                                               "first, or choose another key.")
                .arg(text, other->iconText());
        }
    }
    return {};
}

bool ShortcutMap::set(ActionId act, const QKeySequence& key)
{
    if (!refusal(act, key).isEmpty()) {
        return false;
    }
    actions_[act]->setShortcuts(key.isEmpty() ? QList<QKeySequence>{} : QList<QKeySequence>{key});
    preferences_.setValue(keyOf(act), key.toString(QKeySequence::PortableText));
    return true;
}

bool ShortcutMap::reset(ActionId act)
{
    const auto keys = standardKeys(entryOf(act));
    for (const auto& key : keys) {
        if (!refusal(act, key).isEmpty()) {
            return false;
        }
    }
    actions_[act]->setShortcuts(keys);
    preferences_.setValue(keyOf(act), QVariant());
    return true;
}

void ShortcutMap::resetAll()
{
    for (const auto& entry : actionTable()) {
        actions_[entry.act]->setShortcuts(standardKeys(entry));
        preferences_.setValue(keyOf(entry.act), QVariant());
    }
}

bool ShortcutMap::isStandard(ActionId act) const
{
    return actions_[act]->shortcuts() == standardKeys(entryOf(act));
}

}  // namespace restante::gui
