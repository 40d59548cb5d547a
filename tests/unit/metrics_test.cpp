#include "core/base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace restante::metrics {

using testing::HasSubstr;

TEST(Metrics, countFromSeveralThreadsWithoutLoss)
{
    auto& series = counter("restante_jobs_claimed_total", {"threads"});
    const auto count = [&] {
        for (int n = 0; n < 10'000; ++n) {
            series.add();
        }
    };
    std::thread other(count);
    count();
    other.join();
    EXPECT_EQ(series.value(), 20'000U);
}

TEST(Metrics, giveTheSameSeriesForTheSameLabels)
{
    EXPECT_EQ(&gauge("restante_jobs", {"same"}), &gauge("restante_jobs", {"same"}));
    EXPECT_NE(&gauge("restante_jobs", {"same"}), &gauge("restante_jobs", {"other one"}));
}

TEST(Metrics, printASeriesWithItsHeading)
{
    counter("restante_deliveries_total", {"webhook", "printed"}).add(3);
    const auto text = exposition();
    EXPECT_THAT(text, HasSubstr("# TYPE restante_deliveries_total counter\n"));
    EXPECT_THAT(
        text, HasSubstr("restante_deliveries_total{channel=\"webhook\",outcome=\"printed\"} 3\n"));
}

TEST(Metrics, escapeWhatLabelsMayNotContain)
{
    const Sample sample{{"pull", "a\"b\\c\nd", "ready"}, 1};
    EXPECT_THAT(exposition("restante_backlog", {&sample, 1}), HasSubstr(R"(topic="a\"b\\c\nd")"));
}

TEST(Metrics, cumulateTheBucketsOfAHistogram)
{
    auto& series = histogram("restante_lateness_seconds", {"buckets"});
    series.observe(0.0005);
    series.observe(0.001);
    series.observe(3);
    series.observe(100'000);
    const auto text = exposition();
    const std::string name = "restante_lateness_seconds_bucket{channel=\"buckets\",le=\"";
    EXPECT_THAT(text, HasSubstr(name + "0.001\"} 2\n"));
    EXPECT_THAT(text, HasSubstr(name + "2.5\"} 2\n"));
    EXPECT_THAT(text, HasSubstr(name + "5\"} 3\n"));
    EXPECT_THAT(text, HasSubstr(name + "+Inf\"} 4\n"));
    EXPECT_THAT(text, HasSubstr("restante_lateness_seconds_count{channel=\"buckets\"} 4\n"));
}

TEST(Metrics, countFurtherSeriesTogetherOnceThereAreTooMany)
{
    for (int n = 0; n < 2'000; ++n) {
        counter("restante_failed_operations_total", {"many" + std::to_string(n)}).add();
    }
    EXPECT_EQ(counter("restante_failed_operations_total", {"yet another"}).value(), 1'000U);
}

TEST(Metrics, haveNamesThatPrometheusTakes)
{
    std::set<std::string_view> names;
    for (const auto& metric : catalogue()) {
        EXPECT_TRUE(names.insert(metric.name).second) << metric.name << " is there twice";
        EXPECT_TRUE(metric.name.starts_with("restante_")) << metric.name;
        EXPECT_EQ(metric.name.ends_with("_total"), metric.kind == Kind::Counter) << metric.name;
        EXPECT_TRUE(metric.help.ends_with(".")) << metric.name;
    }
}

}  // namespace restante::metrics
