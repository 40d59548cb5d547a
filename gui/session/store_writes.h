#pragma once

#include "core/queue/job_import.h"
#include "gui/session/job_writer.h"
#include "gui/session/open_store.h"

#include <memory>
#include <string>

namespace restante::gui::writes {

using Store = std::shared_ptr<OpenStore>;

/// What a session writes besides bulk requests: checked, stored, and told when it is due. *One
/// loop*, the store's.
void push(const Store& store, PushOrder order, Done<Pushed> done);
void remind(const Store& store, reminder::ReminderRequest request, Done<Pushed> done);

struct Imported {
    JobView view;
    bool replace = false;
    std::string actor;
};
void import(const Store& store, Imported imported, Done<PushOutcome> done);
struct ImportedSetting {
    Exported setting;
    bool replace = false;
    std::string actor;
};
void importSetting(const Store& store, ImportedSetting imported, Done<PushOutcome> done);

}  // namespace restante::gui::writes
