#pragma once

#include "gui/session/backend.h"
#include "gui/session/connection_profile.h"
#include "gui/session/job_commands.h"

#include <QString>

#include <memory>

namespace restante::gui {

class StoreOpener;

/// An open connection with its profile: what pages and dialogs are given. *Thread of the window.*
class StoreSession {
public:
    StoreSession(ConnectionProfile profile, std::unique_ptr<Backend> backend)
        : profile_(std::move(profile)),
          backend_(std::move(backend)),
          commands_(*backend_, profile_)
    {
    }

    const ConnectionProfile& profile() const noexcept { return profile_; }
    Backend& backend() noexcept { return *backend_; }
    JobSource& source() noexcept { return backend_->source(); }
    JobCommands& commands() noexcept { return commands_; }
    const LinkState& link() const noexcept { return backend_->link(); }

private:
    ConnectionProfile profile_;
    std::unique_ptr<Backend> backend_;
    JobCommands commands_;
};

/// How the store of a profile is opened. `password` is empty, or what the keychain or the user
/// said.
std::unique_ptr<StoreOpener> openerFor(const ConnectionProfile& profile, const QString& password);

/// A session that begins to connect at once.
std::unique_ptr<StoreSession> openSession(ConnectionProfile profile, const QString& password = {});

/// The store that is made up.
ConnectionProfile demoProfile();

}  // namespace restante::gui
