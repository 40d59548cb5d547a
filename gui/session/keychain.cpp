#include "gui/session/secret_store.h"

#include <qt6keychain/keychain.h>

namespace restante::gui {

namespace {

const QString kService = QStringLiteral("restante-admin");

QString sentenceOf(const QKeychain::Job& job)
{
    using Error = QKeychain::Error;
    switch (job.error()) {
    case Error::EntryNotFound:
        return Keychain::tr("The keychain has no password for this connection.");
    case Error::AccessDenied:
    case Error::AccessDeniedByUser: return Keychain::tr("The keychain was not unlocked.");
    case Error::NoBackendAvailable:
    case Error::NotImplemented:
        return Keychain::tr("No keychain is running in this session (Secret Service or KWallet).");
    default:
        // What a missing service says differs with the desktop, and is not translated.
        return Keychain::tr("The keychain cannot be used: %1").arg(job.errorString());
    }
}

}  // namespace

void Keychain::read(const QString& key, Answer<QString> answer)
{
    auto* job = new QKeychain::ReadPasswordJob(kService, this);
    job->setKey(key);
    connect(job, &QKeychain::Job::finished, this, [job, answer = std::move(answer)] {
        if (job->error() == QKeychain::NoError) {
            answer(job->textData());
        } else {
            answer(tl::unexpected(sentenceOf(*job)));
        }
    });
    job->start();
}

void Keychain::write(const QString& key, const QString& secret, Answer<void> answer)
{
    auto* job = new QKeychain::WritePasswordJob(kService, this);
    job->setKey(key);
    job->setTextData(secret);
    connect(job, &QKeychain::Job::finished, this, [job, answer = std::move(answer)] {
        if (job->error() == QKeychain::NoError) {
            answer({});
        } else {
            answer(tl::unexpected(sentenceOf(*job)));
        }
    });
    job->start();
}

void Keychain::remove(const QString& key)
{
    auto* job = new QKeychain::DeletePasswordJob(kService, this);
    job->setKey(key);
    job->start();
}

}  // namespace restante::gui
