#pragma once

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/pages/jobs/jobs_table.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/jobs_page_object.h"
#include "tests/gui/support/wait.h"
#include "tests/support/temp_dir.h"

#include <QTemporaryDir>

#include <functional>
#include <memory>

namespace restante::gui::test {

/// The page of jobs in a window of its own, before a store that is a fake.
struct JobsPageFixture {
    explicit JobsPageFixture(const std::function<void(FakeBackend&)>& prepare = {},
                             ConnectionProfile profile = {})
    {
        auto backend = std::make_unique<FakeBackend>();
        fake = backend.get();
        if (prepare) {
            prepare(*fake);
        }
        session = std::make_unique<StoreSession>(std::move(profile), std::move(backend));
        page.resize(1'200, 700);
        page.show();
    }
    JobsPageFixture(const JobsPageFixture&) = delete;
    JobsPageFixture& operator=(const JobsPageFixture&) = delete;
    ~JobsPageFixture() { page.open(nullptr); }

    void open() { page.open(session.get()); }
    /// Opens it and waits for the first rows.
    bool opened()
    {
        open();
        return until([&] { return page.feed().answered(); });
    }
    bool settled()
    {
        turn();
        return until([&] { return !page.feed().busy(); });
    }
    /// The id of a row that has been loaded; else empty.
    std::string idAt(std::uint64_t row)
    {
        const auto* found = page.feed().row(row);
        return found == nullptr ? std::string() : found->id;
    }
    JobsTable& table() { return page.table(); }
    JobsPageObject ui() { return JobsPageObject(page); }

    /// Each change is forced to the disk on the window's thread.
    restante::test::TempDir memory{restante::test::TempDir::Where::Memory};
    Preferences preferences{QString::fromStdString((memory / "admin.ini").string())};
    ActionRegistry actions;
    JobsPage page{Context{actions, preferences}};
    FakeBackend* fake = nullptr;
    std::unique_ptr<StoreSession> session;
};

/// Marks that row, or takes its mark away.
inline void toggle(JobsPageFixture& fixture, int row)
{
    fixture.table().jobsSelection().select(fixture.table().model()->index(row, 1),
                                           QItemSelectionModel::Toggle | QItemSelectionModel::Rows);
}

}  // namespace restante::gui::test
