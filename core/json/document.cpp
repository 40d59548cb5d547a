#include "core/json/document.h"

#include "core/base/text.h"
#include "core/json/plain_text.h"

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

/// Reads the JSON that nearly all callers send in a third of the library's time: objects, arrays,
/// strings, whole numbers and the three words. At anything else, and at every error, it gives up,
/// and the library reads the document from its beginning: what is wrong is for it to say.
class QuickReader {
public:
    QuickReader(std::string_view text, DocumentLimits limits)
        : next_(text.data()),
          end_(text.data() + text.size()),
          limits_(limits)
    {
    }

    /// None = not decided.
    std::optional<nlohmann::json> read()
    {
        nlohmann::json document;
        if (!readValue(document, 0)) {
            return std::nullopt;
        }
        skipBlanks();
        return next_ == end_ ? std::optional(std::move(document)) : std::nullopt;
    }

private:
    /// Eighteen digits fit into 63 bits.
    static constexpr int kMostDigits = 18;

    void skipBlanks()
    {
        while (next_ != end_ &&
               (*next_ == ' ' || *next_ == '\n' || *next_ == '\r' || *next_ == '\t')) {
            ++next_;
        }
    }

    bool skip(char wanted)
    {
        const bool isThere = next_ != end_ && *next_ == wanted;
        next_ += isThere ? 1 : 0;
        return isThere;
    }

    bool readWord(std::string_view word)
    {
        const std::string_view rest(next_, static_cast<std::size_t>(end_ - next_));
        next_ += rest.starts_with(word) ? word.size() : 0;
        return rest.starts_with(word);
    }

    bool readValue(nlohmann::json& value, std::size_t depth)
    {
        skipBlanks();
        if (next_ == end_ || ++values_ > limits_.values) {
            return false;
        }
        switch (*next_) {
        case '{': return depth < limits_.depth && readObject(value, depth + 1);
        case '[': return depth < limits_.depth && readArray(value, depth + 1);
        case '"': value = std::string(); return readString(value.get_ref<std::string&>());
        case 't': value = true; return readWord("true");
        case 'f': value = false; return readWord("false");
        case 'n': return readWord("null");
        default: return readNumber(value);
        }
    }

    bool readObject(nlohmann::json& object, std::size_t depth)
    {
        object = nlohmann::json::object();
        auto& fields = object.get_ref<nlohmann::json::object_t&>();
        ++next_;
        skipBlanks();
        if (skip('}')) {
            return true;
        }
        do {
            std::string name;
            skipBlanks();
            if (next_ == end_ || *next_ != '"' || !readString(name)) {
                return false;
            }
            skipBlanks();
            const auto [field, isNew] = fields.try_emplace(std::move(name));
            if (!isNew || !skip(':') || !readValue(field->second, depth)) {
                return false;
            }
            skipBlanks();
        } while (skip(','));
        return skip('}');
    }

    bool readArray(nlohmann::json& array, std::size_t depth)
    {
        array = nlohmann::json::array();
        auto& items = array.get_ref<nlohmann::json::array_t&>();
        ++next_;
        skipBlanks();
        if (skip(']')) {
            return true;
        }
        do {
            if (!readValue(items.emplace_back(), depth)) {
                return false;
            }
            skipBlanks();
        } while (skip(','));
        return skip(']');
    }

    /// The value of an escape of two characters; none = \uXXXX, or no escape at all.
    static std::optional<char> unescaped(char letter) noexcept
    {
        switch (letter) {
        case '"':
        case '\\':
        case '/': return letter;
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return std::nullopt;
        }
    }

    bool readString(std::string& text)
    {
        ++next_;
        bool hasOnlyAscii = true;
        for (;;) {
            const auto count = plainPrefix({next_, static_cast<std::size_t>(end_ - next_)});
            text.append(next_, count);
            next_ += count;
            if (skip('"')) {
                return hasOnlyAscii || isUtf8(text);
            }
            if (next_ == end_) {
                return false;
            }
            if (const auto c = *next_; !isAscii(c)) {
                hasOnlyAscii = false;
                text += c;
                ++next_;
            } else if (!readEscape(text)) {
                return false;
            }
        }
    }

    bool readEscape(std::string& text)
    {
        const auto character =
            end_ - next_ >= 2 && *next_ == '\\' ? unescaped(next_[1]) : std::nullopt;
        if (!character) {
            return false;
        }
        text += *character;
        next_ += 2;
        return true;
    }

    bool readNumber(nlohmann::json& number)
    {
        const bool isNegative = skip('-');
        const auto* const digits = next_;
        std::uint64_t value = 0;
        while (next_ != end_ && isDigit(*next_)) {
            value = value * 10 + static_cast<std::uint64_t>(*next_++ - '0');
        }
        const auto count = next_ - digits;
        const bool isWhole = next_ == end_ || (*next_ != '.' && *next_ != 'e' && *next_ != 'E');
        if (count == 0 || count > kMostDigits || (count > 1 && *digits == '0') || !isWhole) {
            return false;
        }
        if (isNegative) {
            number = -static_cast<std::int64_t>(value);
        } else {
            number = value;
        }
        return true;
    }

    const char* next_;
    const char* end_;
    DocumentLimits limits_;
    std::size_t values_ = 0;
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
    if (auto document = QuickReader(text, limits).read()) {
        return std::move(*document);
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
