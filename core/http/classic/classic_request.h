#pragma once

#include "core/base/result.h"
#include "core/queue/delay_queue.h"

#include <string>
#include <string_view>
#include <vector>

/// The bodies of the classic endpoints. An Invalid error begins with the field that is to blame,
/// unless the body as a whole is.
/// *Pure functions.*
namespace restante::http {

/// {"topic","id","delay","ttr","body"}: delay and ttr in whole seconds. Without an id one is given;
/// without a ttr it is 60 s; a field that is not named here is ignored.
Result<PushOptions> classicPushOf(std::string_view body);
/// {"topic"}: one, or several with commas between them.
Result<std::vector<std::string>> classicTopicsOf(std::string_view body);
/// {"id"}
Result<std::string> classicIdOf(std::string_view body);

/// Splits "a,b" into topics.
Result<std::vector<std::string>> topicsOf(std::string_view text);

}  // namespace restante::http
