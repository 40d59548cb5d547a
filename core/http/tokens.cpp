#include "core/http/tokens.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>

namespace restante::http {

namespace {

/// Shorter ones can be guessed.
constexpr std::size_t kShortestSecret = 16;
constexpr unsigned kEveryScope = static_cast<unsigned>(Scope::Push) |
                                 static_cast<unsigned>(Scope::Pop) |
                                 static_cast<unsigned>(Scope::Admin);

std::vector<std::string_view> split(std::string_view text, std::string_view separators)
{
    std::vector<std::string_view> words;
    for (auto start = text.find_first_not_of(separators); start != std::string_view::npos;) {
        const auto end = std::min(text.find_first_of(separators, start), text.size());
        words.push_back(text.substr(start, end - start));
        start = text.find_first_not_of(separators, end);
    }
    return words;
}

std::optional<unsigned> scopesOf(std::string_view words)
{
    unsigned scopes = 0;
    for (const auto word : split(words, ",")) {
        if (word == "push") {
            scopes |= static_cast<unsigned>(Scope::Push);
        } else if (word == "pop") {
            scopes |= static_cast<unsigned>(Scope::Pop);
        } else if (word == "admin") {
            scopes |= static_cast<unsigned>(Scope::Admin);
        } else {
            return {};
        }
    }
    return scopes == 0 ? std::nullopt : std::optional(scopes);
}

/// RFC 6750 section 2.1: what a client can send after "Bearer".
bool isSecret(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

bool Tokens::Token::allows(Scope scope) const noexcept
{
    const auto wanted = static_cast<unsigned>(scope) | static_cast<unsigned>(Scope::Admin);
    return (scopes & wanted) != 0;
}

Result<Tokens> Tokens::read(const std::filesystem::path& file)
{
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        return failure(ErrorCode::Invalid, fmt::format("cannot read http.token_file {}: {}",
                                                       file.string(), std::strerror(errno)));
    }
    if ((status.st_mode & S_IRWXO) != 0) {
        return failure(ErrorCode::Invalid,
                       fmt::format("http.token_file {0} can be read by everybody; chmod 600 {0}",
                                   file.string()));
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream || !S_ISREG(status.st_mode)) {
        return failure(ErrorCode::Invalid,
                       fmt::format("cannot read http.token_file {}", file.string()));
    }
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    return parse(text, file.string());
}

Result<Tokens> Tokens::parse(std::string_view text, std::string_view name)
{
    Tokens tokens;
    std::size_t number = 0;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (auto added = tokens.add(line, ++number); !added) {
            return failure(ErrorCode::Invalid,
                           fmt::format("{}:{}: {}", name, number, added.error().message));
        }
    }
    if (tokens.empty()) {
        return failure(
            ErrorCode::Invalid,
            fmt::format("{} has no token; write lines of NAME SCOPE[,SCOPE] SECRET", name));
    }
    return tokens;
}

Result<void> Tokens::add(std::string_view line, std::size_t number)
{
    const auto words = split(line, " \t\r");
    if (words.empty() || words.front().starts_with('#')) {
        return {};
    }
    if (words.size() != 1 && words.size() != 3) {
        return failure(ErrorCode::Invalid, "write NAME SCOPE[,SCOPE] SECRET, or a secret alone");
    }
    const auto secret = words.back();
    if (secret.size() < kShortestSecret || !isSecret(secret)) {
        return failure(
            ErrorCode::Invalid,
            fmt::format("a secret has at least {} printable characters", kShortestSecret));
    }
    const auto scopes = words.size() == 3 ? scopesOf(words[1]) : std::optional(kEveryScope);
    if (!scopes) {
        return failure(ErrorCode::Invalid, "the scopes are push, pop and admin");
    }
    Entry entry{
        {words.size() == 3 ? std::string(words.front()) : fmt::format("token-{}", number), *scopes},
        digestOf(secret)};
    for (const auto& other : entries_) {
        if (other.token.name == entry.token.name || other.digest == entry.digest) {
            return failure(ErrorCode::Invalid, "this name or secret is there already");
        }
    }
    entries_.push_back(std::move(entry));
    return {};
}

const Tokens::Token* Tokens::find(std::string_view secret) const noexcept
{
    const auto digest = digestOf(secret);
    const Token* found = nullptr;
    for (const auto& entry : entries_) {
        if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) {
            found = &entry.token;
        }
    }
    return found;
}

Tokens::Digest Tokens::digestOf(std::string_view secret) noexcept
{
    Digest digest{};
    SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), digest.data());
    return digest;
}

}  // namespace restante::http
