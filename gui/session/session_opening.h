#pragma once

#include "gui/session/connection_profile.h"
#include "gui/session/store_session.h"

#include <QString>

#include <memory>

namespace restante::gui {

class StoreOpener;

/// How the store of a profile is opened. `password` is empty, or what the keychain or the user
/// said.
std::unique_ptr<StoreOpener> openerFor(const ConnectionProfile& profile, const QString& password);

/// A session that begins to connect at once.
std::unique_ptr<StoreSession> openSession(ConnectionProfile profile, const QString& password = {});

/// The store that is made up.
ConnectionProfile demoProfile();

}  // namespace restante::gui
