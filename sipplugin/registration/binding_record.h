#pragma once

#include "core/base/result.h"
#include "sipplugin/registration/binding_store.h"

#include <string>
#include <string_view>

namespace restante::sip {

/// A binding as the store keeps it (docs/redis-schema.md, "A binding"). *Pure functions.*
std::string encodeBinding(const Binding& binding);

/// Also of a record that an earlier version has written, in JSON. Internal when it cannot be read.
Result<Binding> decodeBinding(std::string_view record);

}  // namespace restante::sip
