#pragma once

#include "gui/session/connection_profile.h"

#include <QByteArray>
#include <QString>
#include <tl/expected.hpp>

#include <optional>
#include <vector>

namespace restante::gui {

class Preferences;

/// The connections that the user has described, kept in the preferences, without their secrets.
/// *Thread of the window.*
class ProfileStore {
public:
    explicit ProfileStore(Preferences& preferences);

    std::vector<ConnectionProfile> all() const;
    std::optional<ConnectionProfile> find(const QString& id) const;
    /// Adds it, or replaces the one of the same id.
    void save(const ConnectionProfile& profile);
    void remove(const QString& id);
    /// The one that was open last; none when there is none, or it has been removed.
    std::optional<ConnectionProfile> lastOpened() const;
    void setLastOpened(const QString& id);

private:
    void write(const std::vector<ConnectionProfile>& profiles);

    Preferences& preferences_;
};

/// What a profile looks like in a file: no password, whatever the profile came from. *Pure.*
QByteArray exportProfiles(const std::vector<ConnectionProfile>& profiles);
/// What exportProfiles() wrote, with ids of their own; the problem is a sentence.
tl::expected<std::vector<ConnectionProfile>, QString> parseProfiles(const QByteArray& bytes);

/// "redis://user:secret@host:6379/0" or "unix:///path" as a profile, with its passwords apart.
struct PastedUrl {
    ConnectionProfile profile;
    QString password;
    QString sentinelPassword = {};
};
tl::expected<PastedUrl, QString> profileFromUrl(const QString& url);

/// The first thing that is wrong with a profile and what is allowed, as a sentence; empty = sound.
QString problemOf(const ConnectionProfile& profile);

QString newProfileId();

}  // namespace restante::gui
