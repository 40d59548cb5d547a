#pragma once

#include "core/http/server/http_call.h"
#include "core/json/document.h"
#include "core/json/object_reader.h"
#include "core/queue/job_search.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante::http {

/// The parameters that say which jobs are meant.
inline constexpr std::string_view kSelectors[]{"filter",  "state",     "topic",
                                               "biz_key", "recipient", "sender"};

/// The jobs that a list or a bulk call means. *Value.*
struct Selection {
    JobFilter filter;
    std::vector<JobState> states;
    bool narrows = false;  ///< a state or a filter that is not empty is given: not every job
};

/// Where a selector's text comes from: the query, or a body.
using SelectorText = std::function<std::optional<std::string>(std::string_view name)>;

/// All given selectors must match: `filter` is in the grammar of docs/search.md, `state` one state
/// or several, the others are compared exactly.
json::Parsed<Selection> selectionOf(const SelectorText& text);

}  // namespace restante::http
