#include "sipplugin/outbound/sip_redirect.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace restante::sip {

namespace {

bool isFollowed(int status) noexcept
{
    return status == 300 || status == 301 || status == 302;
}

/// What cannot be read counts as 1, as a missing q does.
double preferenceOf(const NameAddr& contact)
{
    const auto* text = contact.param("q");
    double q = 1.0;
    if (text == nullptr) {
        return q;
    }
    const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), q);
    return error == std::errc{} && q >= 0.0 && q <= 1.0 ? q : 1.0;
}

}  // namespace

Redirection redirectionOf(int status,
                          const std::vector<std::string>& contacts,
                          const std::function<bool(const SipUri&)>& ours)
{
    Redirection redirection;
    std::vector<std::pair<double, std::string>> found;
    for (const auto& text : contacts) {
        const auto contact = parseNameAddr(text);
        const auto uri = contact ? parseSipUri(contact->uri) : failure(contact.error().code, "");
        if (!isFollowed(status) || !uri || uri->user.empty()) {
            continue;
        }
        if (ours(*uri)) {
            found.emplace_back(preferenceOf(*contact),
                               contact->uri.substr(0, contact->uri.find('?')));
        } else {
            ++redirection.foreign;
        }
    }
    std::ranges::stable_sort(found, std::greater{}, &std::pair<double, std::string>::first);
    for (auto& [q, uri] : found) {
        redirection.targets.push_back(std::move(uri));
    }
    return redirection;
}

std::string placeOf(const SipUri& uri)
{
    return fmt::format("{}@{}:{}", uri.user, uri.host, uri.port);
}

}  // namespace restante::sip
