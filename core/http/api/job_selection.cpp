#include "core/http/api/job_selection.h"

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/http/api/api_reply.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::http {

namespace {

tl::unexpected<json::FieldError> wrongFilter(const FilterError& problem)
{
    return fieldError("filter", fmt::format("column {}: {}", problem.column, problem.detail));
}

json::Parsed<std::vector<JobState>> statesOf(std::string_view text)
{
    std::vector<JobState> states;
    for (const auto word : split(text, ',')) {
        const auto state = jobStateNamed(word);
        if (!state) {
            std::vector<std::string_view> words;
            for (const auto one : kJobStates) {
                words.push_back(name(one));
            }
            return fieldError("state", fmt::format("is one or several of {}, separated by commas",
                                                   fmt::join(words, ", ")));
        }
        if (std::find(states.begin(), states.end(), *state) == states.end()) {
            states.push_back(*state);
        }
    }
    return states;
}

}  // namespace

json::Parsed<Selection> selectionOf(const SelectorText& text)
{
    Selection selection;
    if (const auto states = text("state")) {
        selection.states = TRY(statesOf(*states));
        selection.narrows = true;
    }
    // Parsed by itself first, so that the column in an error is one of the caller's text.
    auto filter = JobFilter::parse(text("filter").value_or(""));
    if (!filter) {
        return wrongFilter(filter.error());
    }
    std::string combinedText = filter->empty() ? "" : fmt::format("({})", filter->text());
    for (const std::string_view field : {"topic", "biz_key", "recipient", "sender"}) {
        const auto value = text(field);
        if (!value) {
            continue;
        }
        if (value->empty()) {
            return fieldError(field, "is not empty");
        }
        const auto fieldText = filterFor(field, *value);
        if (const auto valid = JobFilter::parse(fieldText); !valid) {
            return fieldError(field, valid.error().detail);
        }
        combinedText += (combinedText.empty() ? "" : " ") + fieldText;
    }
    auto combined = JobFilter::parse(combinedText);
    if (!combined) {
        return wrongFilter(combined.error());
    }
    selection.filter = std::move(*combined);
    selection.narrows = selection.narrows || !selection.filter.empty();
    return selection;
}

}  // namespace restante::http
