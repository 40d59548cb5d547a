#include "core/job/filter_suggestion.h"

#include "core/base/edit_distance.h"
#include "core/base/text.h"
#include "core/job/job_filter.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace restante {

namespace {

using Synonym = std::pair<std::string_view, std::string_view>;

/// Other names of the fields, each with the name here.
constexpr std::array<Synonym, 21> kFieldSynonyms{{
    {"status", "state"},    {"error", "err"},         {"reason", "err"},   {"failure", "err"},
    {"tries", "attempts"},  {"retries", "attempts"},  {"text", "payload"}, {"body", "payload"},
    {"message", "payload"}, {"content", "payload"},   {"caller", "from"},  {"source", "from"},
    {"target", "to"},       {"dest", "to"},           {"key", "biz_key"},  {"bizkey", "biz_key"},
    {"call-id", "callid"},  {"content-type", "type"}, {"mime", "type"},    {"prio", "priority"},
    {"when", "due"},
}};
/// Other names of the states, each with the name here.
constexpr std::array<Synonym, 22> kStateSynonyms{{
    {"failed", "dead"},       {"failure", "dead"},     {"error", "dead"},
    {"archived", "dead"},     {"buried", "dead"},      {"expired", "dead"},
    {"delayed", "scheduled"}, {"future", "scheduled"}, {"pending", "ready"},
    {"queued", "ready"},      {"waiting", "held"},     {"mailbox", "held"},
    {"active", "leased"},     {"running", "leased"},   {"processing", "leased"},
    {"reserved", "leased"},   {"completed", "done"},   {"finished", "done"},
    {"delivered", "done"},    {"success", "done"},     {"deleted", "trashed"},
    {"trash", "trashed"},
}};
/// How many words of one filter are corrected.
constexpr int kMostCorrections = 4;

/// The most similar of the words, if it is similar enough: one slip in a short word, two in a
/// longer one.
template <class Words>
std::string_view nearest(std::string_view word, const Words& words)
{
    constexpr std::size_t kLongWord = 6;
    constexpr std::size_t kLongest = 30;
    if (word.size() < 3 || word.size() > kLongest) {
        return {};
    }
    std::string_view best;
    auto limit = word.size() >= kLongWord ? std::size_t{3} : std::size_t{2};
    for (const std::string_view one : words) {
        if (const auto distance = editDistance(word, one); distance < limit) {
            limit = distance;
            best = one;
        }
    }
    return best;
}

template <std::size_t N>
std::string_view synonymOf(std::string_view word, const std::array<Synonym, N>& words)
{
    const auto found = std::ranges::find_if(
        words, [word](const Synonym& one) { return equalIgnoringCase(one.first, word); });
    return found == words.end() ? std::string_view{} : found->second;
}

bool isWordChar(char c)
{
    return isAlphanumeric(c) || c == '_' || c == '-';
}

/// The word that begins at `at`.
std::string_view wordAt(std::string_view text, std::size_t at)
{
    auto end = at;
    while (end < text.size() && isWordChar(text[end])) {
        ++end;
    }
    return text.substr(std::min(at, text.size()), end - at);
}

bool isFieldOperator(char c)
{
    return c == ':' || c == '=' || c == '<' || c == '>';
}

/// Whether the value of `state` begins at `at`.
bool isStateValue(std::string_view text, std::size_t at)
{
    const auto front = text.substr(0, at);
    return front.ends_with("state:") || front.ends_with("state=");
}

}  // namespace

std::string_view suggestedField(std::string_view word)
{
    const auto synonym = synonymOf(word, kFieldSynonyms);
    return synonym.empty() ? nearest(lowered(word), JobFilter::fields()) : synonym;
}

std::string_view suggestedState(std::string_view word)
{
    const auto synonym = synonymOf(word, kStateSynonyms);
    if (!synonym.empty()) {
        return synonym;
    }
    std::vector<std::string_view> names;
    std::ranges::transform(kJobStates, std::back_inserter(names),
                           [](JobState state) { return name(state); });
    const auto found = std::ranges::find_if(
        names, [word](std::string_view one) { return equalIgnoringCase(one, word); });
    return found != names.end() ? *found : nearest(lowered(word), names);
}

std::optional<std::string> suggestedFilter(std::string_view text)
{
    std::string meant(text.substr(0, JobFilter::kLongest));
    for (int corrections = 0; corrections <= kMostCorrections; ++corrections) {
        const auto parsed = JobFilter::parse(meant);
        if (parsed) {
            return corrections == 0 ? std::nullopt : std::optional(std::move(meant));
        }
        const auto at = parsed.error().column - 1;
        const std::string word(wordAt(meant, at));
        const auto behind = at + word.size();
        const bool isField = behind < meant.size() && isFieldOperator(meant[behind]);
        const auto instead = isStateValue(meant, at) ? suggestedState(word)
                             : isField               ? suggestedField(word)
                                                     : std::string_view{};
        if (word.empty() || instead.empty() || instead == word) {
            return std::nullopt;
        }
        meant.replace(at, word.size(), instead);
    }
    return std::nullopt;
}

}  // namespace restante
