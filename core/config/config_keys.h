#pragma once

#include "core/config/config.h"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace restante {

/// One value as somebody wrote it, and where: "restante.toml:12" or "--set".
struct ConfigWord {
    std::string text;
    std::string where;
};

/// Something wrong with a configuration, for the person who wrote it.
struct ConfigError {
    std::string where;
    std::string message;

    std::string toString() const { return where + ": " + message; }
};

/// One key of the configuration: its name, its prose, and the way between text and Config. *Value.*
struct ConfigKey {
    std::string name;     ///< "sip.mailbox.max_messages"
    std::string about;    ///< what it does, for the printed file; may have several lines
    std::string allowed;  ///< ends the sentence "... is not allowed; write "
    bool reloadable = false;
    bool list = false;
    bool quoted = true;  ///< in TOML: a string, not a number or a bool

    /// Sets the member from its words (exactly one unless `list`); a word that is not allowed
    /// becomes a problem and leaves the member as it was.
    std::function<void(Config&, const std::vector<ConfigWord>&, std::vector<ConfigError>&)> assign;
    /// The member as words that assign() reads back.
    std::function<std::vector<std::string>(const Config&)> words;

    /// The error message for a word that is not allowed.
    std::string refusal(std::string_view word) const;
};

/// All of them, in the order of the printed file, each section in one piece. Any thread.
std::span<const ConfigKey> configKeys();

/// The key of that name, or null.
const ConfigKey* configKeyNamed(std::string_view name);

/// The keys that name a file with a secret, and their members of Config.
template <class AnyConfig>
auto secretFilesOf(AnyConfig& config)
{
    return std::to_array<std::pair<const char*, decltype(&config.stateDir)>>({
        {"http.token_file", &config.http.tokenFile},
        {"http.tls.key", &config.http.tls.key},
        {"sip.tls.key", &config.sip.tls.key},
        {"sip.auth.users", &config.sip.auth.users},
        {"sip.proxy_password_file", &config.sip.proxyPasswordFile},
        {"sms.password_file", &config.sms.passwordFile},
        {"webhook.secret_file", &config.webhook.secretFile},
        {"redis.password_file", &config.redis.passwordFile},
        {"journal.password_file", &config.journal.passwordFile},
    });
}

/// The keys whose values differ.
std::vector<const ConfigKey*> changedKeys(const Config& before, const Config& after);

}  // namespace restante
