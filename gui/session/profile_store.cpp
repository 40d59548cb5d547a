#include "gui/session/profile_store.h"

#include "core/journal/sql/journal_url.h"
#include "core/redis/client/redis_url.h"
#include "gui/base/preferences.h"
#include "gui/session/link_problem.h"
#include "gui/session/profile_secrets.h"
#include "gui/session/tunnel_plan.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>

#include <algorithm>
#include <utility>

namespace restante::gui {

namespace {

struct ProfileText {
    Q_DECLARE_TR_FUNCTIONS(ProfileText)
};

using ProfileKind = ConnectionProfile::Kind;
using Secret = ConnectionProfile::Secret;

const QString kProfilesKey = QStringLiteral("connections/profiles");
const QString kLastOpenedKey = QStringLiteral("connections/last");
constexpr qsizetype kLongestProfileName = 100;

template <class T>
struct Word {
    T value;
    const char* word;
};
constexpr Word<ProfileKind> kKinds[] = {
    {ProfileKind::Local, "local"}, {ProfileKind::Redis, "redis"}, {ProfileKind::Demo, "demo"}};
constexpr Word<AccessMode> kModes[] = {{AccessMode::Normal, "normal"},
                                       {AccessMode::Production, "production"},
                                       {AccessMode::ReadOnly, "read-only"}};
constexpr Word<Secret> kSecrets[] = {
    {Secret::None, "none"}, {Secret::Keychain, "keychain"}, {Secret::Ask, "ask"}};

template <class T, std::size_t n>
QString wordOf(const Word<T> (&words)[n], T value)
{
    for (const auto& word : words) {
        if (word.value == value) {
            return QString::fromLatin1(word.word);
        }
    }
    return {};
}

template <class T, std::size_t n>
T valueOf(const Word<T> (&words)[n], const QJsonValue& json, T fallback)
{
    for (const auto& word : words) {
        if (json.toString() == QLatin1String(word.word)) {
            return word.value;
        }
    }
    return fallback;
}

template <class T>
struct Field {
    const char* key;
    T ConnectionProfile::*member;
};
constexpr Field<QString> kTextFields[] = {{"id", &ConnectionProfile::id},
                                          {"name", &ConnectionProfile::name},
                                          {"config", &ConnectionProfile::configFile},
                                          {"url", &ConnectionProfile::url},
                                          {"user", &ConnectionProfile::user},
                                          {"prefix", &ConnectionProfile::prefix},
                                          {"journal", &ConnectionProfile::journalUrl},
                                          {"jump_host", &ConnectionProfile::jumpHost},
                                          {"jump_key", &ConnectionProfile::jumpKey}};
constexpr Field<bool> kBoolFields[] = {
    {"journal_in_keychain", &ConnectionProfile::journalInKeychain},
    {"sentinel_in_keychain", &ConnectionProfile::sentinelInKeychain}};

QJsonObject jsonOf(const ConnectionProfile& profile)
{
    QJsonObject json{
        {QStringLiteral("color"), profile.color.isValid() ? profile.color.name() : QString()},
        {QStringLiteral("mode"), wordOf(kModes, profile.mode)},
        {QStringLiteral("kind"), wordOf(kKinds, profile.kind)},
        {QStringLiteral("secret"), wordOf(kSecrets, profile.secret)},
        {QStringLiteral("timeout_ms"), static_cast<qint64>(profile.timeout.count())}};
    for (const auto& [key, member] : kTextFields) {
        json.insert(QLatin1String(key), profile.*member);
    }
    for (const auto& [key, member] : kBoolFields) {
        json.insert(QLatin1String(key), profile.*member);
    }
    return json;
}

ConnectionProfile profileOf(const QJsonObject& json)
{
    ConnectionProfile profile;
    for (const auto& [key, member] : kTextFields) {
        profile.*member = json.value(QLatin1String(key)).toString();
    }
    for (const auto& [key, member] : kBoolFields) {
        profile.*member = json.value(QLatin1String(key)).toBool();
    }
    profile.color = QColor(json.value(QLatin1String("color")).toString());
    // An unknown mode must not allow writes.
    profile.mode = valueOf(kModes, json.value(QLatin1String("mode")), AccessMode::ReadOnly);
    profile.kind = valueOf(kKinds, json.value(QLatin1String("kind")), ProfileKind::Redis);
    profile.secret = valueOf(kSecrets, json.value(QLatin1String("secret")), Secret::Ask);
    profile.timeout =
        std::chrono::milliseconds(json.value(QLatin1String("timeout_ms")).toInt(5'000));
    return profile;
}

std::vector<ConnectionProfile> profilesOf(const QJsonArray& list)
{
    std::vector<ConnectionProfile> profiles;
    for (const auto& one : list) {
        profiles.push_back(profileOf(one.toObject()));
    }
    return profiles;
}

/// The profile without secrets, as it may be saved.
ConnectionProfile profileWithoutSecrets(ConnectionProfile profile)
{
    profile.url = withoutSecrets(profile.url);
    profile.journalUrl = withoutSecrets(profile.journalUrl);
    return profile;
}

QJsonArray jsonArrayOf(const std::vector<ConnectionProfile>& profiles)
{
    QJsonArray list;
    for (const auto& profile : profiles) {
        list.append(jsonOf(profileWithoutSecrets(profile)));
    }
    return list;
}

}  // namespace

QByteArray exportProfiles(const std::vector<ConnectionProfile>& profiles)
{
    return QJsonDocument(
               QJsonObject{{QStringLiteral("restante_connections"), jsonArrayOf(profiles)}})
        .toJson(QJsonDocument::Indented);
}

tl::expected<std::vector<ConnectionProfile>, QString> parseProfiles(const QByteArray& bytes)
{
    const auto document = QJsonDocument::fromJson(bytes);
    const auto list = document.object().value(QLatin1String("restante_connections"));
    if (!list.isArray()) {
        return tl::unexpected(ProfileText::tr("This file has no connections of this console."));
    }
    auto profiles = profilesOf(list.toArray());
    for (auto& profile : profiles) {
        profile.id = newProfileId();
        profile.journalInKeychain = false;  // the keychain was another one's
        profile.sentinelInKeychain = false;
        if (const auto problem = problemOf(profile); !problem.isEmpty()) {
            return tl::unexpected(ProfileText::tr("“%1”: %2").arg(profile.name, problem));
        }
    }
    return profiles;
}

tl::expected<PastedUrl, QString> profileFromUrl(const QString& url)
{
    auto parsed = redis::parseRedisUrl(url.trimmed().toStdString());
    if (!parsed) {
        return tl::unexpected(QString::fromStdString(parsed.error().message));
    }
    PastedUrl pasted;
    auto& profile = pasted.profile;
    profile.id = newProfileId();
    profile.kind = ProfileKind::Redis;
    profile.user = QString::fromStdString(parsed->user);
    pasted.password = QString::fromStdString(parsed->password);
    profile.secret = parsed->password.empty() ? Secret::None : Secret::Keychain;
    profile.name = QString::fromStdString(!parsed->socketPath.empty()  ? parsed->socketPath
                                          : !parsed->sentinels.empty() ? parsed->master
                                          : !parsed->nodes.empty()     ? parsed->nodes.front().host
                                                                       : parsed->host);
    pasted.sentinelPassword = QString::fromStdString(parsed->sentinelPassword);
    profile.sentinelInKeychain = !parsed->sentinelPassword.empty();
    parsed->user.clear();
    parsed->password.clear();
    profile.url = QString::fromStdString(parsed->toString());
    return pasted;
}

QString problemOf(const ConnectionProfile& profile)
{
    if (profile.name.trimmed().isEmpty() || profile.name.size() > kLongestProfileName) {
        return ProfileText::tr("Give the connection a name of at most %n character(s).", "",
                               kLongestProfileName);
    }
    if (profile.kind == ProfileKind::Redis) {
        const auto url = redis::parseRedisUrl(profile.url.toStdString());
        if (!url) {
            return QString::fromStdString(url.error().message);
        }
        if (!url->password.empty() || !url->sentinelPassword.empty()) {
            return ProfileText::tr("The address must not have the password in it.");
        }
        if (profile.prefix.isEmpty() || profile.prefix.contains(u'{')) {
            return ProfileText::tr("The prefix is what the keys begin with, such as rst.");
        }
        if (!profile.jumpHost.isEmpty()) {
            const auto plan = planTunnel(profile.jumpHost.toStdString(),
                                         profile.jumpKey.toStdString(), *url, profile.timeout);
            if (!plan) {
                return linkSentence(plan.error());
            }
        }
    }
    if (!profile.journalUrl.isEmpty()) {
        if (const auto url = journal::parseJournalUrl(profile.journalUrl.toStdString()); !url) {
            return QString::fromStdString(url.error().message);
        }
    }
    return {};
}

QString newProfileId()
{
    return QUuid::createUuid().toString(QUuid::WithoutBraces);
}

ProfileStore::ProfileStore(Preferences& preferences) : preferences_(preferences)
{
    // What an earlier version, or an editor, has written there goes now and not with the next save.
    const auto profiles = all();
    const bool clean = std::all_of(profiles.begin(), profiles.end(), [](const auto& profile) {
        return profile == profileWithoutSecrets(profile);
    });
    if (!clean) {
        write(profiles);
    }
}

std::vector<ConnectionProfile> ProfileStore::all() const
{
    const auto bytes = preferences_.value(kProfilesKey).toByteArray();
    return profilesOf(QJsonDocument::fromJson(bytes).array());
}

std::optional<ConnectionProfile> ProfileStore::find(const QString& id) const
{
    for (auto& profile : all()) {
        if (profile.id == id) {
            return std::move(profile);
        }
    }
    return std::nullopt;
}

void ProfileStore::save(const ConnectionProfile& profile)
{
    auto profiles = all();
    const auto existing = std::find_if(profiles.begin(), profiles.end(),
                                       [&](const auto& one) { return one.id == profile.id; });
    if (existing == profiles.end()) {
        profiles.push_back(profile);
    } else {
        *existing = profile;
    }
    write(profiles);
}

void ProfileStore::remove(const QString& id)
{
    auto profiles = all();
    std::erase_if(profiles, [&](const auto& profile) { return profile.id == id; });
    write(profiles);
}

std::optional<ConnectionProfile> ProfileStore::lastOpened() const
{
    return find(preferences_.value(kLastOpenedKey).toString());
}

void ProfileStore::setLastOpened(const QString& id)
{
    preferences_.setValue(kLastOpenedKey, id);
}

void ProfileStore::write(const std::vector<ConnectionProfile>& profiles)
{
    preferences_.setValue(kProfilesKey,
                          QJsonDocument(jsonArrayOf(profiles)).toJson(QJsonDocument::Compact));
}

}  // namespace restante::gui
