#include "core/redis/store/job_codec.h"

#include <gtest/gtest.h>

namespace restante::redis {

namespace {

std::string recordOf(const Job& job)
{
    std::string record;
    encodeRecord(job, record);
    return record;
}

Job fullJob()
{
    Job job;
    job.id = "0123456789ABCDEFGHJKMNPQR0";
    job.topic = "a:b";
    job.channel = Channel::Webhook;
    job.priority = 9;
    job.body = std::string("NUL \0 and \xff", 11);
    job.contentType = "text/plain;charset=utf-8";
    job.headers = {{"Subject", "one"}, {"Subject", "two"}, {"X-Empty", ""}};
    job.recipient = "sip:bob@example.org";
    job.sender = "sip:alice@example.org";
    job.bizKey = "order-17";
    job.ttr = Millis{4'294'967'295};
    job.expires = fromEpochMs(1'800'000'000'001);
    job.created = fromEpochMs(1'700'000'000'123);
    job.retry = RetrySchedule::parse("0s,2m,10m").value();
    job.recurrence = "FREQ=DAILY;TZID=Europe/Berlin";
    return job;
}

}  // namespace

TEST(JobCodec, givesBackEveryField)
{
    const Job job = fullJob();
    const auto read = decodeRecord(job.id, recordOf(job));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, job);
}

TEST(JobCodec, tellsWhichJobItIsWithoutACopy)
{
    const Job job = fullJob();
    const auto record = recordOf(job);
    const auto summary = summaryOf(record);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->topic, job.topic);
    EXPECT_EQ(summary->channel, job.channel);
    EXPECT_EQ(summary->priority, job.priority);
    EXPECT_EQ(summary->recipient, job.recipient);
    EXPECT_EQ(summary->sender, job.sender);
    EXPECT_EQ(summary->bizKey, job.bizKey);
    EXPECT_EQ(summary->expiresMs, toEpochMs(*job.expires));
    EXPECT_EQ(summary->createdMs, toEpochMs(job.created));
    EXPECT_GE(summary->bizKey.data(), record.data());
    EXPECT_LT(summary->bizKey.data(), record.data() + record.size());
}

TEST(JobCodec, givesBackAJobOfDefaults)
{
    Job job;
    job.id = "a";
    job.topic = "t";
    EXPECT_EQ(decodeRecord("a", recordOf(job)).value(), job);
}

TEST(JobCodec, findsNothingByATextThatIsNotThere)
{
    Job job;
    job.id = "a";
    job.topic = "t";
    auto record = recordOf(job);
    record[1] = 3;  // the flags: by key and by sender

    const auto read = decodeRecord("a", record);

    ASSERT_TRUE(read) << read.error().message;
    EXPECT_FALSE(read->findByKey);
    EXPECT_FALSE(read->findBySender);
}

TEST(JobCodec, keepsLongBodies)
{
    Job job;
    job.id = "a";
    job.topic = "t";
    for (const std::size_t size : {127U, 128U, 16'383U, 16'384U, 65'536U}) {
        job.body.assign(size, 'b');
        EXPECT_EQ(decodeRecord("a", recordOf(job)).value().body.size(), size);
    }
}

TEST(JobCodec, writesTheBytesOfTheSchema)
{
    Job job;
    job.id = "a";
    job.topic = "order";
    job.recipient = "bob";
    job.ttr = Millis{60'000};
    job.created = fromEpochMs(0x0102030405);
    job.body = "hi";
    const std::string expected = std::string("\x01\x00"
                                             "\x00\x00\xea\x60"
                                             "\x00\x00\x00\x00\x00\x00"
                                             "\x00\x01\x02\x03\x04\x05"
                                             "\x0c",
                                             19) +
                                 "pull:5:order" + std::string("\x00\x03", 2) + "bob" + "\x07\x02hi";
    EXPECT_EQ(recordOf(job), expected);
}

TEST(JobCodec, hasEqualContentFromTheLaneOnWhenOnlyTimesDiffer)
{
    Job job = fullJob();
    const std::string first = recordOf(job);
    job.created += Millis{5};
    job.expires = std::nullopt;
    EXPECT_NE(recordOf(job), first);
    EXPECT_EQ(recordOf(job).substr(18), first.substr(18));
}

TEST(JobCodec, refusesAnUnknownFormatByNumber)
{
    std::string record = recordOf(fullJob());
    record[0] = 2;
    const auto read = decodeRecord("a", record);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("format 2"), std::string::npos) << read.error().message;
}

TEST(JobCodec, refusesEveryTruncation)
{
    Job job = fullJob();
    const std::string whole = recordOf(job);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto read = decodeRecord(job.id, std::string_view(whole).substr(0, size));
        // A record that ends between two fields is a valid one that lacks the rest.
        EXPECT_TRUE(!read || *read != job) << size;
        EXPECT_TRUE(!read || summaryOf(std::string_view(whole).substr(0, size))) << size;
    }
}

TEST(JobCodec, refusesAnUnknownFieldAndAnOverlongLength)
{
    Job job;
    job.id = "a";
    job.topic = "t";
    const std::string whole = recordOf(job);
    EXPECT_FALSE(decodeRecord("a", whole + "\x08\x01x"));
    EXPECT_FALSE(decodeRecord("a", whole + "\x07\xff\xff\xff\xff\xff\xff"));
    EXPECT_FALSE(decodeRecord("a", whole + "\x07\x05x"));
    EXPECT_FALSE(summaryOf(whole + "\x07\x05x"));
    EXPECT_FALSE(summaryOf(""));
}

TEST(JobCodec, refusesALaneThatIsNone)
{
    for (const std::string_view lane :
         {"", "pull", "pull:5", "pull:x:t", "fax:5:t", "pull:10:t", "pull:5:"}) {
        std::string record(18, '\0');
        record[0] = 1;
        record += static_cast<char>(lane.size());
        record += lane;
        record += std::string(2, '\0');
        EXPECT_FALSE(decodeRecord("a", record)) << lane;
    }
}

}  // namespace restante::redis
