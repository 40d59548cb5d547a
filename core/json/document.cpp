#include "core/json/document.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace restante::json {

namespace {

/// The bytes of a name that are quoted in a message.
constexpr std::size_t kLongestName = 64;

/// Builds the document while it is parsed and knows the current path. The library's own builder has
/// no limits and does not report the path of an error. No recursion: frames_ is the stack.
class Builder {
public:
    explicit Builder(DocumentLimits limits) : limits_(limits) {}

    // Called by the library; false ends the parsing.
    bool null() { return addValue(nullptr); }
    bool boolean(bool value) { return addValue(value); }
    bool number_integer(std::int64_t value)
    {
        return addValue(value);
    }  // NOLINT(*-identifier-naming)
    bool number_unsigned(std::uint64_t value)
    {
        return addValue(value);
    }                                                             // NOLINT(*-identifier-naming)
    bool number_float(double value, const std::string& /*text*/)  // NOLINT(*-identifier-naming)
    {
        return addValue(value);
    }
    bool string(std::string& value) { return addValue(std::move(value)); }
    bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }
    bool start_object(std::size_t /*size*/)  // NOLINT(*-identifier-naming)
    {
        return openContainer(nlohmann::json::object());
    }
    bool start_array(std::size_t /*size*/)  // NOLINT(*-identifier-naming)
    {
        return openContainer(nlohmann::json::array());
    }
    bool end_object() { return closeContainer(); }  // NOLINT(*-identifier-naming)
    bool end_array() { return closeContainer(); }   // NOLINT(*-identifier-naming)
    bool key(std::string& name)
    {
        auto& frame = frames_.back();
        frame.key = name;
        frame.hasKey = true;
        return !frame.value->contains(name) || fail("appears twice in one object");
    }
    bool parse_error(std::size_t position,  // NOLINT(*-identifier-naming)
                     const std::string& /*lastToken*/,
                     const nlohmann::json::exception& error)
    {
        return fail(reasonOf(error, position));
    }

    nlohmann::json takeDocument() { return std::move(root_); }
    FieldError problem() const { return problem_.value_or(FieldError{{}, "is not JSON"}); }

private:
    struct Frame {
        nlohmann::json* value = nullptr;
        std::string key = {};
        bool hasKey = false;  ///< the object's `key` is being read
    };

    /// Not the library's message, which repeats the input, perhaps a job's body.
    static std::string reasonOf(const nlohmann::json::exception& error, std::size_t position)
    {
        const std::string_view text(error.what());
        if (text.find("UTF-8") != std::string_view::npos) {
            return fmt::format("is not UTF-8 at byte {}; send other bytes as body_base64",
                               position);
        }
        if (text.find("control character") != std::string_view::npos) {
            return fmt::format("has a control character at byte {}; write it as \\u00XX", position);
        }
        if (text.find("out_of_range") != std::string_view::npos) {
            return "is a number that is too large";
        }
        return fmt::format("is not JSON from byte {} on", position);
    }

    bool fail(std::string detail)
    {
        problem_ = FieldError{currentPath(), std::move(detail)};
        return false;
    }

    std::string currentPath() const
    {
        std::string path;
        for (const auto& frame : frames_) {
            if (frame.value->is_array()) {
                // An open container inside is already an element; a value that failed is not.
                const std::size_t open = &frame == &frames_.back() ? 0 : 1;
                path += fmt::format("[{}]", frame.value->size() - open);
            } else if (frame.hasKey) {
                path += (path.empty() ? "" : ".") + frame.key.substr(0, kLongestName);
            }
        }
        return path;
    }

    nlohmann::json* insert(nlohmann::json&& value)
    {
        if (frames_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        auto& frame = frames_.back();
        if (frame.value->is_array()) {
            frame.value->push_back(std::move(value));
            return &frame.value->back();
        }
        return &((*frame.value)[frame.key] = std::move(value));
    }

    bool countValue() { return ++values_ <= limits_.values || fail(tooMany()); }
    std::string tooMany() const { return fmt::format("has more than {} values", limits_.values); }

    bool addValue(nlohmann::json&& value)
    {
        if (!countValue()) {
            return false;
        }
        insert(std::move(value));
        endValue();
        return true;
    }

    bool openContainer(nlohmann::json&& value)
    {
        if (!countValue()) {
            return false;
        }
        if (frames_.size() >= limits_.depth) {
            return fail(fmt::format("is nested deeper than {} levels", limits_.depth));
        }
        auto* opened = insert(std::move(value));
        frames_.push_back({.value = opened});
        return true;
    }

    bool closeContainer()
    {
        frames_.pop_back();
        endValue();
        return true;
    }

    void endValue()
    {
        if (!frames_.empty()) {
            frames_.back().hasKey = false;
        }
    }

    DocumentLimits limits_;
    nlohmann::json root_;
    std::vector<Frame> frames_;
    std::size_t values_ = 0;
    std::optional<FieldError> problem_;
};

}  // namespace

Parsed<nlohmann::json> parseDocument(std::string_view text, DocumentLimits limits)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return tl::unexpected(FieldError{{}, "is empty; send JSON"});
    }
    // The parser takes a NUL for the end and would ignore what follows.
    if (text.find('\0') != std::string_view::npos) {
        return tl::unexpected(FieldError{{}, "is no JSON: it has a NUL byte"});
    }
    Builder builder(limits);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
        return tl::unexpected(builder.problem());
    }
    return builder.takeDocument();
}

std::string toString(const nlohmann::json& document)
{
    return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Error errorOf(const FieldError& problem)
{
    if (problem.field.empty()) {
        return {ErrorCode::Invalid, "the document " + problem.detail};
    }
    return invalidField(problem.field, problem.detail).value();
}

FieldError fieldErrorOf(const Error& error)
{
    return {error.field, std::string(error.detail())};
}

}  // namespace restante::json
