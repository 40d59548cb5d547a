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
Narrowed<T> both(Narrowed<T> a, const Narrowed<T>& b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    std::erase_if(*a, [&](const auto& value) { return !has(*b, value); });
    return a;
}

template <class T>
Narrowed<T> either(Narrowed<T> a, const Narrowed<T>& b)
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

/// What two plans narrow, dimension by dimension.
template <class Plan, class Visit>
void eachDimension(Plan& a, const FilterPlan& b, Visit visit)
{
    visit(a.states, b.states);
    visit(a.channels, b.channels);
    visit(a.topics, b.topics);
    visit(a.ids, b.ids);
    visit(a.bizKeys, b.bizKeys);
    visit(a.recipients, b.recipients);
}

std::size_t dimensionsOf(const FilterPlan& plan)
{
    std::size_t narrowed = 0;
    eachDimension(plan, plan, [&](const auto& one, const auto&) { narrowed += one ? 1 : 0; });
    return narrowed;
}

FilterPlan bothOf(FilterPlan a, const FilterPlan& b)
{
    eachDimension(a, b, [](auto& its, const auto& other) { its = both(std::move(its), other); });
    a.exact = a.exact && b.exact;
    return a;
}

FilterPlan eitherOf(FilterPlan a, const FilterPlan& b)
{
    // (topic:a state:dead) OR topic:b narrows to more than it says; one and the same dimension does
    // not.
    const bool single = dimensionsOf(a) == 1 && dimensionsOf(b) == 1;
    eachDimension(a, b, [](auto& its, const auto& other) { its = either(std::move(its), other); });
    a.exact = a.exact && b.exact && single && dimensionsOf(a) == 1;
    return a;
}

/// What is left when `narrowed` is taken away from `all`.
template <class T, class All>
Narrowed<T> others(const All& all, const std::vector<T>& narrowed)
{
    std::vector<T> rest(all.begin(), all.end());
    std::erase_if(rest, [&](const auto& value) { return has(narrowed, value); });
    return rest;
}

FilterPlan oppositeOf(const FilterPlan& plan)
{
    FilterPlan opposite;
    const bool alone = plan.exact && dimensionsOf(plan) == 1;
    opposite.exact = alone && (plan.states || plan.channels);
    if (opposite.exact && plan.states) {
        opposite.states = others(kJobStates, *plan.states);
    } else if (opposite.exact) {
        opposite.channels = others(kChannels, *plan.channels);
    }
    return opposite;
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

/// What the words, each of which has a meaning, mean.
template <class T>
std::vector<T> named(const std::vector<std::string>& words,
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
    case FilterField::State: plan.states = named(*values, jobStateNamed); return plan;
    case FilterField::Channel: plan.channels = named(*values, channelNamed); return plan;
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
    case Node::Kind::Not: return oppositeOf(planOf(node.children.front()));
    default: break;
    }
    auto plan = planOf(node.children.front());
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const auto next = planOf(node.children[i]);
        plan = node.kind == Node::Kind::All ? bothOf(std::move(plan), next)
                                            : eitherOf(std::move(plan), next);
    }
    return plan;
}

bool asks(const Node& node, FilterField field)
{
    return (node.kind == Node::Kind::Test && node.field == field) ||
           std::ranges::any_of(node.children,
                               [field](const Node& child) { return asks(child, field); });
}

bool onlyInLanes(const FilterPlan& plan)
{
    return plan.states && std::ranges::all_of(*plan.states, [](JobState state) {
               return state == JobState::Scheduled || state == JobState::Ready;
           });
}

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
    return pattern.hasWildcard() &&
           std::ranges::all_of(pattern.pieces, [](const auto& piece) { return piece.empty(); });
}

bool passesText(const Node& test, std::string_view text, Case letters, Extent extent)
{
    return std::ranges::any_of(test.patterns, [&](const auto& pattern) {
        return isAnything(pattern) ? !text.empty() : fits(pattern, text, letters, extent);
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
        return bound.value + (bound.relative ? toEpochMs(now) : 0);
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

bool passesTest(const Node& test, const JobView& view, TimePoint now)
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
    const bool found = plan.ids || plan.bizKeys;
    // Only the lanes are kept by topic and channel.
    const bool inSets =
        plan.exact && !plan.recipients && ((!plan.topics && !plan.channels) || onlyInLanes(plan));
    plan.scans = !found && !inSets;
    plan.readsBody =
        root_ && (asks(*root_, FilterField::Payload) || asks(*root_, FilterField::Anywhere));
    plan.readsSize = root_ && asks(*root_, FilterField::Size);
    return plan;
}

std::vector<std::string_view> JobFilter::fields()
{
    std::vector<std::string_view> names;
    for (const auto& one : filterWords()) {
        names.push_back(one.word);
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
