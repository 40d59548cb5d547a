#pragma once

#include "core/http/api/item_answer.h"
#include "core/http/api/v1_api.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace restante::http {

/// How a job stands, without its body: id, topic, channel, state, attempt, due, last_error.
nlohmann::json standingOf(const JobView& view);

/// After a move of job `id`: answers how the job stands now, or the refusal of the move.
Done<void> thenStanding(const V1Services& services, std::string id, Answer answer);

}  // namespace restante::http
