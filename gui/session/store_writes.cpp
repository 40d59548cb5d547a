#include "gui/session/store_writes.h"

#include "core/queue/job_import.h"
#include "core/reminder/reminders.h"

#include <QtGlobal>

#include <utility>

namespace restante::gui::writes {

void push(const Store& store, PushOrder order, Done<Pushed> done)
{
    store->queue().push(std::move(order), [weak = std::weak_ptr(store),
                                           done = std::move(done)](Result<PushOutcome> outcome) {
        if (!outcome) {
            return done(tl::unexpected<Error>(outcome.error()));
        }
        const auto open = weak.lock();
        if (!open) {
            return done(failure(
                ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("StoreProblem", "stored, but the connection was closed since")));
        }
        // When it is due is what the store says, not what was asked for.
        open->inspector().show(outcome->id,
                               [done, outcome = *outcome](const Result<JobView>& view) {
                                   Pushed pushed;
                                   pushed.ids = {outcome.id};
                                   pushed.dues = {view ? view->due : TimePoint{}};
                                   pushed.alreadyThere = outcome.status == PushStatus::AlreadyThere;
                                   done(std::move(pushed));
                               });
    });
}

void remind(const Store& store, reminder::ReminderRequest request, Done<Pushed> done)
{
    auto reminders = std::make_shared<reminder::Reminders>(store->queue(), store->inspector(),
                                                           reminder::settingsOf(store->config()));
    auto& maker = *reminders;
    maker.create(std::move(request),
                 [reminders, done = std::move(done)](const Result<reminder::Created>& created) {
                     if (!created) {
                         return done(tl::unexpected<Error>(created.error()));
                     }
                     Pushed pushed;
                     for (const auto& run : created->runs) {
                         pushed.ids.push_back(run.id);
                         pushed.dues.push_back(run.due);
                     }
                     pushed.alreadyThere = created->status == PushStatus::AlreadyThere;
                     done(std::move(pushed));
                 });
}

void import(const Store& store, Imported imported, Done<PushOutcome> done)
{
    auto& queue = store->queue();
    if (!isForStore(imported.view)) {
        return done(failure(
            ErrorCode::Invalid,
            QT_TRANSLATE_NOOP("StoreProblem", "state: a job that is done is not stored again")));
    }
    if (auto sound = checkImport(imported.view, queue.settings()); !sound) {
        return done(tl::unexpected<Error>(sound.error()));
    }
    const OperatorAction who{imported.view.job.id, imported.actor, {}};
    importJob(queue.store(), std::move(imported.view),
              imported.replace ? Import::ReplaceOthers : Import::KeepOthers, who, std::move(done));
}

void importSetting(const Store& store, ImportedSetting imported, Done<PushOutcome> done)
{
    auto& queue = store->queue();
    const auto sound = std::visit(
        [&](const auto& value) { return checkImport(value, queue.settings()); }, imported.setting);
    if (!sound) {
        return done(tl::unexpected<Error>(sound.error()));
    }
    if (auto* once = std::get_if<OnceKey>(&imported.setting)) {
        return queue.store().importOnce(std::move(*once), std::move(done));
    }
    if (auto* topic = std::get_if<TopicSetting>(&imported.setting)) {
        return importTopic(queue.store(), store->inspector(), std::move(*topic),
                           imported.replace ? Import::ReplaceOthers : Import::KeepOthers,
                           {{}, imported.actor, {}}, std::move(done));
    }
    import(store,
           {std::move(std::get<JobView>(imported.setting)), imported.replace, imported.actor},
           std::move(done));
}

}  // namespace restante::gui::writes
