// The certificate that a TLS peer shows, in DER; and, because a mutated byte seldom leaves one
// whole, names that are put into a certificate: a line each, behind C (common name), D (DNS) or
// U (URI), and S for the extension to stand there twice.
#include "sipplugin/inbound/sip_request_guard.h"
#include "sipplugin/transport/tls/tls_contexts.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/made_certificate.h"

#include <algorithm>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string>

namespace {

using namespace restante;

/// OpenSSL's own reading, of DNS names in subjectAltName alone.
bool opensslFinds(X509& certificate, const std::string& host)
{
    constexpr unsigned kFlags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_WILDCARDS;
    return X509_check_host(&certificate, host.data(), host.size(), kFlags, nullptr) == 1;
}

bool certifiesAnAddress(const X509& certificate)
{
    const std::unique_ptr<GENERAL_NAMES, HandleDeleter<GENERAL_NAMES_free>> names{
        static_cast<GENERAL_NAMES*>(
            X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr))};
    for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
        if (sk_GENERAL_NAME_value(names.get(), i)->type == GEN_IPADD) {
            return true;
        }
    }
    return false;
}

bool isTrustedAs(const std::string& name, const std::vector<std::string>& certified)
{
    const auto peer = TrustedPeer::parse("tls:" + name);
    sip::ReceivedRequest request;
    request.transport = sip::Transport::Tls;
    request.sourceHost = "192.0.2.1";
    request.certificateNames = certified;
    return peer && sip::isFromOneOf({*peer}, request);
}

void check(X509& certificate)
{
    const std::string host = "proxy.example.org";
    const auto names = sip::certificateNames(certificate);
    const bool ours = sip::showsIdentity(certificate, host);
    fuzz::require(ours == (std::ranges::find(names, host) != names.end()),
                  "what it is taken for is among its names");
    fuzz::require(isTrustedAs(host, names) == ours, "trust and identity agree");
    fuzz::require(ours || !opensslFinds(certificate, host), "what OpenSSL finds is found");
    fuzz::require(!sip::showsIdentity(certificate, "") && !isTrustedAs("", names),
                  "nobody is nobody");
    for (const auto* address : {"192.0.2.1", "[2001:db8::1]"}) {
        fuzz::require(!sip::showsIdentity(certificate, address) || certifiesAnAddress(certificate),
                      "a name is no address");
    }
    for (const auto& name : names) {
        fuzz::require(std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }),
                      "names are in lower case");
        if (name.starts_with("*.") && !name.ends_with('.')) {
            const auto other = "any-label" + name.substr(1);
            fuzz::require(sip::showsIdentity(certificate, other) ==
                              (std::ranges::find(names, other) != names.end()),
                          "a star is a letter like others");
        }
    }
}

test::CertificateTexts textsOf(std::string_view lines)
{
    test::CertificateTexts texts;
    while (!lines.empty()) {
        const std::string line{lines.substr(0, lines.find('\n'))};
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
        const auto text = line.substr(std::min<std::size_t>(1, line.size()));
        switch (line.empty() ? '\0' : line.front()) {
        case 'C': texts.commonName = text; break;
        case 'D': texts.dns.push_back(text); break;
        case 'U': texts.uris.push_back(text); break;
        case 'S': texts.times = 2; break;
        default: break;
        }
    }
    return texts;
}

/// Reading back what was put in.
void checkMade(const test::CertificateTexts& texts)
{
    const auto certificate = test::certificateOf(texts);
    check(*certificate);
    const auto names = sip::certificateNames(*certificate);
    const bool any = !texts.dns.empty() || !texts.uris.empty();
    if (any && texts.times > 1) {
        fuzz::require(names.empty(), "what says two things says nothing");
    } else if (any) {
        fuzz::require(names.size() >= texts.dns.size() &&
                          names.size() <= texts.dns.size() + texts.uris.size(),
                      "each name counts once");
    } else {
        fuzz::require(names.size() == (texts.commonName.empty() ? 0 : 1),
                      "the common name stands in");
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto* at = data;
    if (const test::Certificate read{d2i_X509(nullptr, &at, static_cast<long>(size))}) {
        check(*read);
    }
    checkMade(textsOf(fuzz::textOf(data, size)));
    ERR_clear_error();
    return 0;
}
