#pragma once

#include "gui/session/secret_store.h"

#include <QMap>
#include <QTimer>

#include <optional>

namespace restante::gui::test {

/// A keychain that a test looks into, or that does not work.
class FakeSecrets final : public SecretStore {
public:
    void read(const QString& key, Answer<QString> answer) override
    {
        QTimer::singleShot(0, [this, key, answer = std::move(answer)] {
            if (broken || !kept.contains(key)) {
                answer(tl::unexpected(broken.value_or(QStringLiteral("there is none"))));
            } else {
                answer(kept.value(key));
            }
        });
    }
    void write(const QString& key, const QString& secret, Answer<void> answer) override
    {
        QTimer::singleShot(0, [this, key, secret, answer = std::move(answer)] {
            if (broken) {
                return answer(tl::unexpected(*broken));
            }
            kept[key] = secret;
            answer({});
        });
    }
    void remove(const QString& key) override { kept.remove(key); }

    QMap<QString, QString> kept;
    std::optional<QString> broken;  ///< why it does not work
};

}  // namespace restante::gui::test
