#include "core/job/filter_node.h"
#include "core/job/filter_suggestion.h"
#include "core/job/job_id.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

namespace restante {

namespace {

using Node = JobFilter::Node;
using Parsed = tl::expected<Node, FilterError>;

/// URI schemes, which are no field names although a colon follows them.
constexpr std::array<std::string_view, 5> kUriSchemes{"sip", "sips", "tel", "http", "https"};

/// Fields that other stores have and jobs here do not.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kUnsupportedFields{{
    {"flow", "jobs belong to no flow; use topic or biz_key"},
    {"owner", "who holds a lease is not kept with the job; its history in the journal has it"},
    {"updated", "a job keeps no time of its last change; due of an ended job is when it ended"},
}};

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool isControl(char c)
{
    return (c >= '\0' && c < ' ' && !isSpace(c)) || c == '\x7f';
}

bool isNameChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isOperator(char c)
{
    return c == ':' || c == '=' || c == '<' || c == '>';
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Parsed parse()
    {
        auto node = parseOrList();
        if (node && position_ < text_.size()) {
            return errorAt(position_, "this ) closes nothing; remove it, or put it into quotes");
        }
        return node;
    }

private:
    tl::unexpected<FilterError> errorAt(std::size_t at, std::string detail) const
    {
        return tl::unexpected(FilterError{at + 1, std::move(detail)});
    }

    char peek(std::size_t ahead = 0) const
    {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }
    bool atEnd() const { return position_ >= text_.size(); }
    void skipSpace()
    {
        while (!atEnd() && isSpace(peek())) {
            ++position_;
        }
    }
    bool endsWord(std::size_t at) const
    {
        return at >= text_.size() || isSpace(text_[at]) || text_[at] == '(' || text_[at] == ')';
    }
    bool isAtWord(std::string_view word) const
    {
        return text_.substr(position_, word.size()) == word && endsWord(position_ + word.size());
    }
    bool takeWord(std::string_view word)
    {
        skipSpace();
        const bool isThere = isAtWord(word);
        position_ += isThere ? word.size() : 0;
        return isThere;
    }

    /// Parses operands as long as `hasMore` says so, into one node of `kind`.
    template <class Operand, class More>
    Parsed parseList(Node::Kind kind, Operand parseOperand, More hasMore)
    {
        Node node{.kind = kind};
        do {
            auto child = parseOperand();
            if (!child) {
                return child;
            }
            node.children.push_back(std::move(*child));
        } while (hasMore());
        return node.children.size() == 1 ? std::move(node.children.front()) : std::move(node);
    }

    Parsed parseOrList()
    {
        return parseList(
            Node::Kind::Any, [this] { return parseAndList(); }, [this] { return takeWord("OR"); });
    }

    Parsed parseAndList()
    {
        return parseList(
            Node::Kind::All, [this] { return parseUnary(); },
            [this] {
                if (takeWord("AND")) {
                    return true;
                }
                skipSpace();
                return !atEnd() && peek() != ')' && !isAtWord("OR");
            });
    }

    Parsed parseUnary()
    {
        skipSpace();
        const auto start = position_;
        const bool isNegated =
            peek() == '-' && !endsWord(position_ + 1) ? (++position_, true) : false;
        const bool isNegatedGroup = !isNegated && peek() == '-' && peek(1) == '(';
        position_ += isNegatedGroup ? 1 : 0;
        if (isNegated || isNegatedGroup || takeWord("NOT")) {
            return parseNested(start, [this] {
                auto operand = parseUnary();
                if (!operand) {
                    return operand;
                }
                Node node{.kind = Node::Kind::Not};
                node.children.push_back(std::move(*operand));
                return Parsed(std::move(node));
            });
        }
        if (peek() == '(') {
            return parseNested(start, [this, start] { return parseGroup(start); });
        }
        return parseTerm();
    }

    template <class Inner>
    Parsed parseNested(std::size_t start, Inner parseInner)
    {
        if (++depth_ > JobFilter::kDeepest) {
            return errorAt(start, fmt::format("is nested deeper than {} levels; simplify it",
                                              JobFilter::kDeepest));
        }
        auto node = parseInner();
        --depth_;
        return node;
    }

    Parsed parseGroup(std::size_t start)
    {
        ++position_;
        auto node = parseOrList();
        if (!node) {
            return node;
        }
        skipSpace();
        if (peek() != ')' || atEnd()) {
            return errorAt(start, "this ( is not closed; add a )");
        }
        ++position_;
        return node;
    }

    Parsed parseTerm()
    {
        skipSpace();
        if (atEnd() || peek() == ')' || isAtWord("AND") || isAtWord("OR")) {
            return errorAt(position_, "a term is missing here, such as state:dead or to:+49*");
        }
        const auto start = position_;
        while (isNameChar(peek())) {
            ++position_;
        }
        const auto word = text_.substr(start, position_ - start);
        if (!isOperator(peek()) || word.empty() ||
            std::ranges::find(kUriSchemes, word) != kUriSchemes.end()) {
            position_ = start;
            return parseAnywhere();
        }
        return parseFieldTerm(start, word);
    }

    /// A text in the shape of a generated id is an id, so that its job is found without a search.
    Parsed parseAnywhere()
    {
        constexpr auto kAnyShards = std::numeric_limits<std::uint32_t>::max();
        return readValue(false).map([](const FilterValue& value) {
            const bool isId = !value.isQuoted && value.starPositions.empty() &&
                              !mayBeCallersId(value.text, kAnyShards);
            return Node{.field = isId ? FilterField::Id : FilterField::Anywhere,
                        .patterns = {value.pattern()}};
        });
    }

    Parsed parseFieldTerm(std::size_t start, std::string_view word)
    {
        const auto found = std::ranges::find(filterFieldNames(), word, &FilterFieldName::name);
        if (found == filterFieldNames().end()) {
            return errorAt(start, unknownFieldText(word));
        }
        Node node{.field = found->field};
        const auto comparison = readComparison();
        do {
            auto added = readValue(true).and_then([&](const FilterValue& value) {
                return addFilterValue(node, found->type, comparison, value);
            });
            if (!added) {
                return tl::unexpected(std::move(added.error()));
            }
        } while (takeComma());
        return node;
    }

    static std::string unknownFieldText(std::string_view word)
    {
        for (const auto& [name, why] : kUnsupportedFields) {
            if (name == word) {
                return fmt::format("{}: {}", name, why);
            }
        }
        if (const auto meant = suggestedField(word); !meant.empty()) {
            return fmt::format("\"{}\" is no field; did you mean {}?", word.substr(0, 40), meant);
        }
        std::string allFields;
        for (const auto field : JobFilter::fields()) {
            allFields += fmt::format("{}{}", allFields.empty() ? "" : ", ", field);
        }
        return fmt::format("\"{}\" is no field; the fields are {}; put a text with : into quotes",
                           word.substr(0, 40), allFields);
    }

    FilterComparison readComparison()
    {
        const char first = text_[position_++];
        const bool equal = peek() == '=';
        if (first == ':' || first == '=') {
            return FilterComparison::Is;
        }
        position_ += equal ? 1 : 0;
        if (first == '<') {
            return equal ? FilterComparison::AtMost : FilterComparison::Less;
        }
        return equal ? FilterComparison::AtLeast : FilterComparison::More;
    }

    bool takeComma()
    {
        const bool isThere = peek() == ',';
        position_ += isThere ? 1 : 0;
        return isThere;
    }

    /// Reads adjacent quoted and bare pieces as one value; in a list, a comma ends it.
    tl::expected<FilterValue, FilterError> readValue(bool inList)
    {
        FilterValue value;
        value.offset = position_;
        while (!endsWord(position_) && !(inList && peek() == ',')) {
            if (peek() == '"') {
                const auto start = position_;
                if (!readQuoted(value)) {
                    return errorAt(start,
                                   "this \" is not closed; write \\\" for one that is meant");
                }
                continue;
            }
            readBareElement(value);
        }
        if (value.empty()) {
            return errorAt(position_, "a value is missing here; write \"\" around one with spaces");
        }
        if (value.text.size() > kLongestFilterValue) {
            return errorAt(value.offset,
                           fmt::format("a value has at most {} bytes", kLongestFilterValue));
        }
        return value;
    }

    bool readQuoted(FilterValue& value)
    {
        value.isQuoted = true;
        for (++position_; !atEnd() && peek() != '"'; ++position_) {
            if (peek() == '\\' && (peek(1) == '"' || peek(1) == '\\')) {
                ++position_;
            }
            value.text += peek();
        }
        const bool closed = !atEnd();
        position_ += closed ? 1 : 0;
        return closed;
    }

    /// One character, a "*" or a "..".
    void readBareElement(FilterValue& value)
    {
        if (peek() == '*') {
            value.starPositions.push_back(value.text.size());
            ++position_;
        } else if (peek() == '.' && peek(1) == '.' && !value.rangePosition) {
            value.rangePosition = value.text.size();
            value.text += "..";
            position_ += 2;
        } else {
            value.text += text_[position_++];
        }
    }

    std::string_view text_;
    std::size_t position_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace

const std::vector<FilterFieldName>& filterFieldNames()
{
    using enum FilterField;
    using enum FilterValueType;
    static const std::vector<FilterFieldName> words{
        {"id", Id},
        {"state", State, Word},
        {"kind", Channel, Word},
        {"channel", Channel, Word},
        {"queue", Topic},
        {"topic", Topic},
        {"from", From},
        {"sender", From},
        {"to", To},
        {"recipient", To},
        {"biz_key", BizKey},
        {"callid", CallId},
        {"method", Method},
        {"code", Code, Number},
        {"err", Err},
        {"attempts", Attempts, Number},
        {"due", Due, TimeFromNow},
        {"age", Age, Duration},
        {"created", Created, Time},
        {"expires", Expires, TimeFromNow},
        {"priority", Priority, Number},
        {"size", Size, Bytes},
        {"type", Type},
        {"payload", Payload},
    };
    return words;
}

tl::expected<JobFilter::Node, FilterError> parseFilter(std::string_view text)
{
    if (text.size() > JobFilter::kLongest) {
        return tl::unexpected(
            FilterError{JobFilter::kLongest + 1,
                        fmt::format("a filter has at most {} bytes", JobFilter::kLongest)});
    }
    const auto* control = std::ranges::find_if(text, isControl);
    if (control != text.end()) {
        return tl::unexpected(
            FilterError{static_cast<std::size_t>(control - text.begin()) + 1,
                        "a control character; a filter has printable characters only"});
    }
    return Parser(text).parse();
}

}  // namespace restante
