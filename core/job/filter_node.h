#pragma once

#include "core/job/job_filter.h"

#include <cstdint>
#include <limits>
#include <optional>
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

/// A recipient or a key may be as long.
constexpr std::size_t kLongestFilterValue = 1'024;
/// Every job's body is searched for it.
constexpr std::size_t kLongestPayloadText = 128;

/// What the values of a field are.
enum class FilterValueType { Word, Text, Number, Bytes, TimeFromNow, TimeSinceNow, Time };

enum class FilterComparison { Is, Less, AtMost, More, AtLeast };

/// A value as it stands in a filter, with its quotes undone. *Value.*
struct FilterValue {
    std::string text;
    std::vector<std::size_t> stars;    ///< where in `text` a `*` stood, which is not in it
    std::optional<std::size_t> range;  ///< where in `text` its first unquoted `..` is
    bool quoted = false;
    std::size_t at = 0;  ///< where in the filter it begins

    bool empty() const { return text.empty() && stars.empty() && !quoted; }
    FilterPattern pattern() const;
};

/// Adds one value to a term: a pattern or a span, as the term's field wants it.
tl::expected<void, FilterError> addFilterValue(JobFilter::Node& term,
                                               FilterValueType type,
                                               FilterComparison comparison,
                                               const FilterValue& value);

/// The word of a field.
struct FilterWord {
    std::string_view word;
    FilterField field;
    FilterValueType type = FilterValueType::Text;
};
/// All of them, aliases included.
const std::vector<FilterWord>& filterWords();

/// Reads the grammar of docs/search.md. `text` is not blank. Bounded by JobFilter::kLongest and
/// kDeepest.
tl::expected<JobFilter::Node, FilterError> parseFilter(std::string_view text);

}  // namespace restante
