#pragma once

#include "gui/session/secret_store.h"

#include <QMap>
#include <QTimer>

#include <optional>

namespace restante::gui::test {

/// A keychain that a test looks into, or that does not work.
class FakeSecrets final : public SecretStore {
public:
    void read(const QString& profileId, Answer<QString> answer) override
    {
        QTimer::singleShot(0, [this, profileId, answer = std::move(answer)] {
            if (broken || !kept.contains(profileId)) {
                answer(tl::unexpected(broken.value_or(QStringLiteral("there is none"))));
            } else {
                answer(kept.value(profileId));
            }
        });
    }
    void write(const QString& profileId, const QString& secret, Answer<void> answer) override
    {
        QTimer::singleShot(0, [this, profileId, secret, answer = std::move(answer)] {
            if (broken) {
                return answer(tl::unexpected(*broken));
            }
            kept[profileId] = secret;
            answer({});
        });
    }
    void remove(const QString& profileId) override { kept.remove(profileId); }

    QMap<QString, QString> kept;
    std::optional<QString> broken;  ///< why it does not work
};

}  // namespace restante::gui::test
