#include "core/redis/client/tls_error.h"

#include <fmt/format.h>

namespace restante::redis {

namespace {

std::string sentence(const TlsError& fault)
{
    using Kind = TlsError::Kind;
    switch (fault.kind) {
    case Kind::None: return {};
    case Kind::UnknownIssuer:
        return fmt::format("its certificate was issued by \"{}\", whom we do not know; name the "
                           "certificate of that authority with ca=FILE",
                           fault.detail);
    case Kind::Expired:
        return fmt::format("its certificate has expired (on {}); renew it", fault.detail);
    case Kind::NotYetValid:
        return fmt::format("its certificate is not valid before {}; compare the clocks",
                           fault.detail);
    case Kind::WrongName:
        return fmt::format("its certificate is for {}, not for {}; correct the host, or name whose "
                           "it must be with sni=NAME",
                           fault.detail, fault.object);
    case Kind::BadCertificate:
        return fmt::format("its certificate cannot be believed: {}", fault.detail);
    case Kind::NotTls:
        return "it does not speak TLS; use redis:// instead of rediss://, or the port that has TLS";
    case Kind::Silent:
        return "it does not answer our greeting; perhaps it does not speak TLS: try redis:// "
               "instead of rediss://";
    case Kind::Wanted:
        return "it wants a certificate of ours; name one with cert=FILE and key=FILE";
    case Kind::NotBelieved:
        return fmt::format("it refuses our certificate ({}); see cert and key", fault.detail);
    case Kind::TooOld: return "it speaks nothing newer than TLS 1.1, which is not safe any more";
    case Kind::File: return fmt::format("cannot use {}: {}", fault.object, fault.detail);
    case Kind::Other: break;
    }
    return fault.detail;
}

}  // namespace

std::string TlsError::print() const
{
    return isNone() ? std::string() : "TLS: " + sentence(*this);
}

}  // namespace restante::redis
