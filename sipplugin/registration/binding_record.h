#pragma once

#include "core/base/result.h"
#include "sipplugin/registration/binding_store.h"

#include <string>
#include <string_view>

namespace restante::sip {

/// The record of a binding in the store (docs/redis-schema.md, "A binding"). *Pure functions.*
std::string encodeBinding(const Binding& binding);

/// Also reads the JSON records of earlier versions. Internal when the record is malformed.
Result<Binding> decodeBinding(std::string_view record);

}  // namespace restante::sip
