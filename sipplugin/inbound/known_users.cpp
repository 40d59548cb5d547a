#include "sipplugin/inbound/known_users.h"

#include "core/base/text.h"
#include "core/base/try.h"
#include "sipplugin/message/aor.h"

#include <fmt/format.h>
#include <fstream>

namespace restante::sip {

Result<KnownUsers> KnownUsers::read(const std::vector<std::string>& entries)
{
    KnownUsers users;
    users.allowsEverybody_ = entries.empty();
    for (const auto& entry : entries) {
        TRY(entry.starts_with('/') ? users.addFile(entry) : users.add(entry));
    }
    return users;
}

Result<void> KnownUsers::add(std::string_view entry)
{
    // Written as an address and made canonical, so that "b%6fb" and "bob" are the same name.
    const bool isName = entry.find('@') == std::string_view::npos;
    const auto aor =
        canonicalAor(isName ? fmt::format("sip:{}@any.invalid", entry)
                     : entry.find(':') == std::string_view::npos ? fmt::format("sip:{}", entry)
                                                                 : std::string(entry));
    // "sip:bob" would be taken for the user "sip" with a password.
    if (!aor || (isName && entry.find(':') != std::string_view::npos)) {
        return invalid("sip.users: \"{}\" is no user; write bob or sip:bob@example.org", entry);
    }
    if (isName) {
        userNames_.insert(aor->substr(4, aor->rfind('@') - 4));
    } else {
        addresses_.insert(*aor);
    }
    return {};
}

Result<void> KnownUsers::addFile(const std::string& path)
{
    std::ifstream file(path);
    if (!file) {
        return invalid("sip.users: cannot read {}", path);
    }
    std::string text;
    for (std::size_t number = 1; std::getline(file, text); ++number) {
        text.resize(std::min(text.find('#'), text.size()));
        const auto entry = trimmed(text, " \t\r");
        if (entry.empty()) {
            continue;
        }
        if (const auto added = add(entry); !added) {
            return invalid("{}:{}: {}", path, number, added.error().message);
        }
    }
    return {};
}

bool KnownUsers::knows(std::string_view aor) const
{
    if (allowsEverybody_ || addresses_.contains(std::string(aor))) {
        return true;
    }
    const auto colon = std::min(aor.find(':'), aor.size() - 1);
    return userNames_.contains(std::string(aor.substr(colon + 1, aor.rfind('@') - colon - 1)));
}

}  // namespace restante::sip
