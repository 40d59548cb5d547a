#include "core/auth/user_file.h"

#include "core/base/secret_file.h"
#include "core/base/text.h"
#include "core/base/try.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::auth {

namespace {

std::string keyOf(std::string_view user, std::string_view realm)
{
    return fmt::format("{}:{}", user, realm);
}

}  // namespace

Result<UserFile::Users> UserFile::read(const std::filesystem::path& file)
{
    const auto content = TRY(readSecretFile("sip.auth.users", file));
    Users users;
    std::size_t lineNumber = 0;
    for (auto text : split(content, '\n')) {
        ++lineNumber;
        text.remove_suffix(text.ends_with('\r') ? 1 : 0);
        if (text.empty() || text.starts_with('#')) {
            continue;
        }
        const auto lineError = [&](std::string_view why) {
            return invalid("sip.auth.users {}: line {} {}", file.string(), lineNumber, why);
        };
        auto line = parseUserLine(text);
        if (!line) {
            return lineError(line.error().message);
        }
        auto& hashes = users[keyOf(line->user, line->realm)];
        auto& storedHash = line->algorithm == HashAlgorithm::Sha256 ? hashes.sha256 : hashes.md5;
        if (!storedHash.empty()) {
            return lineError(
                fmt::format("gives {} a second {} hash", line->user, name(line->algorithm)));
        }
        storedHash = std::move(line->hash);
    }
    return users;
}

Result<std::unique_ptr<UserFile>> UserFile::open(const std::filesystem::path& file)
{
    auto users = std::make_unique<UserFile>();
    TRY(users->reload(file));
    return users;
}

void UserFile::find(const std::string& user,
                    const std::string& realm,
                    Done<std::optional<Ha1>> done)
{
    const auto found = users_.find(keyOf(user, realm));
    done(found == users_.end() ? std::nullopt : std::optional{found->second});
}

Result<void> UserFile::reload(const std::filesystem::path& file)
{
    users_ = TRY(read(file));
    return {};
}

std::size_t UserFile::countWithoutHash(HashAlgorithm algorithm) const
{
    return static_cast<std::size_t>(std::ranges::count_if(
        users_, [&](const auto& user) { return user.second.of(algorithm).empty(); }));
}

}  // namespace restante::auth
