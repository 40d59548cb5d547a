#pragma once

#include "core/base/result.h"

#include <string_view>
#include <vector>

namespace restante::sip {

/// One contact of a registration, RFC 3680 section 5. *Value.*
struct ReginfoContact {
    std::string uri;    ///< as written, without surrounding space
    std::string state;  ///< "active" | "terminated"
    std::string event;  ///< "registered", "created", "refreshed", "expired" ...
};

/// The state of one address of record. *Value.*
struct ReginfoRegistration {
    std::string aor;
    std::string state;  ///< "init" | "active" | "terminated"
    std::vector<ReginfoContact> contacts;

    /// Whether it can be reached: active, with an active contact if any contacts are listed.
    bool isActive() const;
};

/// Reads a body of type application/reginfo+xml. A document type declaration is refused before its
/// content is read, so that no entities are expanded; so are more than 1,000 contacts and an
/// element deeper than 16. The error says where and why. *Pure function.*
Result<std::vector<ReginfoRegistration>> parseReginfo(std::string_view xml);

}  // namespace restante::sip
