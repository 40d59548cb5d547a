#include "tests/gui/support/detail_fixture.h"

#include "tests/gui/support/screens.h"
#include "tests/gui/support/wait.h"

#include <QCoreApplication>
#include <QDir>

namespace restante::gui::test {

DetailFixture::DetailFixture()
{
    preferences.setTimeZone("UTC");
    auto backend = std::make_unique<FakeBackend>();
    fake = backend.get();
    session = std::make_unique<StoreSession>(ConnectionProfile{}, std::move(backend));
    detail = std::make_unique<JobDetail>(Context{actions, preferences});
    detail->resize(1'000, 420);
    detail->open(session.get());
}

JobView DetailFixture::message(const std::string& id) const
{
    JobView view;
    auto& job = view.job;
    job.id = id;
    job.topic = "sip";
    job.channel = Channel::Sip;
    job.recipient = "sip:bob@example.org";
    job.sender = "sip:alice@example.org";
    job.bizKey = "call-17@host";
    job.contentType = "text/plain;charset=UTF-8";
    job.headers = {{"From", "\"Alice\" <sip:alice@example.org>"},
                   {"To", "<sip:bob@example.org>"},
                   {"Date", "Sat, 21 Nov 2026 20:00:00 GMT"}};
    job.body = "Dinner at eight?";
    job.retry = *RetrySchedule::parse("0s,2m,10m");
    job.created = fake->time - std::chrono::hours{3};
    job.expires = fake->time + std::chrono::hours{24 * 7};
    view.due = fake->time + std::chrono::hours{1};
    return view;
}

void DetailFixture::show(JobView view)
{
    const auto id = view.job.id;
    fake->jobs.push_back(std::move(view));
    detail->show();
    detail->showJob(id);
    const auto* idLabel = ui().id();
    const auto* state = ui().state();
    ASSERT_TRUE(until(
        [&] { return idLabel->text() == QString::fromStdString(id) && !state->text().isEmpty(); }));
}

bool DetailFixture::says(const DetailTable* table, const char* text)
{
    const auto* model = table->model();
    for (int row = 0; model != nullptr && row < model->rowCount(); ++row) {
        for (int column = 0; column < model->columnCount(); ++column) {
            if (model->index(row, column)
                    .data(Qt::DisplayRole)
                    .toString()
                    .contains(QString::fromUtf8(text))) {
                return true;
            }
        }
    }
    return false;
}

void DetailFixture::picture(const char* name) const
{
    turn();
    EXPECT_TRUE(detail->grab().save(screenFile(QString::fromLatin1(name))));
}

}  // namespace restante::gui::test
