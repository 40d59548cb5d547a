#pragma once

#include "gui/session/jobs_view.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace restante::gui {

class Preferences;

/// A view under a name. *Value.*
struct SavedView {
    QString name;
    JobsView view;
};

/// The user's saved views, kept in the preferences and shared by all windows; sorted by name.
/// *Thread of the window.*
class SavedViews : public QObject {
    Q_OBJECT

public:
    explicit SavedViews(Preferences& preferences, QObject* parent = nullptr);

    /// All saved views; entries that cannot be parsed are skipped.
    std::vector<SavedView> all() const;
    std::optional<SavedView> find(const QString& name) const;
    /// Replaces a view of the same name.
    void save(const SavedView& view);
    void remove(const QString& name);
    /// False when the new name is empty or taken, or there is no view of the old one.
    bool rename(const QString& from, const QString& to);

signals:
    void changed();

private:
    void write(const std::vector<SavedView>& views);

    Preferences& preferences_;
    QString lastKnownText_;  ///< the stored text at the last changed()
};

}  // namespace restante::gui
