#include "core/job/job_filter.h"

#include "core/job/filter_node.h"
#include "core/job/filter_parser.h"

#include <algorithm>
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
    return std::find(values.begin(), values.end(), value) != values.end();
}

template <class T>
Narrowed<T> both(Narrowed<T> a, const Narrowed<T>& b)
{
    if (!a || !b) {
        return a ? a : b;
    }
    a->erase(
        std::remove_if(a->begin(), a->end(), [&](const auto& value) { return !has(*b, value); }),
        a->end());
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

std::size_t dimensionsOf(const FilterPlan& plan)
{
    return static_cast<std::size_t>(plan.states.has_value()) + (plan.channels ? 1 : 0) +
           (plan.topics ? 1 : 0) + (plan.ids ? 1 : 0) + (plan.bizKeys ? 1 : 0) +
           (plan.recipients ? 1 : 0);
}

FilterPlan bothOf(FilterPlan a, const FilterPlan& b)
{
    a.states = both(std::move(a.states), b.states);
    a.channels = both(std::move(a.channels), b.channels);
    a.topics = both(std::move(a.topics), b.topics);
    a.ids = both(std::move(a.ids), b.ids);
    a.bizKeys = both(std::move(a.bizKeys), b.bizKeys);
    a.recipients = both(std::move(a.recipients), b.recipients);
    a.exact = a.exact && b.exact;
    return a;
}

FilterPlan eitherOf(FilterPlan a, const FilterPlan& b)
{
    // (topic:a state:dead) OR topic:b narrows to more than it says; one and the same dimension does
    // not.
    const auto before = dimensionsOf(a);
    const auto its = dimensionsOf(b);
    a.states = either(std::move(a.states), b.states);
    a.channels = either(std::move(a.channels), b.channels);
    a.topics = either(std::move(a.topics), b.topics);
    a.ids = either(std::move(a.ids), b.ids);
    a.bizKeys = either(std::move(a.bizKeys), b.bizKeys);
    a.recipients = either(std::move(a.recipients), b.recipients);
    a.exact = a.exact && b.exact && before == 1 && its == 1 && dimensionsOf(a) == 1;
    return a;
}

/// What is left when `narrowed` is taken away from `all`.
template <class T, class All>
Narrowed<T> others(const All& all, const std::vector<T>& narrowed)
{
    std::vector<T> rest;
    for (const auto& value : all) {
        if (!has(narrowed, value)) {
            rest.push_back(value);
        }
    }
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
        opposite.channels =
            others(std::array{Channel::Pull, Channel::Sip, Channel::Sms, Channel::Webhook},
                   *plan.channels);
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

FilterPlan planOfTest(const Node& test)
{
    FilterPlan plan;
    const auto values = literalsOf(test);
    plan.exact = values.has_value();
    switch (test.field) {
    case FilterField::State:
        plan.states.emplace();
        for (const auto& word : *values) {
            plan.states->push_back(*jobStateNamed(word));
        }
        return plan;
    case FilterField::Channel:
        plan.channels.emplace();
        for (const auto& word : *values) {
            plan.channels->push_back(*channelNamed(word));
        }
        return plan;
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

bool readsBody(const Node& node)
{
    return node.field == FilterField::Payload ||
           std::any_of(node.children.begin(), node.children.end(), readsBody);
}

bool onlyInLanes(const FilterPlan& plan)
{
    return plan.states && std::all_of(plan.states->begin(), plan.states->end(), [](JobState state) {
               return state == JobState::Scheduled || state == JobState::Ready;
           });
}

}  // namespace

Error errorOf(const FilterError& problem)
{
    return {ErrorCode::Invalid,
            fmt::format("filter: column {}: {}", problem.column, problem.detail)};
}

JobFilter::JobFilter() = default;

tl::expected<JobFilter, FilterError> JobFilter::parse(std::string_view text)
{
    JobFilter filter;
    filter.text_ = text.substr(0, kLongest);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return filter;
    }
    auto root = parseFilter(text);
    if (!root) {
        return tl::unexpected(std::move(root.error()));
    }
    filter.root_ = std::make_shared<const Node>(std::move(*root));
    return filter;
}

const std::string& JobFilter::text() const noexcept
{
    return text_;
}

bool JobFilter::empty() const noexcept
{
    return root_ == nullptr;
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
    plan.readsBody = root_ && restante::readsBody(*root_);
    return plan;
}

std::vector<std::string_view> JobFilter::fields()
{
    std::vector<std::string_view> names;
    for (const auto& [name, field] : filterFields()) {
        names.push_back(name);
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
