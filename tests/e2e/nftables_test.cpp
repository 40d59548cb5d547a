// The fence that is shipped for the SIP ports is one that nft takes.

#include "tests/support/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace restante::test {
namespace {

/// In a network namespace of its own, where it can fence nobody; as root of a user namespace when
/// we are nobody here.
Finished inOwnNetwork(const std::string& script)
{
    return run({{"/usr/bin/unshare", "--map-root-user", "--net", "/bin/sh", "-c", script}, {}, {}});
}

TEST(NftablesFence, isTakenTwiceAndKnowsTheSipPorts)
{
    const auto file = (sourceDirectory() / "resources/nftables/restante.nft").string();
    const std::string nft = "/usr/sbin/nft";
    if (inOwnNetwork("true").status != 0) {
        // Without a network of our own only the grammar can be tried.
        const auto read = run({{nft, "-c", "-f", file}, {}, {}});
        EXPECT_THAT(read.errors, ::testing::Not(::testing::HasSubstr("syntax error")));
        return;
    }
    const auto loaded = inOwnNetwork(nft + " -f " + file + " && " + nft + " -f " + file + " && " +
                                     nft + " list table inet restante");
    EXPECT_EQ(loaded.status, 0) << loaded.errors;
    EXPECT_THAT(loaded.output, ::testing::HasSubstr("udp dport { 5060, 5061 } jump sip"));
}

}  // namespace
}  // namespace restante::test
