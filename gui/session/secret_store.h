#pragma once

#include <QObject>
#include <QString>
#include <tl/expected.hpp>

#include <functional>

namespace restante::gui {

/// Where passwords are kept: the desktop's keychain, or a fake in tests. Answers come later; a
/// problem is a sentence for people. A key is the id of a profile, with a suffix for its other
/// secrets. *Thread of the window.*
class SecretStore {
public:
    template <class T>
    using Answer = std::function<void(tl::expected<T, QString>)>;

    SecretStore() = default;
    SecretStore(const SecretStore&) = delete;
    SecretStore& operator=(const SecretStore&) = delete;
    virtual ~SecretStore() = default;

    virtual void read(const QString& key, Answer<QString> answer) = 0;
    virtual void write(const QString& key, const QString& secret, Answer<void> answer) = 0;
    /// Ignores failures.
    virtual void remove(const QString& key) = 0;
};

/// The keychain of the desktop (Secret Service, KWallet), through QtKeychain.
class Keychain final : public QObject, public SecretStore {
    Q_OBJECT

public:
    void read(const QString& key, Answer<QString> answer) override;
    void write(const QString& key, const QString& secret, Answer<void> answer) override;
    void remove(const QString& key) override;
};

}  // namespace restante::gui
