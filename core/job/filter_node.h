#pragma once

#include "core/job/job_filter.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// What JobFilter is made of; nobody else includes this.
namespace restante {

enum class FilterField {
    Id,
    State,
    Channel,
    Topic,
    From,
    To,
    CallId,
    Method,
    Code,
    Err,
    Attempts,
    Due,
    Age,
    Created,
    Expires,
    Size,
    Payload,
    BizKey,
    Priority,
    Type,
    Anywhere,  ///< a term without a field
};

/// Text with wildcards. *Value.*
struct FilterPattern {
    std::vector<std::string> pieces;  ///< what stands between the `*`; one piece: no wildcard
    bool hasWildcard() const { return pieces.size() > 1; }
};

/// A bound of a number, or of a time: absolute in ms since the epoch, or relative to now.
struct FilterBound {
    std::int64_t value = 0;
    bool relative = false;
};

/// from <= x < below.
struct FilterSpan {
    FilterBound from{std::numeric_limits<std::int64_t>::min()};
    FilterBound below{std::numeric_limits<std::int64_t>::max()};
};

struct JobFilter::Node {
    enum class Kind { All, Any, Not, Test };
    Kind kind = Kind::Test;
    std::vector<Node> children{};  ///< of All, Any; the one of Not
    FilterField field = FilterField::Anywhere;
    std::vector<FilterPattern> patterns{};  ///< one of them must fit ...
    std::vector<FilterSpan> spans{};        ///< ... or one of these
};

/// Whether the job passes; the patterns of states and channels are their names.
bool passes(const JobFilter::Node& node, const JobView& view, TimePoint now);

}  // namespace restante
