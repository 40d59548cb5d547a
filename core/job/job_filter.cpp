#include "core/job/job_filter.h"

#include "core/base/text.h"
#include "core/job/filter_node.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace restante {

namespace {

using Node = JobFilter::Node;

/// Values that a dimension of the plan is narrowed to; none = not narrowed.
template <class T>
using Narrowed = std::optional<std::vector<T>>;

template <class T>
bool has(const std::vector<T>& values, const T& value)
{
    return std::ranges::find(values, value) != values.end();
}

template <class T>
Narrowed<T> intersection(Narrowed<T> a, const Narrowed<T>& b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    std::erase_if(*a, [&](const auto& value) { return !has(*b, value); });
    return a;
}

template <class T>
Narrowed<T> unite(Narrowed<T> a, const Narrowed<T>& b)
{
    if (!a || !b) {
        return std::nullopt;
    }
    for (const auto& value : *b) {
        if (!has(*a, value)) {
            a->push_back(value);
        }
    }
    return a;
}

/// Calls `visit` with each dimension of both plans.
template <class Plan, class Visit>
void forEachDimension(Plan& a, const FilterPlan& b, Visit visit)
{
    visit(a.states, b.states);
    visit(a.channels, b.channels);
    visit(a.topics, b.topics);
    visit(a.ids, b.ids);
    visit(a.bizKeys, b.bizKeys);
    visit(a.recipients, b.recipients);
}

std::size_t narrowedCount(const FilterPlan& plan)
{
    std::size_t narrowed = 0;
    forEachDimension(plan, plan, [&](const auto& one, const auto&) { narrowed += one ? 1 : 0; });
    return narrowed;
}

FilterPlan planOfBoth(FilterPlan a, const FilterPlan& b)
{
    forEachDimension(
        a, b, [](auto& mine, const auto& other) { mine = intersection(std::move(mine), other); });
    a.exact = a.exact && b.exact;
    return a;
}

FilterPlan planOfEither(FilterPlan a, const FilterPlan& b)
{
    // (topic:a state:dead) OR topic:b narrows to more jobs than it matches; with one and the same
    // dimension it does not.
    const bool eachNarrowsOneDimension = narrowedCount(a) == 1 && narrowedCount(b) == 1;
    forEachDimension(a, b,
                     [](auto& mine, const auto& other) { mine = unite(std::move(mine), other); });
    a.exact = a.exact && b.exact && eachNarrowsOneDimension && narrowedCount(a) == 1;
    return a;
}

/// All values but the `narrowed` ones.
template <class T, class All>
Narrowed<T> complementOf(const All& all, const std::vector<T>& narrowed)
{
    std::vector<T> remaining(all.begin(), all.end());
    std::erase_if(remaining, [&](const auto& value) { return has(narrowed, value); });
    return remaining;
}

FilterPlan planOfNot(const FilterPlan& plan)
{
    FilterPlan negated;
    const bool narrowsOneDimension = plan.exact && narrowedCount(plan) == 1;
    negated.exact = narrowsOneDimension && (plan.states || plan.channels);
    if (negated.exact && plan.states) {
        negated.states = complementOf(kJobStates, *plan.states);
    } else if (negated.exact) {
        negated.channels = complementOf(kChannels, *plan.channels);
    }
    return negated;
}

/// The values of a test without wildcards; none when it has some.
Narrowed<std::string> literalsOf(const Node& test)
{
    std::vector<std::string> values;
    for (const auto& pattern : test.patterns) {
        if (pattern.hasWildcard()) {
            return std::nullopt;
        }
        if (!has(values, pattern.pieces.front())) {
            values.push_back(pattern.pieces.front());
        }
    }
    return values;
}

/// The values of the words, each of which must have one.
template <class T>
std::vector<T> valuesOf(const std::vector<std::string>& words,
                        std::optional<T> (*meaning)(std::string_view) noexcept)
{
    std::vector<T> values;
    std::ranges::transform(words, std::back_inserter(values),
                           [=](const auto& word) { return *meaning(word); });
    return values;
}

FilterPlan planOfTest(const Node& test)
{
    FilterPlan plan;
    const auto values = literalsOf(test);
    plan.exact = values.has_value();
    switch (test.field) {
    case FilterField::State: plan.states = valuesOf(*values, jobStateNamed); return plan;
    case FilterField::Channel: plan.channels = valuesOf(*values, channelNamed); return plan;
    case FilterField::Id: plan.ids = values; return plan;
    case FilterField::Topic: plan.topics = values; return plan;
    case FilterField::BizKey: plan.bizKeys = values; return plan;
    case FilterField::To: plan.recipients = values; return plan;
    default: break;
    }
    plan.exact = false;
    return plan;
}

FilterPlan planOf(const Node& node)
{
    switch (node.kind) {
    case Node::Kind::Test: return planOfTest(node);
    case Node::Kind::Not: return planOfNot(planOf(node.children.front()));
    default: break;
    }
    auto plan = planOf(node.children.front());
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const auto next = planOf(node.children[i]);
        plan = node.kind == Node::Kind::All ? planOfBoth(std::move(plan), next)
                                            : planOfEither(std::move(plan), next);
    }
    return plan;
}

bool testsField(const Node& node, FilterField field)
{
    return (node.kind == Node::Kind::Test && node.field == field) ||
           std::ranges::any_of(node.children,
                               [field](const Node& child) { return testsField(child, field); });
}

bool isOnlyInLanes(const FilterPlan& plan)
{
    return plan.states && std::ranges::all_of(*plan.states, [](JobState state) {
               return state == JobState::Scheduled || state == JobState::Ready;
           });
}

enum class Case { Exact, Ignored };
enum class Extent { Whole, Part };

bool isSameChar(char a, char b, Case letterCase)
{
    return a == b || (letterCase == Case::Ignored && toLower(a) == toLower(b));
}

bool startsWith(std::string_view text, std::string_view piece, Case letterCase)
{
    return text.size() >= piece.size() &&
           std::equal(piece.begin(), piece.end(), text.begin(),
                      [letterCase](char a, char b) { return isSameChar(a, b, letterCase); });
}

std::size_t findPiece(std::string_view text, std::string_view piece, Case letterCase)
{
    if (letterCase == Case::Exact) {
        return text.find(piece);
    }
    const auto* found =
        std::search(text.begin(), text.end(), piece.begin(), piece.end(),
                    [letterCase](char a, char b) { return isSameChar(a, b, letterCase); });
    return found == text.end() && !piece.empty() ? std::string_view::npos
                                                 : static_cast<std::size_t>(found - text.begin());
}

/// Takes the leftmost match of each piece, which suffices because a wildcard may have any length.
bool matchesPattern(const FilterPattern& pattern,
                    std::string_view text,
                    Case letterCase,
                    Extent extent)
{
    const auto& pieces = pattern.pieces;
    if (extent == Extent::Whole) {
        if (!startsWith(text, pieces.front(), letterCase)) {
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
        const auto at = findPiece(text, pieces[i], letterCase);
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
           startsWith(text.substr(text.size() - end.size()), end, letterCase);
}

/// `*` alone matches any text that is not empty.
bool isAnything(const FilterPattern& pattern)
{
    return pattern.hasWildcard() &&
           std::ranges::all_of(pattern.pieces, [](const auto& piece) { return piece.empty(); });
}

bool passesText(const Node& test, std::string_view text, Case letterCase, Extent extent)
{
    return std::ranges::any_of(test.patterns, [&](const auto& pattern) {
        return isAnything(pattern) ? !text.empty()
                                   : matchesPattern(pattern, text, letterCase, extent);
    });
}

bool passesAnywhere(const Node& test, const JobView& view)
{
    const auto& job = view.job;
    const std::array texts{&job.id,     &job.topic,      &job.recipient, &job.sender,
                           &job.bizKey, &view.lastError, &job.body};
    return std::ranges::any_of(texts, [&](const auto* text) {
        return passesText(test, *text, Case::Ignored, Extent::Part);
    });
}

bool passesNumber(const Node& test, std::int64_t number, TimePoint now)
{
    const auto valueOf = [now](const FilterBound& bound) {
        return bound.value + (bound.isRelative ? toEpochMs(now) : 0);
    };
    return std::ranges::any_of(test.spans, [&](const auto& span) {
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
    case FilterField::Attempts: return view.countedAttempts();
    case FilterField::Priority: return job.priority;
    case FilterField::Size: return static_cast<std::int64_t>(job.body.size());
    case FilterField::Due: return toEpochMs(view.due);
    case FilterField::Age: return (now - job.created).count();
    case FilterField::Created: return toEpochMs(job.created);
    default: break;
    }
    return job.expires ? std::optional(toEpochMs(*job.expires)) : std::nullopt;
}

bool passesTest(const Node& test, const JobView& view, TimePoint now)
{
    const auto& job = view.job;
    const auto matchesWhole = [&](std::string_view text) {
        return passesText(test, text, Case::Exact, Extent::Whole);
    };
    switch (test.field) {
    case FilterField::Id: return matchesWhole(job.id);
    case FilterField::State: return matchesWhole(name(view.state));
    case FilterField::Channel: return matchesWhole(name(job.channel));
    case FilterField::Topic: return matchesWhole(job.topic);
    case FilterField::From: return matchesWhole(job.sender);
    case FilterField::To: return matchesWhole(job.recipient);
    case FilterField::BizKey: return job.findByKey && matchesWhole(job.bizKey);
    case FilterField::CallId: return job.channel == Channel::Sip && matchesWhole(job.bizKey);
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

/// Whether the job passes; the patterns of states and channels are their names.
bool passes(const Node& node, const JobView& view, TimePoint now)
{
    const auto passesChild = [&](const auto& child) { return passes(child, view, now); };
    const auto& children = node.children;
    switch (node.kind) {
    case Node::Kind::All: return std::ranges::all_of(children, passesChild);
    case Node::Kind::Any: return std::ranges::any_of(children, passesChild);
    case Node::Kind::Not: return !passesChild(children.front());
    case Node::Kind::Test: break;
    }
    return passesTest(node, view, now);
}

}  // namespace

Error errorOf(const FilterError& problem)
{
    return invalidField("filter", fmt::format("column {}: {}", problem.column, problem.detail))
        .value();
}

tl::expected<JobFilter, FilterError> JobFilter::parse(std::string_view text)
{
    JobFilter filter;
    filter.text_ = text.substr(0, kLongest);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return filter;
    }
    return parseFilter(text).map([&](Node root) {
        filter.root_ = std::make_shared<const Node>(std::move(root));
        return filter;
    });
}

bool JobFilter::matches(const JobView& view, TimePoint now) const
{
    return !root_ || passes(*root_, view, now);
}

FilterPlan JobFilter::plan() const
{
    FilterPlan plan = root_ ? planOf(*root_) : FilterPlan{};
    const bool leadsToJobs = plan.ids || plan.bizKeys;
    // Only the lanes are kept by topic and channel.
    const bool coversWholeSets =
        plan.exact && !plan.recipients && ((!plan.topics && !plan.channels) || isOnlyInLanes(plan));
    plan.scans = !leadsToJobs && !coversWholeSets;
    plan.readsBody = root_ && (testsField(*root_, FilterField::Payload) ||
                               testsField(*root_, FilterField::Anywhere));
    plan.readsSize = root_ && testsField(*root_, FilterField::Size);
    return plan;
}

std::vector<std::string_view> JobFilter::fields()
{
    std::vector<std::string_view> names;
    for (const auto& one : filterFieldNames()) {
        names.push_back(one.name);
    }
    return names;
}

std::string filterFor(std::string_view field, std::string_view value)
{
    std::string filter = fmt::format("{}:\"", field);
    for (const char c : value) {
        filter += c == '"' || c == '\\' ? "\\" : "";
        filter += c;
    }
    return filter + '"';
}

}  // namespace restante
