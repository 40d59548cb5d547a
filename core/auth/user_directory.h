#pragma once

#include "core/auth/ha1.h"
#include "core/base/interface.h"
#include "core/base/result.h"

#include <optional>
#include <string>

namespace restante::auth {

/// Who may authenticate. *One loop.*
class UserDirectory : public Interface {
public:
    /// Nothing for an unknown user; an error when nobody can tell now. `done` is called exactly
    /// once, perhaps at once, and not any more when the directory has gone.
    virtual void
    find(const std::string& user, const std::string& realm, Done<std::optional<Ha1>> done) = 0;

    /// Forgets what it keeps of a source elsewhere.
    virtual void forget() {}
};

}  // namespace restante::auth
