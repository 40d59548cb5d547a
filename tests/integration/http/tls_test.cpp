#include "core/base/file_descriptor.h"
#include "core/base/handle_deleter.h"
#include "tests/integration/http/http_server_fixture.h"
#include "tests/support/eventually.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

namespace restante::test {

namespace {

/// A server with a certificate of its own making, and curl as its client.
class Tls : public HttpServerFixture {
protected:
    Tls()
    {
        issue("first");
        serve([this](http::Server::Settings& settings) {
            settings.tls = http::loadTlsContext(path("first.pem"), path("first.key")).value();
        });
    }
    std::string path(const std::string& name) const { return directory_ / name; }
    void issue(const std::string& name) const
    {
        openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                 "-keyout", path(name + ".key"), "-out", path(name + ".pem")});
    }
    static void openssl(std::vector<std::string> words)
    {
        words.insert(words.begin(), "openssl");
        const auto made = run({std::move(words), {}, {}});
        ASSERT_EQ(made.status, 0) << made.errors;
    }
    Finished curl(const std::string& certificate,
                  std::vector<std::string> more = {},
                  const std::string& target = "/ok") const
    {
        std::vector<std::string> words{
            "curl",      "--silent", "--show-error", "--max-time", "20",
            "--noproxy", "*",        "--ipv4",       "--cacert",   path(certificate)};
        words.insert(words.end(), more.begin(), more.end());
        words.push_back("https://localhost:" + std::to_string(port()) + target);
        return run({std::move(words), {}, {}});
    }

    /// Answers the only request to POST /parked, once its client is known to be gone if `afterEnd`.
    void answerParked(const std::string& body, bool afterEnd = false)
    {
        const auto isThere = [&] {
            bool there = false;
            onLoop([&] { there = parked_.size() == 1 && (!afterEnd || closed_ == 1); });
            return there;
        };
        ASSERT_TRUE(eventually(isThere));
        onLoop([&] {
            parked_.front()->respond({200, "text/plain", body, {}});
            parked_.clear();
        });
    }

    TempDir directory_;
};

/// A client that believes every certificate and does with its connection what curl does not.
class TlsClient {
public:
    /// With the ciphers of TLS 1.2 that `ciphers` names; empty = as OpenSSL likes.
    explicit TlsClient(std::uint16_t port, const char* ciphers = "")
        : context_(SSL_CTX_new(TLS_client_method()))
    {
        if (*ciphers != '\0') {
            SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
            SSL_CTX_set_options(context_.get(), SSL_OP_NO_ENCRYPT_THEN_MAC);
            EXPECT_EQ(SSL_CTX_set_cipher_list(context_.get(), ciphers), 1);
        }
        sockaddr_in server{};
        server.sin_family = AF_INET;
        server.sin_port = htons(port);
        server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const timeval patience{30, 0};
        setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        EXPECT_EQ(
            ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&server), sizeof server), 0);
        session_.reset(SSL_new(context_.get()));
        SSL_set_fd(session_.get(), socket_.get());
        EXPECT_EQ(SSL_connect(session_.get()), 1);
    }

    void send(const std::string& bytes)
    {
        EXPECT_EQ(SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size())),
                  static_cast<int>(bytes.size()));
    }
    /// Ends our direction of the TCP connection, without a close_notify.
    void finish() { EXPECT_EQ(::shutdown(socket_.get(), SHUT_WR), 0); }
    std::string receiveAll()
    {
        std::string all;
        std::array<char, 16'384> part{};
        int size = 0;
        while ((size = SSL_read(session_.get(), part.data(), part.size())) > 0) {
            all.append(part.data(), static_cast<std::size_t>(size));
        }
        return all;
    }

private:
    FileDescriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::unique_ptr<SSL_CTX, HandleDeleter<SSL_CTX_free>> context_;
    std::unique_ptr<SSL, HandleDeleter<SSL_free>> session_;
};

}  // namespace

TEST_F(Tls, servesWithItsCertificate)
{
    const auto answer = curl("first.pem");
    EXPECT_EQ(answer.status, 0) << answer.errors;
    EXPECT_EQ(answer.output, "ok");
}

TEST_F(Tls, refusesVersionsBefore12)
{
    EXPECT_NE(curl("first.pem", {"--tls-max", "1.1"}).status, 0);
    EXPECT_EQ(curl("first.pem", {"--tls-max", "1.2"}).status, 0);
}

TEST_F(Tls, takesANewCertificateWhileItServes)
{
    issue("second");
    onLoop([this] {
        server().setTls(http::loadTlsContext(path("second.pem"), path("second.key")).value());
    });
    EXPECT_NE(curl("first.pem").status, 0);
    EXPECT_EQ(curl("second.pem").status, 0);
}

TEST_F(Tls, carriesWhatNoSocketTakesAtOnceToAClientThatReadsSlowly)
{
    std::string body;
    while (body.size() < 900'000) {
        body += std::to_string(body.size()) + ' ';
    }
    std::ofstream(path("body")) << body;
    const auto answer =
        curl("first.pem", {"--limit-rate", "4M", "--data-binary", "@" + path("body")}, "/echo");
    EXPECT_EQ(answer.status, 0) << answer.errors;
    EXPECT_TRUE(answer.output == body) << answer.output.size() << " of " << body.size() << " bytes";
}

TEST_F(Tls, answersWhoHasFinishedWithoutSayingSo)
{
    TlsClient client(port());
    client.send(HttpClient::request("POST", "/parked", "{}"));
    client.finish();
    answerParked("late", true);
    EXPECT_THAT(client.receiveAll(), testing::EndsWith("late"));
}

/// OpenSSL 3.0 writes several records of such a cipher at once, and wants no fewer bytes when it
/// has to be called again.
TEST_F(Tls, carriesALargeAnswerInAnOldCipherToAClientThatReadsLate)
{
    TlsClient client(port(), "ECDHE-ECDSA-AES128-SHA");
    client.send("POST /parked HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                "Content-Length: 2\r\n\r\n{}");
    const std::string body(20'000'000, 'x');
    answerParked(body);
    EXPECT_TRUE(client.receiveAll().ends_with("\r\n\r\n" + body));
}

TEST_F(Tls, survivesWhoSpeaksPlainly)
{
    auto client = connect();
    client.send("GET /ok HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.closedWithin(Millis{5'000});
    EXPECT_EQ(curl("first.pem").status, 0);
}

TEST_F(Tls, namesTheFileThatItCannotUse)
{
    issue("second");
    const auto missing = http::loadTlsContext(path("missing.pem"), path("first.key"));
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, testing::HasSubstr("missing.pem"));
    const auto foreign = http::loadTlsContext(path("first.pem"), path("second.key"));
    ASSERT_FALSE(foreign);
    EXPECT_THAT(foreign.error().message, testing::HasSubstr("second.key"));
    openssl({"ec", "-aes128", "-passout", "pass:secret", "-in", path("first.key"), "-out",
             path("locked.key")});
    const auto locked = http::loadTlsContext(path("first.pem"), path("locked.key"));
    ASSERT_FALSE(locked) << "nobody is there whom it could ask for the password";
    EXPECT_THAT(locked.error().message, testing::HasSubstr("locked.key"));
}

}  // namespace restante::test
