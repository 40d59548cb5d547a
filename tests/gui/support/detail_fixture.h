#pragma once

#include "gui/actions/action_registry.h"
#include "gui/base/preferences.h"
#include "gui/session/store_session.h"
#include "tests/gui/support/fake_backend.h"
#include "tests/gui/support/job_detail_object.h"

#include <QTemporaryDir>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace restante::gui::test {

/// A JobDetail on a fake store.
class DetailFixture : public testing::Test {
protected:
    DetailFixture();

    /// A SIP message that is scheduled, due in an hour.
    JobView message(const std::string& id) const;
    /// Puts the job into the store and waits until the detail has it.
    void show(JobView view);
    JobDetailObject ui() const { return JobDetailObject(detail.get()); }
    /// Whether a cell of the table has the text.
    static bool says(const DetailTable* table, const char* text);
    /// Renders it to a file of the build folder, for people to look at.
    void picture(const char* name) const;

    QTemporaryDir home;
    Preferences preferences{home.filePath(QStringLiteral("admin.ini"))};
    ActionRegistry actions;
    std::unique_ptr<StoreSession> session;
    FakeBackend* fake = nullptr;
    std::unique_ptr<JobDetail> detail;
};

}  // namespace restante::gui::test
