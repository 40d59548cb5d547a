#include "gui/session/store_client.h"

#include <QCoreApplication>

namespace restante::gui {

StoreClient::StoreClient(QObject& receiver,
                         std::unique_ptr<StoreOpener> opener,
                         Callbacks callbacks)
    : window_(std::make_shared<GuiThreadInvoker>(receiver)),
      callbacks_(std::move(callbacks)),
      worker_(std::make_shared<std::unique_ptr<StoreWorker>>())
{
    StoreWorker::Callbacks back;
    back.link = [this, window = window_](const LinkReport& report) {
        (*window)([this, report] { callbacks_.link(report); });
    };
    back.changed = [this, window = window_](ChangeBatch batch) {
        (*window)([this, batch = std::move(batch)] { callbacks_.changed(batch); });
    };
    auto* loop = &thread_.loop();
    thread_.post([worker = worker_, loop, back = std::move(back),
                  opener = std::make_shared<std::unique_ptr<StoreOpener>>(std::move(opener))] {
        *worker = std::make_unique<StoreWorker>(*loop, std::move(*opener), back);
        (*worker)->open();
    });
}

StoreClient::~StoreClient()
{
    window_->close();
    thread_.post([worker = worker_] { worker->reset(); });
}

void StoreClient::post(std::function<void(StoreWorker&)> task)
{
    thread_.post([worker = worker_, task = std::move(task)] {
        if (*worker) {
            task(**worker);
        }
    });
}

void StoreClient::sayInWindowsLanguage(Error& error)
{
    // What comes from the store itself is no source text of ours, and stays as it is.
    error.message =
        QCoreApplication::translate("StoreProblem", error.message.c_str()).toStdString();
}

void StoreClient::deliver(Ticket ticket, void* result)
{
    const auto found = waiting_.find(ticket);
    if (found == waiting_.end()) {
        return;  // cancelled
    }
    const auto take = std::move(found->second.take);
    waiting_.erase(found);
    take(result);
}

Ticket StoreClient::act(BulkRequest request,
                        std::string actor,
                        std::function<void(const Progress&)> progress,
                        Reply<BulkReport> reply)
{
    const auto receiver = reply.receiver;
    const auto ticket = expect(std::move(reply));
    waiting_[ticket].progress = [receiver,
                                 progress = std::move(progress)](const Progress& callbacks) {
        if (receiver != nullptr && progress) {
            progress(callbacks);
        }
    };
    const auto tell = [this, ticket, window = window_](const Progress& callbacks) {
        (*window)([this, ticket, callbacks] {
            if (const auto found = waiting_.find(ticket); found != waiting_.end()) {
                // A copy: it may cancel itself.
                const auto tellNow = found->second.progress;
                tellNow(callbacks);
            }
        });
    };
    post([ticket, request = std::move(request), actor = std::move(actor), tell,
          answer = answerer<BulkReport>(ticket)](StoreWorker& worker) {
        worker.act(ticket, request, actor, tell, answer);
    });
    return ticket;
}

void StoreClient::stop(Ticket ticket)
{
    post([ticket](StoreWorker& worker) { worker.stop(ticket); });
}

void StoreClient::cancel(Ticket ticket)
{
    if (const auto found = waiting_.find(ticket); found != waiting_.end()) {
        *found->second.unwanted = true;
        waiting_.erase(found);
    }
}

void StoreClient::reopen()
{
    post([](StoreWorker& worker) { worker.open(); });
}

}  // namespace restante::gui
