#include "core/http/server/tokens.h"

#include "core/base/secret_file.h"
#include "core/base/text.h"
#include "core/base/try.h"

#include <algorithm>
#include <fmt/format.h>

namespace restante::http {

namespace {

/// Shorter ones can be guessed.
constexpr std::size_t kShortestSecret = 16;
constexpr unsigned kEveryScope = static_cast<unsigned>(Scope::Push) |
                                 static_cast<unsigned>(Scope::Pop) |
                                 static_cast<unsigned>(Scope::Admin);

std::optional<unsigned> scopesOf(std::string_view words)
{
    unsigned scopes = 0;
    for (const auto word : splitWords(words, ",")) {
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

/// Reads "topics=a,b" or "senders=..." into `grant`; the error says what is wrong.
Result<void> readGrant(std::string_view word, TokenGrant& grant)
{
    const auto equals = std::min(word.find('='), word.size());
    const auto name = word.substr(0, equals);
    auto* patterns = name == "topics"    ? &grant.topics
                     : name == "senders" ? &grant.senders
                                         : nullptr;
    if (patterns == nullptr || equals == word.size()) {
        return invalid("behind the secret stand topics=PATTERN,... and senders=PATTERN,...");
    }
    if (!patterns->empty()) {
        return invalid("{}= is there twice", name);
    }
    for (const auto pattern : splitWords(word.substr(equals + 1), ",")) {
        patterns->emplace_back(pattern);
    }
    if (patterns->empty()) {
        return invalid("{}= names nothing", name);
    }
    return {};
}

/// Printable ASCII without spaces: what fits behind "Bearer", more than RFC 6750 section 2.1 has.
bool isSecret(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

bool Tokens::Token::allows(Scope scope) const noexcept
{
    const auto sufficient = static_cast<unsigned>(scope) | static_cast<unsigned>(Scope::Admin);
    return (scopes & sufficient) != 0;
}

Result<Tokens> Tokens::read(const std::filesystem::path& file)
{
    const auto text = TRY(readSecretFile("http.token_file", file));
    return parse(text, file.string());
}

Result<Tokens> Tokens::parse(std::string_view text, std::string_view fileName)
{
    Tokens tokens;
    std::size_t lineNumber = 0;
    for (const auto line : split(text, '\n')) {
        if (auto added = tokens.add(line, ++lineNumber); !added) {
            return invalid("{}:{}: {}", fileName, lineNumber, added.error().message);
        }
    }
    if (tokens.empty()) {
        return invalid("{} has no token; write lines of NAME SCOPE[,SCOPE] SECRET", fileName);
    }
    return tokens;
}

Result<void> Tokens::add(std::string_view line, std::size_t lineNumber)
{
    const auto words = splitWords(line, " \t\r");
    if (words.empty() || words.front().starts_with('#')) {
        return {};
    }
    if (words.size() == 2 || words.size() > 5) {
        return invalid("write NAME SCOPE[,SCOPE] SECRET [topics=...] [senders=...], or a secret "
                       "alone");
    }
    TokenGrant grant;
    for (std::size_t i = 3; i < words.size(); ++i) {
        TRY(readGrant(words[i], grant));
    }
    const auto secret = words.size() == 1 ? words.front() : words[2];
    if (secret.size() < kShortestSecret || !isSecret(secret)) {
        return invalid("a secret has at least {} printable characters", kShortestSecret);
    }
    const auto scopes = words.size() > 1 ? scopesOf(words[1]) : std::optional(kEveryScope);
    if (!scopes) {
        return invalid("the scopes are push, pop and admin");
    }
    Entry entry{
        {words.size() > 1 ? std::string(words.front()) : fmt::format("token-{}", lineNumber),
         *scopes},
        sha256(secret)};
    if (words.size() > 3 && entry.token.allows(Scope::Admin)) {
        return invalid("the scope admin allows everything; a token with topics= or senders= has "
                       "push, pop or both");
    }
    if (words.size() > 3) {
        entry.token.grant = std::make_shared<const TokenGrant>(std::move(grant));
    }
    for (const auto& other : entries_) {
        if (other.token.name == entry.token.name || other.digest == entry.digest) {
            return invalid("this name or secret is there already");
        }
    }
    entries_.push_back(std::move(entry));
    return {};
}

std::vector<Tokens::Token> Tokens::all() const
{
    std::vector<Token> tokens;
    for (const auto& entry : entries_) {
        tokens.push_back(entry.token);
    }
    return tokens;
}

const Tokens::Token* Tokens::find(std::string_view secret) const
{
    const auto digest = sha256(secret);
    const Token* found = nullptr;
    for (const auto& entry : entries_) {
        if (sameSecret(bytesOf(entry.digest), bytesOf(digest))) {
            found = &entry.token;
        }
    }
    return found;
}

}  // namespace restante::http
