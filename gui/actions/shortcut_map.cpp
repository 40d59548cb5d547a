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

QString preferenceKeyOf(ActionId id)
{
    return QStringLiteral("shortcuts/") + QString::fromLatin1(entryOf(id).objectName);
}

/// Whether the key inserts a character into a text field.
bool typesText(const QKeySequence& key)
{
    const auto first = key[0];
    const auto modifiers = first.keyboardModifiers() & ~Qt::ShiftModifier & ~Qt::KeypadModifier;
    return modifiers == Qt::NoModifier && first.key() >= Qt::Key_Space &&
           first.key() < Qt::Key_Escape;
}

}  // namespace

ShortcutMap::ShortcutMap(ActionRegistry& actions, Preferences& preferences)
    : actions_(actions),
      preferences_(preferences)
{
}

void ShortcutMap::applySavedKeys()
{
    std::vector<std::pair<ActionId, QKeySequence>> savedKeys;
    for (const auto& entry : actionTable()) {
        const auto text = preferences_.value(preferenceKeyOf(entry.id));
        if (text.isValid()) {
            savedKeys.emplace_back(entry.id,
                                   QKeySequence(text.toString(), QKeySequence::PortableText));
            actions_[entry.id]->setShortcuts(QList<QKeySequence>{});
        } else if (!hasDefaultKeys(entry.id)) {
            actions_[entry.id]->setShortcuts(standardKeys(entry));  // another window has reset it
        }
    }
    for (const auto& [id, key] : savedKeys) {
        // The file may have been edited by hand: a key that would be refused is ignored.
        if (!key.isEmpty() && refusal(id, key).isEmpty()) {
            actions_[id]->setShortcut(key);
        }
    }
}

QString ShortcutMap::refusal(ActionId id, const QKeySequence& key) const
{
    if (key.isEmpty()) {
        return {};
    }
    const auto text = key.toString(QKeySequence::NativeText);
    const bool isWidgetShortcut = actions_[id]->shortcutContext() == Qt::WidgetShortcut;
    if (!isWidgetShortcut && typesText(key)) {
        return QCoreApplication::translate(
                   "ShortcutMap",
                   "%1 is needed for typing. Hold Ctrl or Alt with it, or take an F key.")
            .arg(text);
    }
    for (const auto* other : actions_.all()) {
        if (other != actions_[id] && other->shortcuts().contains(key)) {
            return QCoreApplication::translate("ShortcutMap",
                                               "%1 belongs to “%2” already. Take it away there "
                                               "first, or choose another key.")
                .arg(text, other->iconText());
        }
    }
    return {};
}

bool ShortcutMap::set(ActionId id, const QKeySequence& key)
{
    if (!refusal(id, key).isEmpty()) {
        return false;
    }
    actions_[id]->setShortcuts(key.isEmpty() ? QList<QKeySequence>{} : QList<QKeySequence>{key});
    preferences_.setValue(preferenceKeyOf(id), key.toString(QKeySequence::PortableText));
    return true;
}

bool ShortcutMap::reset(ActionId id)
{
    const auto keys = standardKeys(entryOf(id));
    for (const auto& key : keys) {
        if (!refusal(id, key).isEmpty()) {
            return false;
        }
    }
    actions_[id]->setShortcuts(keys);
    preferences_.setValue(preferenceKeyOf(id), QVariant());
    return true;
}

void ShortcutMap::resetAll()
{
    for (const auto& entry : actionTable()) {
        actions_[entry.id]->setShortcuts(standardKeys(entry));
        preferences_.setValue(preferenceKeyOf(entry.id), QVariant());
    }
}

bool ShortcutMap::hasDefaultKeys(ActionId id) const
{
    return actions_[id]->shortcuts() == standardKeys(entryOf(id));
}

}  // namespace restante::gui
