#include "core/base/text.h"
#include "core/job/filter_node.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace restante {

namespace {

enum class Case { Exact, Ignored };
enum class Extent { Whole, Part };

bool same(char a, char b, Case letters)
{
    return a == b || (letters == Case::Ignored && toLower(a) == toLower(b));
}

bool startsWith(std::string_view text, std::string_view piece, Case letters)
{
    return text.size() >= piece.size() &&
           std::equal(piece.begin(), piece.end(), text.begin(),
                      [letters](char a, char b) { return same(a, b, letters); });
}

std::size_t find(std::string_view text, std::string_view piece, Case letters)
{
    if (letters == Case::Exact) {
        return text.find(piece);
    }
    const auto* found = std::search(text.begin(), text.end(), piece.begin(), piece.end(),
                                    [letters](char a, char b) { return same(a, b, letters); });
    return found == text.end() && !piece.empty() ? std::string_view::npos
                                                 : static_cast<std::size_t>(found - text.begin());
}

/// Takes the leftmost place for each piece, which is right for wildcards of any length.
bool fits(const FilterPattern& pattern, std::string_view text, Case letters, Extent extent)
{
    const auto& pieces = pattern.pieces;
    if (extent == Extent::Whole) {
        if (!startsWith(text, pieces.front(), letters)) {
            return false;
        }
        text.remove_prefix(pieces.front().size());
        if (!pattern.hasWildcard()) {
            return text.empty();
        }
    }
    const std::size_t first = extent == Extent::Whole ? 1 : 0;
    const std::size_t last = pieces.size() - (extent == Extent::Whole ? 1 : 0);
    for (auto i = first; i < last; ++i) {
        const auto at = find(text, pieces[i], letters);
        if (at == std::string_view::npos) {
            return false;
        }
        text.remove_prefix(at + pieces[i].size());
    }
    if (extent == Extent::Part) {
        return true;
    }
    const auto& end = pieces.back();
    return text.size() >= end.size() &&
           startsWith(text.substr(text.size() - end.size()), end, letters);
}

/// `*` alone asks whether there is anything.
bool isAnything(const FilterPattern& pattern)
{
    return pattern.hasWildcard() && std::all_of(pattern.pieces.begin(), pattern.pieces.end(),
                                                [](const auto& piece) { return piece.empty(); });
}

bool passesText(const JobFilter::Node& test, std::string_view text, Case letters, Extent extent)
{
    return std::any_of(test.patterns.begin(), test.patterns.end(), [&](const auto& pattern) {
        return isAnything(pattern) ? !text.empty() : fits(pattern, text, letters, extent);
    });
}

bool passesAnywhere(const JobFilter::Node& test, const JobView& view)
{
    const auto& job = view.job;
    for (const auto* text :
         {&job.id, &job.topic, &job.recipient, &job.sender, &job.bizKey, &view.lastError}) {
        if (passesText(test, *text, Case::Ignored, Extent::Part)) {
            return true;
        }
    }
    return false;
}

bool passesNumber(const JobFilter::Node& test, std::int64_t number, TimePoint now)
{
    const auto valueOf = [now](const FilterBound& bound) {
        return bound.value + (bound.relative ? toEpochMs(now) : 0);
    };
    return std::any_of(test.spans.begin(), test.spans.end(), [&](const auto& span) {
        return number >= valueOf(span.from) && number < valueOf(span.below);
    });
}

/// The status of SIP or HTTP in "480 Temporarily Unavailable", "503 from hooks.example.org": the
/// first number of three digits from 100 to 699.
std::optional<std::int64_t> codeIn(std::string_view error)
{
    constexpr std::size_t kDigits = 3;
    for (std::size_t i = 0; i + kDigits <= error.size(); ++i) {
        const auto end = std::find_if_not(error.begin() + i, error.end(), isDigit);
        const auto length = static_cast<std::size_t>(end - (error.begin() + i));
        if (length == kDigits && error[i] >= '1' && error[i] <= '6') {
            return (error[i] - '0') * 100 + (error[i + 1] - '0') * 10 + (error[i + 2] - '0');
        }
        i += length;
    }
    return std::nullopt;
}

std::string_view methodOf(Channel channel)
{
    switch (channel) {
    case Channel::Sip: return "MESSAGE";
    case Channel::Webhook: return "POST";
    default: return {};
    }
}

std::optional<std::int64_t> numberOf(FilterField field, const JobView& view, TimePoint now)
{
    const auto& job = view.job;
    switch (field) {
    case FilterField::Code: return codeIn(view.lastError);
    case FilterField::Attempts: return view.counted();
    case FilterField::Priority: return job.priority;
    case FilterField::Size: return static_cast<std::int64_t>(job.body.size());
    case FilterField::Due: return toEpochMs(view.due);
    case FilterField::Age: return (now - job.created).count();
    case FilterField::Created: return toEpochMs(job.created);
    default: break;
    }
    return job.expires ? std::optional(toEpochMs(*job.expires)) : std::nullopt;
}

bool passesTest(const JobFilter::Node& test, const JobView& view, TimePoint now)
{
    const auto& job = view.job;
    const auto whole = [&](std::string_view text) {
        return passesText(test, text, Case::Exact, Extent::Whole);
    };
    switch (test.field) {
    case FilterField::Id: return whole(job.id);
    case FilterField::State: return whole(name(view.state));
    case FilterField::Channel: return whole(name(job.channel));
    case FilterField::Topic: return whole(job.topic);
    case FilterField::From: return whole(job.sender);
    case FilterField::To: return whole(job.recipient);
    case FilterField::BizKey: return job.findByKey && whole(job.bizKey);
    case FilterField::CallId: return job.channel == Channel::Sip && whole(job.bizKey);
    case FilterField::Type: return passesText(test, job.contentType, Case::Ignored, Extent::Whole);
    case FilterField::Method:
        return passesText(test, methodOf(job.channel), Case::Ignored, Extent::Whole);
    case FilterField::Err: return passesText(test, view.lastError, Case::Ignored, Extent::Part);
    case FilterField::Payload: return passesText(test, job.body, Case::Ignored, Extent::Part);
    case FilterField::Anywhere: return passesAnywhere(test, view);
    default: break;
    }
    const auto number = numberOf(test.field, view, now);
    return number && passesNumber(test, *number, now);
}

}  // namespace

bool passes(const JobFilter::Node& node, const JobView& view, TimePoint now)
{
    const auto passesChild = [&](const auto& child) { return passes(child, view, now); };
    const auto& children = node.children;
    switch (node.kind) {
    case JobFilter::Node::Kind::All:
        return std::all_of(children.begin(), children.end(), passesChild);
    case JobFilter::Node::Kind::Any:
        return std::any_of(children.begin(), children.end(), passesChild);
    case JobFilter::Node::Kind::Not: return !passesChild(children.front());
    case JobFilter::Node::Kind::Test: break;
    }
    return passesTest(node, view, now);
}

}  // namespace restante
