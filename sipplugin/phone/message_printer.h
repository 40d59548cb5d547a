#pragma once

#include "sipplugin/message/received_request.h"

#include <string>

namespace restante::phone {

/// "From: ...  Date: ...", then the body, then a line end. *Pure function.*
std::string printForPeople(const sip::ReceivedRequest& message);

/// One JSON object: from, to, date, call_id, content_type and body, or body_base64 when the body
/// is not UTF-8. *Pure function.*
std::string printAsJson(const sip::ReceivedRequest& message);

}  // namespace restante::phone
