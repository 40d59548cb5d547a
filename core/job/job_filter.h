#pragma once

#include "core/job/job.h"

#include <tl/expected.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace restante {

/// Where and why a filter cannot be read. *Value.*
struct FilterError {
    std::size_t column = 1;  ///< of the filter's text, counted in bytes from 1
    std::string detail;      ///< what is wrong there and what is allowed
};

/// Invalid, "filter: column 7: ...".
Error errorOf(const FilterError& problem);

/// Where the jobs of a filter can be. An empty optional does not narrow; an empty list is a
/// contradiction: nothing matches. *Value.*
struct FilterPlan {
    std::optional<std::vector<JobState>> states;
    std::optional<std::vector<Channel>> channels;
    std::optional<std::vector<std::string>> topics;
    std::optional<std::vector<std::string>> ids;
    std::optional<std::vector<std::string>> bizKeys;
    std::optional<std::vector<std::string>> recipients;
    /// The lists above say all that the filter does: every job there matches, without being
    /// examined.
    bool exact = true;
    /// Whether jobs must be examined one by one to find the matching ones: neither an id nor a
    /// biz_key leads to them, and they are not whole sets of the store (states, or topics and
    /// channels of scheduled and ready jobs).
    bool scans = false;
    bool readsBody = false;  ///< a term looks into bodies: slow
    bool readsSize = false;  ///< a term compares their length
};

/// A filter for jobs in the grammar of docs/search.md:
///
///     state:dead to:+8613* due<1h -err:486   (topic:order OR topic:"big order") attempts>3
///
/// Terms side by side must all hold; OR, NOT, `-` and parentheses as usual (NOT before AND before
/// OR). `field:a,b` is one of several; `*` in a value that is not quoted stands for any text. A
/// value of err, payload, method, type or of a term without a field ignores the case of ASCII
/// letters; the others are compared as they are. err, payload and a term without a field (it looks
/// at id, topic, recipient, sender, biz_key, last error and body) need only be contained. The empty
/// filter matches everything. *Value*, cheap to copy.
class JobFilter {
public:
    static constexpr std::size_t kLongest = 4'096;  ///< bytes
    static constexpr std::size_t kDeepest = 50;     ///< parentheses and NOTs inside each other

    static tl::expected<JobFilter, FilterError> parse(std::string_view text);

    /// The text it was parsed from.
    const std::string& text() const noexcept { return text_; }
    bool empty() const noexcept { return root_ == nullptr; }
    /// `now` is what `due<1h`, `age>7d` and the like are measured from.
    bool matches(const JobView& view, TimePoint now) const;
    FilterPlan plan() const;

    /// Every field that a filter may name, aliases behind their field: for completion.
    static std::vector<std::string_view> fields();

    /// Opaque.
    struct Node;

private:
    std::string text_;
    std::shared_ptr<const Node> root_;  ///< shared by copies, never changed; null = everything
};

/// The filter that matches exactly this value, whatever characters it has: `biz_key:"order 17"`.
std::string filterFor(std::string_view field, std::string_view value);

}  // namespace restante
