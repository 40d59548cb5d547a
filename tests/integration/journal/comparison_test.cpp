#include "core/journal/recovery/comparison.h"

#include <gtest/gtest.h>

#include <set>

namespace restante::journal {

namespace {
const Position kRecorded{"store-a", "100.a", {50, 0}};
}

TEST(StoreKinship, isTheSameWhenTheJournalHasRecordedIt)
{
    EXPECT_EQ(kinshipOf({"store-a", "100.a"}, kRecorded, true), Kinship::Same);
    EXPECT_EQ(kinshipOf({"store-a", "200.b"}, kRecorded, true), Kinship::Same) << "not listened to";
}

TEST(StoreKinship, isLostWhenOnlyTheJournalKnowsIt)
{
    EXPECT_EQ(kinshipOf({"", "200.b"}, kRecorded, true), Kinship::Lost);
    EXPECT_EQ(kinshipOf({"", "100.a"}, kRecorded, false), Kinship::Lost);
    EXPECT_EQ(kinshipOf({"", "200.b"}, std::nullopt, true), Kinship::Lost);
}

TEST(StoreKinship, isFreshWhenTheJournalKnowsNothing)
{
    EXPECT_EQ(kinshipOf({"", "200.b"}, std::nullopt, false), Kinship::Fresh);
    EXPECT_EQ(kinshipOf({"store-a", "100.a"}, std::nullopt, false), Kinship::Fresh);
}

TEST(StoreKinship, isForeignWhenTheJournalBelongsToAnotherStore)
{
    EXPECT_EQ(kinshipOf({"store-b", "100.a"}, kRecorded, true), Kinship::Foreign);
}

TEST(StoreKinship, knowsAStoreOfBeforeIdentitiesByItsListening)
{
    const Position old{"", "100.the only daemon", {50, 0}};
    EXPECT_EQ(kinshipOf({"", "100.the only daemon"}, old, true), Kinship::Same);
    EXPECT_EQ(kinshipOf({"", "200.b"}, old, true), Kinship::Lost);
}

TEST(StreamAgreement, holdsWhereTheEntryAtThePositionIs)
{
    EXPECT_EQ(agreementOf("100.a", kRecorded, {true, StreamId{50, 0}, {60, 0}}), Agreement::Agrees);
}

TEST(StreamAgreement, hasAGapWhereTheBeginningWasCutOff)
{
    EXPECT_EQ(agreementOf("100.a", kRecorded, {false, std::nullopt, {60, 0}}), Agreement::Gap);
}

TEST(StreamAgreement, isRolledBackWhereTheStreamEndsBeforeThePosition)
{
    EXPECT_EQ(agreementOf("100.a", kRecorded, {false, StreamId{40, 0}, {40, 0}}),
              Agreement::RolledBack);
    EXPECT_EQ(agreementOf("100.a", kRecorded, {}), Agreement::RolledBack) << "not even a stream";
}

TEST(StreamAgreement, isRolledBackThoughSomethingWasWrittenSince)
{
    EXPECT_EQ(agreementOf("100.a", kRecorded, {false, StreamId{40, 0}, {60, 0}}),
              Agreement::RolledBack);
}

TEST(StreamAgreement, isRolledBackToAnEarlierListening)
{
    EXPECT_EQ(agreementOf("90.a", kRecorded, {false, StreamId{40, 0}, {60, 0}}),
              Agreement::RolledBack);
}

TEST(StreamAgreement, wasNotHeardWhereALaterListeningGoesOn)
{
    EXPECT_EQ(agreementOf("110.a", kRecorded, {false, std::nullopt, {60, 0}}), Agreement::NotHeard);
}

TEST(StoreTokens, areNeverTheSame)
{
    std::set<std::string> seen;
    for (int i = 0; i < 1'000; ++i) {
        seen.insert(newToken(7));
        seen.insert(newIdentity());
    }
    EXPECT_EQ(seen.size(), 2'000U);
    EXPECT_EQ(newToken(7).find(' '), std::string::npos);
}

}  // namespace restante::journal
