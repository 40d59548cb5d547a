#pragma once

#include "core/http/api/v1_api.h"
#include "core/json/field_error.h"

#include <string_view>

namespace restante::http {

/// What only callers from outside are refused: a reserved topic, a recipient that the channel
/// cannot reach. A SIP address becomes its address of record.
json::Parsed<PushOrder> checkedPush(const V1Services& services, PushOrder order);

/// Whether a field of a push cannot be changed later.
bool isFixedAtPush(std::string_view field) noexcept;

}  // namespace restante::http
