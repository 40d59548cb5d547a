#pragma once

#include "core/config/config_codec.h"
#include "core/config/config_keys.h"

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How the catalogue describes a key, and the sections that are long enough for a file of their
/// own.
namespace restante::builder {

inline std::string refusal(const ConfigKey& key, std::string_view word)
{
    return fmt::format("{} = {}{}{} is not allowed; write {}", key.name, key.quoted ? "\"" : "",
                       word, key.quoted ? "\"" : "", key.allowed);
}

enum class Reload { No, Yes };

struct Description {
    std::string name;
    std::string about;
    Reload reload = Reload::No;
};

inline ConfigKey described(Description description, std::string allowed, bool quoted)
{
    ConfigKey key;
    key.name = std::move(description.name);
    key.about = std::move(description.about);
    key.allowed = std::move(allowed);
    key.reloadable = description.reload == Reload::Yes;
    key.quoted = quoted;
    return key;
}

/// A key with one value; `member` maps a Config to the member, const or not.
template <class T, class Member>
ConfigKey one(Description description, codec::Codec<T> codec, Member member)
{
    auto key = described(std::move(description), codec.allowed, codec.quoted);
    key.words = [=](const Config& config) {
        return std::vector<std::string>{codec.print(member(config))};
    };
    key.assign = [key, codec, member](Config& config, const auto& words, auto& problems) {
        if (auto value = codec.read(words.front().text)) {
            member(config) = std::move(*value);
        } else {
            const auto& word = words.front();
            problems.push_back({word.where, codec.why ? key.name + ": " + codec.why(word.text)
                                                      : refusal(key, word.text)});
        }
    };
    return key;
}

/// A key with any number of values.
template <class T, class Member>
ConfigKey many(Description description, codec::Codec<T> codec, Member member)
{
    auto key = described(std::move(description), codec.allowed, codec.quoted);
    key.list = true;
    key.words = [=](const Config& config) {
        std::vector<std::string> words;
        for (const auto& value : member(config)) {
            words.push_back(codec.print(value));
        }
        return words;
    };
    key.assign = [key, codec, member](Config& config, const auto& words, auto& problems) {
        std::vector<T> values;
        for (const auto& word : words) {
            if (auto value = codec.read(word.text)) {
                values.push_back(std::move(*value));
            } else {
                problems.push_back({word.where, refusal(key, word.text)});
            }
        }
        member(config) = std::move(values);
    };
    return key;
}

/// Parts of [sip], and sections.
void addReceipts(std::vector<ConfigKey>& keys);
/// Sections [sip] in part, [sip.mailbox], [sip.limits], [sip.auth],
/// [sip.tls], [webhook], [sms] and [reminder].
void addSipProxyLogin(std::vector<ConfigKey>& keys);
void addSipAuth(std::vector<ConfigKey>& keys);
void addMailbox(std::vector<ConfigKey>& keys);
void addSipPeers(std::vector<ConfigKey>& keys);
void addSipContacts(std::vector<ConfigKey>& keys);
void addSipDelivery(std::vector<ConfigKey>& keys);
void addSipTrace(std::vector<ConfigKey>& keys);
void addSipConnections(std::vector<ConfigKey>& keys);
void addSipTls(std::vector<ConfigKey>& keys);
void addWebhook(std::vector<ConfigKey>& keys);
void addSms(std::vector<ConfigKey>& keys);
void addReminder(std::vector<ConfigKey>& keys);

}  // namespace restante::builder
