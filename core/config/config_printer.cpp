#include "core/config/config_printer.h"

#include "core/config/config_keys.h"

#include <fmt/format.h>

namespace restante {

namespace {
constexpr std::string_view kPreface =
    "# Restante's configuration: every key with its value. What is left out has its default.\n"
    "# Keys marked (reload) follow a SIGHUP; the others need a restart.\n"
    "# \"restanted --check-config --config FILE\" checks a file.\n";

/// A TOML basic string. Values hold no control characters, so two escapes are enough.
std::string inQuotes(std::string_view text)
{
    std::string literal = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            literal += '\\';
        }
        literal += c;
    }
    return literal + '"';
}

std::string value(const ConfigKey& key, const Config& config)
{
    std::string text;
    for (const auto& word : key.words(config)) {
        text += (text.empty() ? "" : ", ") + (key.quoted ? inQuotes(word) : word);
    }
    return key.list ? "[" + text + "]" : text;
}

std::string comment(const ConfigKey& key)
{
    std::string lines = "# ";
    for (char c : key.about) {
        lines += c;
        if (c == '\n') {
            lines += "# ";
        }
    }
    return lines + (key.reloadable ? " (reload)\n" : "\n");
}
}  // namespace

std::string printConfig(const Config& config)
{
    std::string text(kPreface);
    std::string_view section;
    for (const auto& key : configKeys()) {
        const std::string_view name = key.name;
        const auto dot = name.rfind('.');
        const auto itsSection =
            dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
        if (itsSection != section) {
            section = itsSection;
            text += fmt::format("\n[{}]\n", section);
        } else {
            text += '\n';
        }
        text += fmt::format("{}{} = {}\n", comment(key),
                            name.substr(dot == std::string_view::npos ? 0 : dot + 1),
                            value(key, config));
    }
    return text;
}

}  // namespace restante
