#include "core/http/server/url_text.h"

#include "core/base/encoding.h"

#include <algorithm>

namespace restante::http {

std::optional<std::vector<std::pair<std::string, std::string>>> parseQuery(std::string_view text)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    std::string_view rest = spaced;
    while (!rest.empty()) {
        const auto pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        if (pair.empty()) {
            continue;
        }
        const auto equals = std::min(pair.find('='), pair.size());
        auto name = percentDecoded(pair.substr(0, equals));
        auto value = percentDecoded(pair.substr(std::min(equals + 1, pair.size())));
        if (!name || !value) {
            return {};
        }
        pairs.emplace_back(std::move(*name), std::move(*value));
    }
    return pairs;
}

}  // namespace restante::http
