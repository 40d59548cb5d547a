#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <memory>

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace restante::http {

/// Certificate and key of `http.tls.*`: TLS 1.2 and later. *Value*, shared: open connections keep
/// theirs when a reload brings another one.
using TlsContext = std::shared_ptr<ssl_ctx_st>;
/// The error names the file.
Result<TlsContext> loadTlsContext(const std::filesystem::path& certificate,
                                  const std::filesystem::path& key);

}  // namespace restante::http
