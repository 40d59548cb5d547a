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

/// Words that may stand where a field's name would, because an address begins with them.
constexpr std::array<std::string_view, 5> kSchemes{"sip", "sips", "tel", "http", "https"};

/// What the grammar of msilo-like stores and of the console names, and no job here has.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kAbsent{{
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
        auto node = any();
        if (node && at_ < text_.size()) {
            return problem(at_, "this ) closes nothing; remove it, or put it into quotes");
        }
        return node;
    }

private:
    tl::unexpected<FilterError> problem(std::size_t at, std::string detail) const
    {
        return tl::unexpected(FilterError{at + 1, std::move(detail)});
    }

    char peek(std::size_t ahead = 0) const
    {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    bool atEnd() const { return at_ >= text_.size(); }
    void skipSpace()
    {
        while (!atEnd() && isSpace(peek())) {
            ++at_;
        }
    }
    bool endsWord(std::size_t at) const
    {
        return at >= text_.size() || isSpace(text_[at]) || text_[at] == '(' || text_[at] == ')';
    }
    bool sees(std::string_view word) const
    {
        return text_.substr(at_, word.size()) == word && endsWord(at_ + word.size());
    }
    bool take(std::string_view word)
    {
        skipSpace();
        const bool there = sees(word);
        at_ += there ? word.size() : 0;
        return there;
    }

    /// Operands that `more` says there are, as one node of `kind`.
    template <class Operand, class More>
    Parsed list(Node::Kind kind, Operand operand, More more)
    {
        Node node{.kind = kind};
        do {
            auto child = operand();
            if (!child) {
                return child;
            }
            node.children.push_back(std::move(*child));
        } while (more());
        return node.children.size() == 1 ? std::move(node.children.front()) : std::move(node);
    }

    Parsed any()
    {
        return list(
            Node::Kind::Any, [this] { return all(); }, [this] { return take("OR"); });
    }

    Parsed all()
    {
        return list(
            Node::Kind::All, [this] { return unary(); },
            [this] {
                if (take("AND")) {
                    return true;
                }
                skipSpace();
                return !atEnd() && peek() != ')' && !sees("OR");
            });
    }

    Parsed unary()
    {
        skipSpace();
        const auto start = at_;
        const bool minus = peek() == '-' && !endsWord(at_ + 1) ? (++at_, true) : false;
        const bool minusBeforeGroup = !minus && peek() == '-' && peek(1) == '(';
        at_ += minusBeforeGroup ? 1 : 0;
        if (minus || minusBeforeGroup || take("NOT")) {
            return nested(start, [this] {
                auto operand = unary();
                if (!operand) {
                    return operand;
                }
                Node node{.kind = Node::Kind::Not};
                node.children.push_back(std::move(*operand));
                return Parsed(std::move(node));
            });
        }
        if (peek() == '(') {
            return nested(start, [this, start] { return group(start); });
        }
        return term();
    }

    template <class Inner>
    Parsed nested(std::size_t start, Inner inner)
    {
        if (++depth_ > JobFilter::kDeepest) {
            return problem(start, fmt::format("is nested deeper than {} levels; simplify it",
                                              JobFilter::kDeepest));
        }
        auto node = inner();
        --depth_;
        return node;
    }

    Parsed group(std::size_t start)
    {
        ++at_;
        auto node = any();
        if (!node) {
            return node;
        }
        skipSpace();
        if (peek() != ')' || atEnd()) {
            return problem(start, "this ( is not closed; add a )");
        }
        ++at_;
        return node;
    }

    Parsed term()
    {
        skipSpace();
        if (atEnd() || peek() == ')' || sees("AND") || sees("OR")) {
            return problem(at_, "a term is missing here, such as state:dead or to:+49*");
        }
        const auto start = at_;
        while (isNameChar(peek())) {
            ++at_;
        }
        const auto word = text_.substr(start, at_ - start);
        if (!isOperator(peek()) || word.empty() ||
            std::ranges::find(kSchemes, word) != kSchemes.end()) {
            at_ = start;
            return anywhere();
        }
        return fieldTerm(start, word);
    }

    /// An id as the store makes them leads to its job, which no other job is found by.
    Parsed anywhere()
    {
        constexpr auto kAnyShards = std::numeric_limits<std::uint32_t>::max();
        return readValue(false).map([](const FilterValue& value) {
            const bool isId =
                !value.quoted && value.stars.empty() && !mayBeChosen(value.text, kAnyShards);
            return Node{.field = isId ? FilterField::Id : FilterField::Anywhere,
                        .patterns = {value.pattern()}};
        });
    }

    Parsed fieldTerm(std::size_t start, std::string_view word)
    {
        const auto found = std::ranges::find(filterWords(), word, &FilterWord::word);
        if (found == filterWords().end()) {
            return problem(start, unknownField(word));
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

    static std::string unknownField(std::string_view word)
    {
        for (const auto& [name, why] : kAbsent) {
            if (name == word) {
                return fmt::format("{}: {}", name, why);
            }
        }
        if (const auto meant = suggestedField(word); !meant.empty()) {
            return fmt::format("\"{}\" is no field; did you mean {}?", word.substr(0, 40), meant);
        }
        std::string known;
        for (const auto field : JobFilter::fields()) {
            known += fmt::format("{}{}", known.empty() ? "" : ", ", field);
        }
        return fmt::format("\"{}\" is no field; the fields are {}; put a text with : into quotes",
                           word.substr(0, 40), known);
    }

    FilterComparison readComparison()
    {
        const char first = text_[at_++];
        const bool equal = peek() == '=';
        if (first == ':' || first == '=') {
            return FilterComparison::Is;
        }
        at_ += equal ? 1 : 0;
        if (first == '<') {
            return equal ? FilterComparison::AtMost : FilterComparison::Less;
        }
        return equal ? FilterComparison::AtLeast : FilterComparison::More;
    }

    bool takeComma()
    {
        const bool there = peek() == ',';
        at_ += there ? 1 : 0;
        return there;
    }

    /// Quoted and bare pieces that stand together; in a list a comma ends them.
    tl::expected<FilterValue, FilterError> readValue(bool inList)
    {
        FilterValue value;
        value.at = at_;
        while (!endsWord(at_) && !(inList && peek() == ',')) {
            if (peek() == '"') {
                const auto start = at_;
                if (!readQuoted(value)) {
                    return problem(start,
                                   "this \" is not closed; write \\\" for one that is meant");
                }
                continue;
            }
            readBare(value);
        }
        if (value.empty()) {
            return problem(at_, "a value is missing here; write \"\" around one with spaces");
        }
        if (value.text.size() > kLongestFilterValue) {
            return problem(value.at,
                           fmt::format("a value has at most {} bytes", kLongestFilterValue));
        }
        return value;
    }

    bool readQuoted(FilterValue& value)
    {
        value.quoted = true;
        for (++at_; !atEnd() && peek() != '"'; ++at_) {
            if (peek() == '\\' && (peek(1) == '"' || peek(1) == '\\')) {
                ++at_;
            }
            value.text += peek();
        }
        const bool closed = !atEnd();
        at_ += closed ? 1 : 0;
        return closed;
    }

    void readBare(FilterValue& value)
    {
        if (peek() == '*') {
            value.stars.push_back(value.text.size());
            ++at_;
        } else if (peek() == '.' && peek(1) == '.' && !value.range) {
            value.range = value.text.size();
            value.text += "..";
            at_ += 2;
        } else {
            value.text += text_[at_++];
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
};

}  // namespace

const std::vector<FilterWord>& filterWords()
{
    using enum FilterField;
    using enum FilterValueType;
    static const std::vector<FilterWord> words{
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
        {"age", Age, TimeSinceNow},
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
