#include "core/config/config_reader.h"

#include "core/base/file.h"
#include "core/base/secret_file.h"
#include "core/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <sstream>
// toml++ asserts, or with NDEBUG assumes, that a section's name begins as a name does, and refuses
// one that does not only afterwards: what somebody writes into a file is no reason to abort.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#include <toml++/toml.h>

namespace restante {

namespace {
/// The key that was probably meant, or "" when none is near: more than a third of the letters
/// wrong is another word, not a slip.
std::string_view nearestKey(std::string_view word)
{
    std::string_view nearest;
    std::size_t least = word.size() / 3 + 1;
    for (const auto& key : configKeys()) {
        if (const auto distance = editDistance(word, key.name); distance < least) {
            least = distance;
            nearest = key.name;
        }
    }
    return nearest;
}

std::string unknownKey(const std::string& name)
{
    const auto nearest = nearestKey(name);
    return nearest.empty()
               ? fmt::format("unknown key {}; \"restanted --print-config\" shows all keys", name)
               : fmt::format("unknown key {}; did you mean {}?", name, nearest);
}

bool isSection(const std::string& name)
{
    return std::ranges::any_of(configKeys(),
                               [&](const auto& key) { return key.name.starts_with(name + "."); });
}

/// Collects values and problems from one source after the other.
class Reader {
public:
    void readToml(std::string_view text, std::string_view name)
    {
        file_ = name;
        try {
            readTable(toml::parse(text, name), "");
        } catch (const toml::parse_error& problem) {
            problems_.push_back({at(problem.source()), std::string(problem.description())});
        }
    }

    void readFile(const std::filesystem::path& path)
    {
        const auto text = restante::readFile(path);
        if (!text) {
            problems_.push_back(
                {path.string(), "cannot be read; check the path and its permissions"});
            return;
        }
        readToml(*text, path.string());
    }

    void readOverride(const std::string& text)
    {
        const auto equals = text.find('=');
        if (equals == std::string::npos) {
            problems_.push_back(
                {"--set " + text, "a value is missing; write --set section.key=value"});
            return;
        }
        const auto name = text.substr(0, equals);
        const auto* key = configKeyNamed(name);
        if (key == nullptr) {
            problems_.push_back({"--set", unknownKey(name)});
            return;
        }
        assign(*key, wordsOf(*key, text.substr(equals + 1), "--set"), "--set");
    }

    tl::expected<Config, std::vector<ConfigError>> finish()
    {
        checkTogether();
        if (!problems_.empty()) {
            return tl::unexpected(std::move(problems_));
        }
        return std::move(config_);
    }

private:
    std::string at(const toml::source_region& source) const
    {
        return fmt::format("{}:{}", file_, source.begin.line);
    }

    static std::vector<ConfigWord>
    wordsOf(const ConfigKey& key, const std::string& text, const std::string& where)
    {
        if (!key.list) {
            return {{text, where}};
        }
        std::vector<ConfigWord> words;
        for (const auto part : split(text, ',')) {
            if (const auto word = trimmed(part, " "); !word.empty()) {
                words.push_back({std::string(word), where});
            }
        }
        return words;
    }

    void assign(const ConfigKey& key, const std::vector<ConfigWord>& words, std::string where)
    {
        origins_[key.name] = std::move(where);
        key.assign(config_, words, problems_);
    }

    void readTable(const toml::table& table, const std::string& path)
    {
        for (const auto& [name, node] : table) {
            readNode(path.empty() ? std::string(name.str())
                                  : fmt::format("{}.{}", path, name.str()),
                     node);
        }
    }

    void readNode(const std::string& name, const toml::node& node)
    {
        const auto* table = node.as_table();
        if (const auto* key = configKeyNamed(name)) {
            readValue(*key, node);
        } else if (table != nullptr && (isSection(name) || !table->empty())) {
            // Each key of an unknown section is named too, so that the nearest one can be.
            readTable(*table, name);
        } else if (isSection(name)) {
            problems_.push_back(
                {at(node.source()), fmt::format("{0} is a section; write [{0}]", name)});
        } else {
            problems_.push_back({at(node.source()), unknownKey(name)});
        }
    }

    void readValue(const ConfigKey& key, const toml::node& node)
    {
        if (const auto* array = node.as_array(); array != nullptr && key.list) {
            std::vector<ConfigWord> words;
            for (const auto& element : *array) {
                if (auto word = scalar(key, element)) {
                    words.push_back({std::move(*word), at(element.source())});
                }
            }
            assign(key, words, at(node.source()));
        } else if (auto text = scalar(key, node)) {
            assign(key, wordsOf(key, *text, at(node.source())), at(node.source()));
        }
    }

    /// The text of a string, whole number or bool; anything else is a problem.
    std::optional<std::string> scalar(const ConfigKey& key, const toml::node& node)
    {
        if (const auto* text = node.as_string()) {
            return text->get();
        }
        if (const auto* number = node.as_integer()) {
            return std::to_string(number->get());
        }
        if (const auto* flag = node.as_boolean()) {
            return flag->get() ? "true" : "false";
        }
        std::ostringstream kind;
        kind << node.type();
        problems_.push_back({at(node.source()),
                             fmt::format("{} cannot be {} {}; write {}", key.name,
                                         node.is_array() ? "an" : "a", kind.str(), key.allowed)});
        return {};
    }

    /// A secret that nobody has named may be a credential that systemd gives us under the key's
    /// name.
    void takeCredentials()
    {
        for (const auto& [key, path] : secretFilesOf(config_)) {
            if (path->empty()) {
                *path = credentialFor(key);
            }
        }
    }

    /// What no key can check alone.
    void checkTogether()
    {
        takeCredentials();
        const auto& http = config_.http;
        if (http.listen && !http.listen->isLoopback() && http.tokenFile.empty()) {
            refuse({"http.listen"},
                   fmt::format("http.listen = \"{}\" can be reached from outside and needs "
                               "http.token_file; set it, or listen on 127.0.0.1",
                               http.listen->print()));
        }
        refuseIf(http.tls.certificate.empty() != http.tls.key.empty(),
                 {"http.tls.certificate", "http.tls.key"},
                 "http.tls.certificate and http.tls.key need each other; set both or neither");
        checkSip();
    }

    void checkSip()
    {
        const auto& sip = config_.sip;
        refuseIf(!sip.auth.sha256 && !sip.auth.md5, {"sip.auth.sha256", "sip.auth.md5"},
                 "sip.auth.sha256 and sip.auth.md5 are both false, so that nobody could log in; "
                 "set one of them");
        refuseIf(sip.proxyUser.empty() != sip.proxyPasswordFile.empty(),
                 {"sip.proxy_user", "sip.proxy_password_file"},
                 "sip.proxy_user and sip.proxy_password_file need each other; set both or "
                 "neither");
        refuseIf(!sip.proxyUser.empty() && sip.proxy.empty(), {"sip.proxy_user"},
                 "sip.proxy_user is of no use without sip.proxy; set both");
        refuseIf(!sip.regevent.empty() && sip.proxy.empty(), {"sip.regevent"},
                 "sip.regevent needs sip.proxy: who registers elsewhere is reached through that "
                 "server; set it");
        checkSipTls();
        const auto& registration = sip.registration;
        refuseIf(registration.minExpires > registration.defaultExpires ||
                     registration.defaultExpires > registration.maxExpires,
                 {"sip.registration.min_expires", "sip.registration.default_expires",
                  "sip.registration.max_expires"},
                 "sip.registration must have min_expires <= default_expires <= max_expires");
    }

    void checkSipTls()
    {
        const auto& sip = config_.sip;
        const bool believesNames = std::ranges::any_of(
            sip.trusted, [](const TrustedPeer& peer) { return !peer.name.empty(); });
        refuseIf(believesNames && sip.tls.verify == Config::ClientCertificates::None,
                 {"sip.trusted"},
                 "sip.trusted names a certificate (tls:...), and sip.tls.verify = none asks "
                 "nobody for one; set it to optional or required");
        const bool listens = std::ranges::any_of(sip.listen, &SipListen::tls);
        refuseIf(listens && sip.tls.certificate.empty(), {"sip.listen"},
                 "sip.listen names a tls: address, which needs "
                 "sip.tls.certificate (and sip.tls.key)");
        refuseIf(!sip.tls.key.empty() && sip.tls.certificate.empty(), {"sip.tls.key"},
                 "sip.tls.key needs sip.tls.certificate; set both");
        refuseIf(sip.tls.verify != Config::ClientCertificates::None && sip.tls.ca.empty(),
                 {"sip.tls.verify"},
                 "sip.tls.verify needs sip.tls.ca: the authority whose clients are ours");
    }

    void refuseIf(bool wrong, std::initializer_list<const char*> keys, const char* message)
    {
        if (wrong) {
            refuse(keys, message);
        }
    }

    /// Puts the blame on the first of `keys` that was set by somebody.
    void refuse(std::initializer_list<const char*> keys, std::string message)
    {
        const auto* blamed =
            std::ranges::find_if(keys, [&](const char* key) { return origins_.contains(key); });
        problems_.push_back({origins_[*blamed], std::move(message)});
    }

    Config config_;
    std::string file_;
    std::map<std::string, std::string> origins_;  ///< key -> where it was set last
    std::vector<ConfigError> problems_;
};
}  // namespace

std::size_t editDistance(std::string_view from, std::string_view to)
{
    std::vector<std::size_t> older(to.size() + 1);
    std::vector<std::size_t> previous(to.size() + 1);
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (std::size_t i = 1; i <= from.size(); ++i) {
        older.swap(previous);
        previous.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t change = from[i - 1] == to[j - 1] ? 0 : 1;
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + change});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1]) {
                row[j] = std::min(row[j], older[j - 2] + 1);
            }
        }
    }
    return row.back();
}

tl::expected<Config, std::vector<ConfigError>> readConfig(const ConfigSources& sources)
{
    Reader reader;
    if (sources.file) {
        reader.readFile(*sources.file);
    }
    for (const auto& text : sources.overrides) {
        reader.readOverride(text);
    }
    return reader.finish();
}

tl::expected<Config, std::vector<ConfigError>> readConfigText(std::string_view toml,
                                                              std::string_view name)
{
    Reader reader;
    reader.readToml(toml, name);
    return reader.finish();
}

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
