#pragma once

#include "core/config/config_codec.h"
#include "core/config/config_keys.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Builds the catalogue of keys; its larger parts have files of their own.
namespace restante::builder {

constexpr std::uint64_t kMostCount = std::numeric_limits<std::uint32_t>::max();
/// A petabyte: more is a slip of the pen.
constexpr std::uint64_t kMostBytes = 1ULL << 50U;
/// Ten years: longer is a slip of the pen, and JobLimits::horizon allows hardly more.
constexpr Millis kLongestDuration = std::chrono::hours{24 * 3650};

enum class Reload { No, Yes };

/// One struct of Config, whose members become keys in the order of the calls: `path` leads to it,
/// and their names begin with `prefix`. A member that is a vector is a key with any number of
/// values.
template <class... Path>
class Section {
public:
    Section(std::vector<ConfigKey>& keys, std::string prefix, Path... path)
        : keys_(keys),
          prefix_(std::move(prefix)),
          path_(path...)
    {
    }

    template <class T, class Value, class Struct>
    void key(std::string_view name,
             std::string about,
             codec::Codec<T> codec,
             Value Struct::*member,
             Reload reload = Reload::No)
    {
        constexpr bool kIsList = !std::is_same_v<Value, T>;
        const auto valueIn = [ path = path_, member ](auto& config) -> auto&
        {
            return std::apply(
                [&](auto... steps) -> auto& { return (config.*....*steps).*member; }, path);
        };
        ConfigKey key;
        key.name = prefix_ + std::string(name);
        key.about = std::move(about);
        key.allowed = codec.allowed;
        key.reloadable = reload == Reload::Yes;
        key.list = kIsList;
        key.quoted = codec.quoted;
        key.words = [=](const Config& config) {
            std::vector<std::string> words;
            if constexpr (kIsList) {
                for (const auto& value : valueIn(config)) {
                    words.push_back(codec.format(value));
                }
            } else {
                words.push_back(codec.format(valueIn(config)));
            }
            return words;
        };
        key.assign = [=](Config& config, const auto& words, auto& problems) {
            std::vector<T> values;
            for (const auto& word : words) {
                if (auto value = codec.read(word.text)) {
                    values.push_back(std::move(*value));
                } else {
                    problems.push_back({word.where, codec.why
                                                        ? key.name + ": " + codec.why(word.text)
                                                        : key.refusal(word.text)});
                }
            }
            if constexpr (kIsList) {
                valueIn(config) = std::move(values);
            } else if (!values.empty()) {
                valueIn(config) = std::move(values.front());
            }
        };
        keys_.push_back(std::move(key));
    }

    template <class T, class Struct>
    void number(std::string_view name,
                std::string about,
                std::uint64_t least,
                std::uint64_t most,
                T Struct::*member,
                Reload reload = Reload::No)
    {
        key(name, std::move(about), codec::number<T>(least, most), member, reload);
    }

private:
    std::vector<ConfigKey>& keys_;
    std::string prefix_;
    std::tuple<Path...> path_;
};

/// [sip] and its sections.
void addSip(std::vector<ConfigKey>& keys);
void addSms(std::vector<ConfigKey>& keys);

}  // namespace restante::builder
