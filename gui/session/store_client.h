#pragma once

#include "gui/session/store_thread.h"
#include "gui/session/store_worker.h"

#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

namespace restante::gui {

/// The line between the window and the thread that has the store: questions go over it with a
/// ticket, and the answers find whoever waits. Replies never leave the window's thread. *Thread of
/// the window.*
class StoreClient {
public:
    struct Callbacks {
        std::function<void(const LinkReport&)> link;
        std::function<void(const ChangeBatch&)> changed;
    };

    /// `receiver` lives at least as long; `callbacks` is called on its thread.
    StoreClient(QObject& receiver, std::unique_ptr<StoreOpener> opener, Callbacks callbacks);
    ~StoreClient();

    using Store = std::shared_ptr<OpenStore>;

    template <class T>
    Ticket ask(Reply<T> reply, std::function<void(const Store&, Done<T>)> work)
    {
        const auto ticket = expect(std::move(reply));
        post([ticket, unwanted = waiting_[ticket].unwanted, answer = answerer<T>(ticket),
              work = std::move(work)](StoreWorker& worker) {
            worker.ask(ticket, unwanted, asking<T>(work, answer),
                       [answer](const Error& why) { answer(tl::unexpected<Error>(why)); });
        });
        return ticket;
    }

    /// A write: it goes ahead of the questions, and is not cancelled.
    template <class T>
    Ticket write(Reply<T> reply, std::function<void(const Store&, Done<T>)> work)
    {
        const auto ticket = expect(std::move(reply));
        post([ticket, answer = answerer<T>(ticket), work = std::move(work)](StoreWorker& worker) {
            worker.write(ticket, asking<T>(work, answer),
                         [answer](const Error& why) { answer(tl::unexpected<Error>(why)); });
        });
        return ticket;
    }

    Ticket act(BulkRequest request,
               std::string actor,
               std::function<void(const Progress&)> progress,
               Reply<BulkReport> reply);
    void stop(Ticket ticket);
    void cancel(Ticket ticket);
    void reopen();

private:
    struct Waiting {
        Unwanted unwanted;
        std::function<void(void* result)> take;  ///< a Result<T>
        std::function<void(const Progress&)> progress;
    };

    template <class T>
    Ticket expect(Reply<T> reply)
    {
        const auto ticket = ++lastTicket_;
        waiting_.emplace(ticket, Waiting{std::make_shared<std::atomic<bool>>(false),
                                         [reply = std::move(reply)](void* result) {
                                             auto& answer = *static_cast<Result<T>*>(result);
                                             if (!answer) {
                                                 sayInWindowsLanguage(answer.error());
                                             }
                                             reply(std::move(answer));
                                         },
                                         {}});
        return ticket;
    }

    template <class T>
    static StoreWorker::Ask asking(const std::function<void(const Store&, Done<T>)>& work,
                                   const Done<T>& answer)
    {
        return [work, answer](const Store& store, std::function<void()> answered) {
            work(store, [answer, answered = std::move(answered)](Result<T> result) {
                answer(std::move(result));
                answered();
            });
        };
    }

    /// To be called on the store's thread.
    template <class T>
    Done<T> answerer(Ticket ticket)
    {
        return [this, ticket, window = window_](Result<T> result) {
            // Shared, because a closure must be copyable and a result may be large.
            auto boxed = std::make_shared<Result<T>>(std::move(result));
            (*window)([this, ticket, boxed] { deliver(ticket, boxed.get()); });
        };
    }

    void deliver(Ticket ticket, void* result);
    /// What this side of the store says by itself, without knowing the language of the window.
    static void sayInWindowsLanguage(Error& error);
    void post(std::function<void(StoreWorker&)> task);

    std::shared_ptr<GuiThreadInvoker> window_;
    Callbacks callbacks_;
    Ticket lastTicket_ = 0;
    std::unordered_map<Ticket, Waiting> waiting_;
    std::shared_ptr<std::unique_ptr<StoreWorker>>
        worker_;  ///< what it holds: the store's thread only
    StoreThread thread_;
};

}  // namespace restante::gui
