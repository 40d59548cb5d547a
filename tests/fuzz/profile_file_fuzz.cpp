// A file of connections that somebody has handed on, as the console's import reads it; and the same
// bytes as a password in an address.
#include "gui/session/profile_secrets.h"
#include "gui/session/profile_store.h"
#include "gui/session/tunnel_plan.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace restante;
using namespace restante::gui;

/// Ids are made anew with each import.
QByteArray written(std::vector<ConnectionProfile> profiles)
{
    for (auto& profile : profiles) {
        profile.id.clear();
    }
    return exportProfiles(profiles);
}

void checkTunnel(const ConnectionProfile& profile)
{
    const auto url = redis::parseRedisUrl(profile.url.toStdString());
    fuzz::require(url.has_value() && url->password.empty() && url->sentinelPassword.empty(),
                  "an address of a store is one, without a password");
    if (profile.jumpHost.isEmpty()) {
        return;
    }
    const auto plan = planTunnel(profile.jumpHost.toStdString(), profile.jumpKey.toStdString(),
                                 *url, profile.timeout);
    fuzz::require(plan.has_value(), "the tunnel of an accepted profile can be planned");
    for (const auto* text : {&plan->jump.host, &plan->jump.user, &plan->keyFile, &plan->target}) {
        fuzz::require(!text->starts_with('-'), "nothing of a profile is an option of ssh");
        fuzz::require(
            std::ranges::none_of(*text, [](char c) { return static_cast<unsigned char>(c) < ' '; }),
            "nothing of a profile is a line of its own");
    }
}

void checkImport(const QByteArray& bytes)
{
    const auto profiles = parseProfiles(bytes);
    if (!profiles) {
        fuzz::require(!profiles.error().isEmpty(), "a refusal says why");
        return;
    }
    for (const auto& profile : *profiles) {
        fuzz::require(problemOf(profile).isEmpty(), "what is taken in has no problem");
        fuzz::require(!profile.journalInKeychain && !profile.sentinelInKeychain,
                      "nobody else's keychain is believed");
        if (profile.kind == ConnectionProfile::Kind::Redis) {
            checkTunnel(profile);
        }
    }
    const auto text = written(*profiles);
    if (const auto again = parseProfiles(text)) {
        fuzz::require(written(*again) == text, "what was written is read back alike");
    }
}

void checkSecrets(const QString& text)
{
    for (const auto& url : {text, QStringLiteral("redis://") + text}) {
        const auto clean = withoutSecrets(url);
        fuzz::require(withoutSecrets(clean) == clean, "what is clean stays as it is");
    }
    if (!text.contains(u'/') && !text.contains(u'?')) {
        const auto url = QStringLiteral("redis://user:%1@host.example/0");
        fuzz::require(withoutSecrets(url.arg(text)) ==
                          QStringLiteral("redis://user@host.example/0"),
                      "a password is taken out");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const QByteArray bytes(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    checkImport(bytes);
    checkSecrets(QString::fromUtf8(bytes));
    return 0;
}
