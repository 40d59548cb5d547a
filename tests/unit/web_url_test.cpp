#include "core/job/web_url.h"

#include <gtest/gtest.h>

namespace restante {
namespace {

TEST(WebUrl, isTakenApart)
{
    const auto url = parseWebUrl("https://Hooks.Example.org:8443/a/b?c=d&e=%20").value();
    EXPECT_TRUE(url.tls);
    EXPECT_EQ(url.host, "hooks.example.org");
    EXPECT_EQ(url.port, 8443);
    EXPECT_EQ(url.target, "/a/b?c=d&e=%20");
    EXPECT_EQ(url.authority(), "hooks.example.org:8443");
    EXPECT_FALSE(url.isAddress());
}

TEST(WebUrl, hasThePortOfItsScheme)
{
    EXPECT_EQ(parseWebUrl("http://example.org")->port, 80);
    EXPECT_EQ(parseWebUrl("HTTPS://example.org")->port, 443);
    EXPECT_EQ(parseWebUrl("http://example.org")->target, "/");
    EXPECT_EQ(parseWebUrl("http://example.org?a")->target, "/?a");
}

TEST(WebUrl, mayNameAnAddress)
{
    const auto url = parseWebUrl("http://[2001:DB8::1]:81/").value();
    EXPECT_EQ(url.host, "2001:db8::1");
    EXPECT_EQ(url.authority(), "[2001:db8::1]:81");
    EXPECT_TRUE(url.isAddress());
    EXPECT_TRUE(parseWebUrl("http://192.0.2.1/")->isAddress());
}

TEST(WebUrl, isRefusedWhenTwoParsersCouldDisagree)
{
    for (const char* text : {"",
                             "example.org",
                             "/path",
                             "ftp://example.org/",
                             "file:///etc/passwd",
                             "gopher://x/",
                             "http:/example.org",
                             "http:example.org",
                             "http://",
                             "http:///path",
                             "http://?x",
                             "http://user@example.org/",
                             "http://user:pw@example.org/",
                             "http://a@b@c/",
                             "http://example.org\\@evil.org/",
                             "http://example.org/\\x",
                             "http://exam ple.org/",
                             "http://example.org/a b",
                             "http://example.org/\r\nX: 1",
                             "http://example.org/\t",
                             "http://example.org/#f",
                             "http://example.org:/",
                             "http://example.org:0/",
                             "http://example.org:65536/",
                             "http://example.org:80x/",
                             "http://example.org:-1/",
                             "http://example.org:+80/",
                             "http://::1/",
                             "http://[::1/",
                             "http://[::1]x/",
                             "http://[fe80::1%25eth0]/",
                             "http://[127.0.0.1]/",
                             "http://[]/",
                             "http://a..b/",
                             "http://.a/",
                             "http://./",
                             "http://ex%61mple.org/",
                             "http://b\xc3\xbc"
                             "cher.example/",
                             "http://example.org/\xc3\xbc",
                             "http://{x}/"}) {
        EXPECT_FALSE(parseWebUrl(text)) << text;
    }
    EXPECT_FALSE(parseWebUrl("http://example.org/" + std::string(2'100, 'x')));
    EXPECT_FALSE(parseWebUrl("http://" + std::string(64, 'x') + ".org/"));
    EXPECT_FALSE(parseWebUrl(std::string{"http://example.org/\0x", 21}));
}

TEST(WebUrl, saysWhatToWrite)
{
    const auto refused = parseWebUrl("http://user:secret@example.org/");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "a URL with a user name or a password is not allowed; write http://host[:port]/path "
              "or https://host[:port]/path");
}

}  // namespace
}  // namespace restante
