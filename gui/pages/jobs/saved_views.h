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

/// The views that the user has named, kept in the preferences in the order of their names: those of
/// every window.
/// *Thread of the window.*
class SavedViews : public QObject {
    Q_OBJECT

public:
    explicit SavedViews(Preferences& preferences, QObject* parent = nullptr);

    /// What can be read: others may have written there, too.
    std::vector<SavedView> all() const;
    std::optional<SavedView> find(const QString& name) const;
    /// Replaces the one of that name.
    void save(const SavedView& view);
    void remove(const QString& name);
    /// False: there is one of the new name already, or none of the old.
    bool rename(const QString& from, const QString& to);

signals:
    void changed();

private:
    void write(const std::vector<SavedView>& views);

    Preferences& preferences_;
    QString lastKnownText_;  ///< what changed() was last told of
};

}  // namespace restante::gui
