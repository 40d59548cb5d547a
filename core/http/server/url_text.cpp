#include "core/http/server/url_text.h"

#include <algorithm>

namespace restante::http {

namespace {

int hexDigit(char c) noexcept
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char lower(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::optional<std::string> percentDecoded(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        if (text.size() - i < 3) {
            return {};
        }
        const int high = hexDigit(text[i + 1]);
        const int low = hexDigit(text[i + 2]);
        if (high < 0 || low < 0 || (high == 0 && low == 0)) {
            return {};
        }
        plain += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return plain;
}

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

bool equalIgnoringCase(std::string_view a, std::string_view b) noexcept
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace restante::http
