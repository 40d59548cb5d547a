#include "tests/integration/http/http_server_fixture.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

#include <gmock/gmock.h>

#include <fstream>

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

    TempDir directory_;
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
