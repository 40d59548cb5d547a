#pragma once

#include "core/auth/ha1.h"
#include "core/base/interface.h"
#include "core/base/result.h"

#include <optional>
#include <string>

namespace restante::auth {

/// The users who may authenticate. *One loop.*
class UserDirectory : public Interface {
public:
    /// None for an unknown user; an error when it cannot be determined now. `done` is called
    /// exactly once, perhaps at once, but not after the directory was destroyed.
    virtual void
    find(const std::string& user, const std::string& realm, Done<std::optional<Ha1>> done) = 0;

    /// Drops cached answers of an external source.
    virtual void clearCache() {}
};

}  // namespace restante::auth
