#pragma once

#include "core/base/crypto.h"
#include "core/base/result.h"
#include "core/http/server/http_call.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace restante::http {

/// The bearer tokens of `http.token_file`. One a line: "NAME SCOPE[,SCOPE] SECRET", perhaps
/// followed by "topics=PATTERN,..." and "senders=PATTERN,..." (TokenGrant), or a SECRET alone,
/// which may do everything; '#' begins a comment. Only digests are kept. *Value.*
class Tokens {
public:
    struct Token {
        std::string name;     ///< for the audit; "token-3" if line 3 of the file has none
        unsigned scopes = 0;  ///< combined values of Scope
        std::shared_ptr<const TokenGrant> grant = {};  ///< shared with requests; null = no bounds

        /// Admin allows everything.
        bool allows(Scope scope) const noexcept;
    };

    /// Refuses a file that others may read or that has no token, a line it does not understand, a
    /// name or secret that comes twice, and a secret of less than 16 characters; the message names
    /// the line.
    static Result<Tokens> read(const std::filesystem::path& file);
    static Result<Tokens> parse(std::string_view text, std::string_view fileName);

    bool empty() const noexcept { return entries_.empty(); }
    /// In the order of the file.
    std::vector<Token> all() const;
    /// Takes equally long whether and where the secret is found.
    const Token* find(std::string_view secret) const;

private:
    struct Entry {
        Token token;
        Sha256 digest{};
    };
    Result<void> add(std::string_view line, std::size_t lineNumber);

    std::vector<Entry> entries_;
};

}  // namespace restante::http
