#include "gui/session/store_line.h"

#include <QCoreApplication>

namespace restante::gui {

StoreLine::StoreLine(QObject& receiver, std::unique_ptr<StoreOpener> opener, Told told)
    : window_(std::make_shared<WindowPost>(receiver)),
      told_(std::move(told)),
      room_(std::make_shared<std::unique_ptr<StoreRoom>>())
{
    StoreRoom::Told back;
    back.link = [this, window = window_](const LinkReport& report) {
        (*window)([this, report] { told_.link(report); });
    };
    back.changed = [this, window = window_](ChangeBatch batch) {
        (*window)([this, batch = std::move(batch)] { told_.changed(batch); });
    };
    auto* loop = &thread_.loop();
    thread_.post([room = room_, loop, back = std::move(back),
                  opener = std::make_shared<std::unique_ptr<StoreOpener>>(std::move(opener))] {
        *room = std::make_unique<StoreRoom>(*loop, std::move(*opener), back);
        (*room)->open();
    });
}

StoreLine::~StoreLine()
{
    window_->close();
    thread_.post([room = room_] { room->reset(); });
}

void StoreLine::post(std::function<void(StoreRoom&)> task)
{
    thread_.post([room = room_, task = std::move(task)] {
        if (*room) {
            task(**room);
        }
    });
}

void StoreLine::sayInWindowsLanguage(Error& error)
{
    // What comes from the store itself is no source text of ours, and stays as it is.
    error.message =
        QCoreApplication::translate("StoreProblem", error.message.c_str()).toStdString();
}

void StoreLine::deliver(Ticket ticket, void* result)
{
    const auto found = waiting_.find(ticket);
    if (found == waiting_.end()) {
        return;  // cancelled
    }
    const auto take = std::move(found->second.take);
    waiting_.erase(found);
    take(result);
}

Ticket StoreLine::order(Order order,
                        std::string actor,
                        std::function<void(const Progress&)> progress,
                        Reply<BulkReport> reply)
{
    const auto receiver = reply.receiver;
    const auto ticket = expect(std::move(reply));
    waiting_[ticket].progress = [receiver, progress = std::move(progress)](const Progress& told) {
        if (receiver != nullptr && progress) {
            progress(told);
        }
    };
    const auto tell = [this, ticket, window = window_](const Progress& told) {
        (*window)([this, ticket, told] {
            if (const auto found = waiting_.find(ticket); found != waiting_.end()) {
                // A copy: it may cancel itself.
                const auto tellNow = found->second.progress;
                tellNow(told);
            }
        });
    };
    post([ticket, order = std::move(order), actor = std::move(actor), tell,
          answer = answerer<BulkReport>(ticket)](StoreRoom& room) {
        room.order(ticket, order, actor, tell, answer);
    });
    return ticket;
}

void StoreLine::stop(Ticket ticket)
{
    post([ticket](StoreRoom& room) { room.stop(ticket); });
}

void StoreLine::cancel(Ticket ticket)
{
    if (const auto found = waiting_.find(ticket); found != waiting_.end()) {
        *found->second.unwanted = true;
        waiting_.erase(found);
    }
}

void StoreLine::reopen()
{
    post([](StoreRoom& room) { room.open(); });
}

}  // namespace restante::gui
