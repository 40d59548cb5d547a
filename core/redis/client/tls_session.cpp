#include "core/redis/client/tls_session.h"

#include "core/base/handle_deleter.h"
#include "core/base/secret_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace restante::redis {

namespace {

using Kind = TlsError::Kind;
using Context = std::unique_ptr<SSL_CTX, HandleDeleter<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, HandleDeleter<SSL_free>>;
using Certificate = std::unique_ptr<X509, HandleDeleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, HandleDeleter<EVP_PKEY_free>>;

/// {0} is the error's object, {1} its detail.
struct ErrorText {
    Kind kind;
    const char* what;
    const char* advice;
};

constexpr std::array kErrorTexts{
    ErrorText{Kind::UnknownIssuer, "its certificate was issued by \"{1}\", whom we do not know",
              "name the certificate of that authority with ca=FILE"},
    ErrorText{Kind::Expired, "its certificate has expired (on {1})", "renew it"},
    ErrorText{Kind::NotYetValid, "its certificate is not valid before {1}", "compare the clocks"},
    ErrorText{Kind::WrongName, "its certificate is for {1}, not for {0}",
              "correct the host, or name whose it must be with sni=NAME"},
    ErrorText{Kind::BadCertificate, "its certificate cannot be believed: {1}",
              "ask who runs it for another one"},
    ErrorText{Kind::NotTls, "it does not speak TLS",
              "use redis:// instead of rediss://, or the port that has TLS"},
    ErrorText{Kind::Silent, "it does not answer our greeting",
              "perhaps it does not speak TLS: try redis:// instead of rediss://"},
    ErrorText{Kind::CertificateRequired, "it wants a certificate of ours",
              "name one with cert=FILE and key=FILE"},
    ErrorText{Kind::CertificateRefused, "it refuses our certificate ({1})",
              "ask who runs it for another one (cert and key)"},
    ErrorText{Kind::TooOld, "it speaks nothing newer than TLS 1.1, which is not safe any more",
              "update it"},
    ErrorText{Kind::File, "cannot use {0}: {1}", "correct the file, or its name in the address"},
    ErrorText{Kind::Other, "{1}", "look at the log of whoever answers there"},
};

std::string fillText(const TlsError& error, const char* ErrorText::*text)
{
    const auto* errorText =
        std::find_if(kErrorTexts.begin(), kErrorTexts.end(),
                     [&](const ErrorText& one) { return one.kind == error.kind; });
    return errorText == kErrorTexts.end()
               ? std::string()
               : fmt::format(fmt::runtime(errorText->*text), error.object, error.detail);
}

/// OpenSSL reports alerts of the peer as errors with reasons from this number on.
constexpr int kFirstAlertReason = 1'000;

/// Refuses encrypted keys: nobody can enter a pass phrase.
int noPassPhrase(char*, int, int, void*) noexcept
{
    return 0;
}

Key parsePrivateKey(const std::string& text)
{
    const std::unique_ptr<BIO, HandleDeleter<BIO_free_all>> memory{
        BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
    return Key{PEM_read_bio_PrivateKey(memory.get(), nullptr, noPassPhrase, nullptr)};
}

std::string commonName(const X509_NAME* name)
{
    std::array<char, 256> text{};
    const auto size = X509_NAME_get_text_by_NID(const_cast<X509_NAME*>(name), NID_commonName,
                                                text.data(), static_cast<int>(text.size()));
    if (size > 0) {
        return text.data();
    }
    X509_NAME_oneline(name, text.data(), static_cast<int>(text.size()));
    return text.data();
}

TimePoint timeOf(const ASN1_TIME* time)
{
    std::tm parts{};
    return ASN1_TIME_to_tm(time, &parts) == 1 ? fromEpochMs(::timegm(&parts) * 1'000LL)
                                              : TimePoint{};
}

std::string dayOf(const ASN1_TIME* time)
{
    std::tm parts{};
    if (ASN1_TIME_to_tm(time, &parts) != 1) {
        return "?";
    }
    return fmt::format("{}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

/// A name of the certificate as people write it; empty unless it is a DNS name or an address.
std::string formatName(const GENERAL_NAME* name)
{
    const auto* bytes = ASN1_STRING_get0_data(name->d.ia5);
    const auto size = static_cast<std::size_t>(ASN1_STRING_length(name->d.ia5));
    if (name->type == GEN_DNS) {
        return {reinterpret_cast<const char*>(bytes), size};
    }
    if (name->type == GEN_IPADD && size == 4) {
        return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
    }
    return name->type == GEN_IPADD ? "an IPv6 address" : "";
}

std::string namesOf(const X509* certificate)
{
    const std::unique_ptr<GENERAL_NAMES, HandleDeleter<GENERAL_NAMES_free>> names{
        static_cast<GENERAL_NAMES*>(
            X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
    std::string printed;
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        const auto name = formatName(sk_GENERAL_NAME_value(names.get(), i));
        printed += printed.empty() || name.empty() ? name : ", " + name;
    }
    return printed.empty() ? commonName(X509_get_subject_name(certificate)) : printed;
}

TlsError tlsErrorOf(int verdict, const X509* certificate, const std::string& expectedName)
{
    switch (verdict) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return {Kind::Expired, {}, dayOf(X509_get0_notAfter(certificate))};
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return {Kind::NotYetValid, {}, dayOf(X509_get0_notBefore(certificate))};
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return {Kind::WrongName, expectedName, namesOf(certificate)};
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return {Kind::UnknownIssuer, {}, commonName(X509_get_issuer_name(certificate))};
    default: return {Kind::BadCertificate, {}, X509_verify_cert_error_string(verdict)};
    }
}

std::string lastError()
{
    const char* reason = ERR_reason_error_string(ERR_peek_last_error());
    return reason != nullptr ? reason : "unknown error";
}

void forgetErrors() noexcept
{
    ERR_clear_error();
    errno = 0;
}

bool isIpAddress(const std::string& host)
{
    const std::unique_ptr<ASN1_OCTET_STRING, HandleDeleter<ASN1_OCTET_STRING_free>> address{
        a2i_IPADDRESS(host.c_str())};
    return address != nullptr;
}

/// A BIO like OpenSSL's socket BIO, but a write to a closed connection raises no SIGPIPE. Its data
/// is the descriptor; the EOF flag says whether the peer has closed.
namespace quiet_socket {

int descriptorOf(BIO* bio) noexcept
{
    return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

bool wouldBlock() noexcept
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

int write(BIO* bio, const char* bytes, int size) noexcept
{
    BIO_clear_retry_flags(bio);
    const auto sent =
        ::send(descriptorOf(bio), bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
    if (sent < 0 && wouldBlock()) {
        BIO_set_retry_write(bio);
    }
    return static_cast<int>(sent);
}

int read(BIO* bio, char* bytes, int size) noexcept
{
    BIO_clear_retry_flags(bio);
    const auto bytesRead = ::recv(descriptorOf(bio), bytes, static_cast<std::size_t>(size), 0);
    if (bytesRead < 0 && wouldBlock()) {
        BIO_set_retry_read(bio);
    }
    if (bytesRead == 0) {
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    }
    return static_cast<int>(bytesRead);
}

long control(BIO* bio, int command, long /*number*/, void* /*pointer*/) noexcept
{
    if (command == BIO_CTRL_EOF) {
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    }
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* makeMethod() noexcept
{
    auto* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "quiet socket");
    BIO_meth_set_write(method, write);
    BIO_meth_set_read(method, read);
    BIO_meth_set_ctrl(method, control);
    return method;
}

BIO* open(int socket)
{
    // Lives as long as the program, as OpenSSL's own methods do.
    static BIO_METHOD* const method = makeMethod();
    auto* bio = BIO_new(method);
    BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
    BIO_set_init(bio, 1);
    return bio;
}

}  // namespace quiet_socket

class OpenSslSession final : public TlsSession {
public:
    OpenSslSession(int socket, const RedisUrl::Tls& tls, const std::string& host)
        : expectedName_(tls.serverName.empty() ? host : tls.serverName),
          hasClientCertificate_(!tls.certificate.empty()),
          context_(SSL_CTX_new(TLS_client_method()))
    {
        configureContext(tls);
        session_.reset(SSL_new(context_.get()));
        auto* bio = quiet_socket::open(socket);
        SSL_set_bio(session_.get(), bio, bio);
        SSL_set_app_data(session_.get(), this);
        if (isIpAddress(expectedName_)) {
            X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session_.get()), expectedName_.c_str());
        } else {
            // What SSL_set_tlsext_host_name() does; as a macro it casts in a way that we forbid.
            SSL_ctrl(session_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                     expectedName_.data());
            SSL_set1_host(session_.get(), expectedName_.c_str());
        }
        SSL_set_connect_state(session_.get());
    }
    ~OpenSslSession() override
    {
        if (established_ && error_.isNone()) {
            ERR_clear_error();
            SSL_shutdown(session_.get());  // close_notify; whether it arrives does not matter
        }
        ERR_clear_error();
    }

    HandshakeStatus handshake() override
    {
        if (!error_.isNone()) {
            return HandshakeStatus::Failed;
        }
        forgetErrors();
        const int result = SSL_do_handshake(session_.get());
        if (result == 1) {
            established_ = true;
            return HandshakeStatus::Done;
        }
        switch (SSL_get_error(session_.get(), result)) {
        case SSL_ERROR_WANT_READ: return HandshakeStatus::NeedsReadable;
        case SSL_ERROR_WANT_WRITE: return HandshakeStatus::NeedsWritable;
        default: break;
        }
        recordError();
        return HandshakeStatus::Failed;
    }

    TlsPeer peer() const override
    {
        const Certificate certificate{SSL_get1_peer_certificate(session_.get())};
        TlsPeer peer;
        peer.version = SSL_get_version(session_.get());
        if (certificate) {
            peer.issuer = commonName(X509_get_issuer_name(certificate.get()));
            peer.expires = timeOf(X509_get0_notAfter(certificate.get()));
        }
        return peer;
    }

    /// Reads as many records as there are and fit, so that a big reply needs only one turn.
    ByteStream::Transfer read(char* bytes, std::size_t size) override
    {
        if (!error_.isNone()) {
            return {ByteStream::Outcome::Failed, 0};
        }
        std::size_t filled = 0;
        while (size - filled >= ByteStream::kTlsRecordSize) {
            forgetErrors();
            std::size_t bytesRead = 0;
            const int result =
                SSL_read_ex(session_.get(), bytes + filled, size - filled, &bytesRead);
            if (result != 1) {
                // An end or a failure is found again by the next read.
                const auto transfer = failedTransfer(result);
                return filled > 0 ? ByteStream::Transfer{ByteStream::Outcome::Moved, filled}
                                  : transfer;
            }
            filled += bytesRead;
        }
        return {ByteStream::Outcome::Moved, filled};
    }

    ByteStream::Transfer write(const char* bytes, std::size_t size) override
    {
        forgetErrors();
        std::size_t sent = 0;
        const int result = SSL_write_ex(session_.get(), bytes, size, &sent);
        if (result == 1) {
            return {ByteStream::Outcome::Moved, sent};
        }
        const auto transfer = failedTransfer(result);
        if (transfer.outcome == ByteStream::Outcome::Failed) {
            readAlert();
        }
        return transfer;
    }

    const TlsError& error() const noexcept override { return error_; }

private:
    void configureContext(const RedisUrl::Tls& tls)
    {
        auto* context = context_.get();
        SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
        // A peer that closes without close_notify is no error: RESP says where a reply ends.
        SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
        // The output buffer may have moved and grown when a write is repeated.
        SSL_CTX_set_mode(context,
                         SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
        SSL_CTX_set_default_passwd_cb(context, noPassPhrase);
        SSL_CTX_set_cert_cb(context, onCertificateRequested, this);
        if (tls.verify == RedisUrl::Tls::Verify::Yes) {
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, onVerified);
            trustAuthorities(tls.ca);
        }
        loadClientCertificate(tls);
    }

    void trustAuthorities(const std::string& ca)
    {
        if (ca.empty()) {
            SSL_CTX_set_default_verify_paths(context_.get());
        } else if (requireReadable(ca) &&
                   SSL_CTX_load_verify_locations(context_.get(), ca.c_str(), nullptr) != 1) {
            recordFileError(ca);
        }
    }

    void loadClientCertificate(const RedisUrl::Tls& tls)
    {
        if (tls.certificate.empty() || !requireReadable(tls.certificate) ||
            !requireReadable(tls.key)) {
            return;
        }
        const auto secret = readSecretFile("key", tls.key);
        if (!secret) {
            return setError({Kind::File, tls.key, secret.error().message});
        }
        auto* context = context_.get();
        if (SSL_CTX_use_certificate_chain_file(context, tls.certificate.c_str()) != 1) {
            return recordFileError(tls.certificate);
        }
        if (const auto key = parsePrivateKey(*secret);
            !key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
            recordFileError(tls.key);
        }
    }

    /// False, with the error recorded, when the file cannot be read.
    bool requireReadable(const std::string& file)
    {
        if (::access(file.c_str(), R_OK) == 0) {
            return true;
        }
        setError({Kind::File, file, std::generic_category().message(errno)});
        return false;
    }

    void recordFileError(const std::string& file) { setError({Kind::File, file, lastError()}); }

    /// Keeps the first error.
    void setError(TlsError error)
    {
        if (error_.isNone()) {
            error_ = std::move(error);
        }
    }

    /// Records the reason of the OpenSSL call that has just failed.
    void recordError()
    {
        const auto error = ERR_peek_error();
        const int systemError = errno;
        if (error != 0) {
            setError(errorOfReason(ERR_GET_REASON(error)));
        } else if (!established_ && systemError == 0) {
            setError(closedByPeerError());
        } else {
            setError({Kind::Other, {}, std::generic_category().message(systemError)});
        }
    }

    TlsError closedByPeerError() const
    {
        return certificateRequested_ && !hasClientCertificate_
                   ? TlsError{Kind::CertificateRequired, {}, {}}
                   : TlsError{Kind::Other, {}, "closed while greeting; does it speak TLS?"};
    }

    TlsError errorOfReason(int reason) const
    {
        switch (reason) {
        case SSL_R_WRONG_VERSION_NUMBER:
        case SSL_R_HTTP_REQUEST:
        case SSL_R_PACKET_LENGTH_TOO_LONG: return {Kind::NotTls, {}, {}};
        case SSL_R_UNEXPECTED_EOF_WHILE_READING: return closedByPeerError();
        case SSL_R_UNSUPPORTED_PROTOCOL:
        case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION: return {Kind::TooOld, {}, {}};
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return {Kind::CertificateRequired, {}, {}};
        default: break;
        }
        if (reason >= kFirstAlertReason && certificateRequested_) {
            return hasClientCertificate_ ? TlsError{Kind::CertificateRefused, {}, lastError()}
                                         : TlsError{Kind::CertificateRequired, {}, {}};
        }
        return {Kind::Other, {}, lastError()};
    }

    /// The transfer of a read or a write that has moved nothing; records the error of a failure.
    ByteStream::Transfer failedTransfer(int result)
    {
        switch (SSL_get_error(session_.get(), result)) {
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE: return {ByteStream::Outcome::Later, 0};
        case SSL_ERROR_ZERO_RETURN: return {ByteStream::Outcome::Ended, 0};
        default: break;
        }
        if (ERR_peek_error() == 0 && errno == 0) {
            return {ByteStream::Outcome::Ended, 0};
        }
        recordError();
        return {ByteStream::Outcome::Failed, 0};
    }

    /// With TLS 1.3 a server refuses our certificate after our first bytes and closes: the write
    /// has failed, and the alert with the reason has to be read.
    void readAlert()
    {
        std::array<char, 1> nothing{};
        std::size_t bytesRead = 0;
        ERR_clear_error();
        SSL_read_ex(session_.get(), nothing.data(), nothing.size(), &bytesRead);
        if (const auto error = ERR_peek_error(); error != 0) {
            error_ = errorOfReason(ERR_GET_REASON(error));
        }
    }

    static OpenSslSession& sessionOf(SSL* session) noexcept
    {
        return *static_cast<OpenSslSession*>(SSL_get_app_data(session));
    }

    static int onCertificateRequested(SSL* session, void* /*ours*/) noexcept
    {
        sessionOf(session).certificateRequested_ = true;
        return 1;
    }

    /// Records the error while the certificate that it is about is accessible.
    static int onVerified(int verified, X509_STORE_CTX* chain) noexcept
    {
        if (verified == 0) {
            auto* session = static_cast<SSL*>(
                X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
            auto& self = sessionOf(session);
            try {
                self.setError(tlsErrorOf(X509_STORE_CTX_get_error(chain),
                                         X509_STORE_CTX_get_current_cert(chain),
                                         self.expectedName_));
            } catch (const std::exception&) {
                self.error_.kind = Kind::BadCertificate;
            }
        }
        return verified;
    }

    std::string expectedName_;
    const bool hasClientCertificate_;
    bool certificateRequested_ = false;  ///< the server has asked for a client certificate
    bool established_ = false;
    TlsError error_;
    Context context_;
    Session session_;
};

}  // namespace

std::string TlsError::toString() const
{
    return isNone() ? std::string() : fmt::format("TLS: {}; {}", what(), advice());
}

std::string TlsError::what() const
{
    return fillText(*this, &ErrorText::what);
}

std::string TlsError::advice() const
{
    return fillText(*this, &ErrorText::advice);
}

TlsHandshake::TlsHandshake(EventLoop& loop,
                           FileDescriptor socket,
                           const RedisUrl::Tls& tls,
                           const std::string& host,
                           Handler done)
    : done_(std::move(done)),
      socket_(std::move(socket)),
      session_(std::make_unique<OpenSslSession>(socket_.get(), tls, host)),
      // It is connected, so it takes our ClientHello at once.
      watch_(loop, socket_.get(), Readiness::Writable, [this](Readiness) { step(); })
{
}

void TlsHandshake::step()
{
    switch (session_->handshake()) {
    case TlsSession::HandshakeStatus::NeedsReadable: return watch_.change(Readiness::Readable);
    case TlsSession::HandshakeStatus::NeedsWritable: return watch_.change(Readiness::Writable);
    case TlsSession::HandshakeStatus::Failed: return answer(tl::unexpected(session_->error()));
    case TlsSession::HandshakeStatus::Done: break;
    }
    const auto peer = session_->peer();
    watch_.remove();
    answer(TlsStream{ByteStream(std::move(socket_), std::move(session_)), peer});
}

void TlsHandshake::answer(Outcome outcome)
{
    watch_.remove();
    std::exchange(done_, {})(std::move(outcome));  // it destroys this
}

}  // namespace restante::redis
