#pragma once

#include "core/job/job_filter.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// Internals of JobFilter, included by its sources only.
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
    std::vector<std::string> pieces;  ///< the texts between the `*`; one piece: no wildcard
    bool hasWildcard() const { return pieces.size() > 1; }
};

/// A bound of a number, or of a time: absolute in ms since the epoch, or relative to now.
struct FilterBound {
    std::int64_t value = 0;
    bool isRelative = false;
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
    std::vector<FilterPattern> patterns{};  ///< the value must match one of these
    std::vector<FilterSpan> spans{};        ///< or lie in one of these
};

/// As long as a recipient or a key may be.
constexpr std::size_t kLongestFilterValue = 1'024;
/// Short, because the body of every job is searched for it.
constexpr std::size_t kLongestPayloadText = 128;

/// The type of a field's values.
enum class FilterValueType { Word, Text, Number, Bytes, TimeFromNow, Duration, Time };

enum class FilterComparison { Is, Less, AtMost, More, AtLeast };

/// A value of a filter, without its quotes. *Value.*
struct FilterValue {
    std::string text;
    std::vector<std::size_t>
        starPositions;  ///< positions in `text` of the `*`, which are not part of it
    std::optional<std::size_t> rangePosition;  ///< position in `text` of its first unquoted `..`
    bool isQuoted = false;
    std::size_t offset = 0;  ///< position in the filter at which it begins

    bool empty() const { return text.empty() && starPositions.empty() && !isQuoted; }
    FilterPattern pattern() const;
};

/// Adds one value to a term: a pattern or a span, as the term's field wants it.
tl::expected<void, FilterError> addFilterValue(JobFilter::Node& term,
                                               FilterValueType type,
                                               FilterComparison comparison,
                                               const FilterValue& value);

/// A name of a field.
struct FilterFieldName {
    std::string_view name;
    FilterField field;
    FilterValueType type = FilterValueType::Text;
};
/// All names, aliases included.
const std::vector<FilterFieldName>& filterFieldNames();

/// Reads the grammar of docs/search.md. `text` is not blank. Bounded by JobFilter::kLongest and
/// kDeepest.
tl::expected<JobFilter::Node, FilterError> parseFilter(std::string_view text);

}  // namespace restante
