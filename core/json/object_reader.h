#pragma once

#include "core/base/clock.h"
#include "core/job/retry_schedule.h"
#include "core/json/document.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante::json {

/// Reads an object strictly: each field that is read is known, and finish() refuses the others. A
/// getter answers nothing when the field is absent or wrong; the first wrong one is the problem
/// that finish() reports. `null` is a wrong value, not an absent one. Borrows the document.
/// *Value.*
///
///     ObjectReader reader(document);
///     const auto max = reader.integer("max", 1, 1000).value_or(1);
///     if (auto problem = reader.finish()) { return problem of the request; }
class ObjectReader {
public:
    /// `path` is put before the names of fields: "[17]".
    explicit ObjectReader(const nlohmann::json& document, std::string path = {});

    /// Reports a problem when the field is missing.
    bool require(std::string_view name);
    bool has(std::string_view name) const;

    /// 1 to `longest` bytes without control characters.
    std::optional<std::string> text(std::string_view name, std::size_t longest);
    /// Any UTF-8 string, also empty or with NUL.
    std::optional<std::string> bytes(std::string_view name);
    /// The bytes behind a base64 text.
    std::optional<std::string> base64(std::string_view name);
    /// A whole number; 1.0 and "1" are refused.
    std::optional<std::int64_t>
    integer(std::string_view name, std::int64_t least, std::int64_t most);
    std::optional<bool> boolean(std::string_view name);
    /// "1500ms", "2m".
    std::optional<Millis>
    duration(std::string_view name, Millis least = Millis{0}, Millis most = kLongest);
    /// RFC 3339 under `name`, or ms since the epoch as an integer under `name` + "_ms"; both only
    /// when they say the same.
    std::optional<TimePoint> time(std::string_view name);
    std::optional<RetrySchedule> retry(std::string_view name);
    /// One of `words`.
    std::optional<std::string> oneOf(std::string_view name,
                                     const std::vector<std::string_view>& words);
    /// The field as it is, for a reader of its own (pathOf(name) as its path).
    const nlohmann::json* raw(std::string_view name) { return declareAndFind(name); }
    std::string pathOf(std::string_view name) const;

    /// Reports a problem of a field, unless there is one already.
    void refuse(std::string_view name, std::string detail);
    /// Reports a problem when both fields are there.
    void refuseBoth(std::string_view name, std::string_view otherName);

    /// The first problem, unknown fields included (the message names the known ones); none = fine.
    std::optional<FieldError> finish();
    /// `value`, unless finish() has a problem.
    template <class T>
    Parsed<T> finish(T value)
    {
        if (auto problem = finish()) {
            return tl::unexpected(std::move(*problem));
        }
        return value;
    }

private:
    static constexpr Millis kLongest{std::chrono::hours{24 * 36'525}};
    /// The field, which finish() knows from now on; null when it is not there.
    const nlohmann::json* declareAndFind(std::string_view name);
    template <class Read, class Allowed>
    auto readField(std::string_view name, const Read& read, const Allowed& allowed);

    const nlohmann::json* object_ = nullptr;
    std::string path_;
    std::vector<std::string> knownFields_;
    std::optional<FieldError> problem_;
};

}  // namespace restante::json
