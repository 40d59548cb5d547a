#include "core/journal/recovery/comparison.h"

#include <gtest/gtest.h>

#include <set>

namespace restante::journal {

namespace {
const Position kRecorded{"store-a", "100.a", {50, 0}};
}

TEST(StoreKinship, isTheSameWhenTheJournalHasRecordedIt)
{
    EXPECT_EQ(storeMatchOf({"store-a", "100.a"}, kRecorded, true), StoreMatch::Same);
    EXPECT_EQ(storeMatchOf({"store-a", "200.b"}, kRecorded, true), StoreMatch::Same)
        << "not listened to";
}

TEST(StoreKinship, isLostWhenOnlyTheJournalKnowsIt)
{
    EXPECT_EQ(storeMatchOf({"", "200.b"}, kRecorded, true), StoreMatch::Lost);
    EXPECT_EQ(storeMatchOf({"", "100.a"}, kRecorded, false), StoreMatch::Lost);
    EXPECT_EQ(storeMatchOf({"", "200.b"}, std::nullopt, true), StoreMatch::Lost);
}

TEST(StoreKinship, isFreshWhenTheJournalKnowsNothing)
{
    EXPECT_EQ(storeMatchOf({"", "200.b"}, std::nullopt, false), StoreMatch::New);
    EXPECT_EQ(storeMatchOf({"store-a", "100.a"}, std::nullopt, false), StoreMatch::New);
}

TEST(StoreKinship, isForeignWhenTheJournalBelongsToAnotherStore)
{
    EXPECT_EQ(storeMatchOf({"store-b", "100.a"}, kRecorded, true), StoreMatch::Foreign);
}

TEST(StoreKinship, knowsAStoreOfBeforeIdentitiesByItsListening)
{
    const Position old{"", "100.the only daemon", {50, 0}};
    EXPECT_EQ(storeMatchOf({"", "100.the only daemon"}, old, true), StoreMatch::Same);
    EXPECT_EQ(storeMatchOf({"", "200.b"}, old, true), StoreMatch::Lost);
}

TEST(StreamAgreement, holdsWhereTheEntryAtThePositionIs)
{
    EXPECT_EQ(streamMatchOf("100.a", kRecorded, {true, StreamId{50, 0}, {60, 0}}),
              StreamMatch::Agrees);
}

TEST(StreamAgreement, hasAGapWhereTheBeginningWasCutOff)
{
    EXPECT_EQ(streamMatchOf("100.a", kRecorded, {false, std::nullopt, {60, 0}}), StreamMatch::Gap);
}

TEST(StreamAgreement, isRolledBackWhereTheStreamEndsBeforeThePosition)
{
    EXPECT_EQ(streamMatchOf("100.a", kRecorded, {false, StreamId{40, 0}, {40, 0}}),
              StreamMatch::RolledBack);
    EXPECT_EQ(streamMatchOf("100.a", kRecorded, {}), StreamMatch::RolledBack)
        << "not even a stream";
}

TEST(StreamAgreement, isRolledBackThoughSomethingWasWrittenSince)
{
    EXPECT_EQ(streamMatchOf("100.a", kRecorded, {false, StreamId{40, 0}, {60, 0}}),
              StreamMatch::RolledBack);
}

TEST(StreamAgreement, isRolledBackToAnEarlierListening)
{
    EXPECT_EQ(streamMatchOf("90.a", kRecorded, {false, StreamId{40, 0}, {60, 0}}),
              StreamMatch::RolledBack);
}

TEST(StreamAgreement, wasNotHeardWhereALaterListeningGoesOn)
{
    EXPECT_EQ(streamMatchOf("110.a", kRecorded, {false, std::nullopt, {60, 0}}),
              StreamMatch::NotRecorded);
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
