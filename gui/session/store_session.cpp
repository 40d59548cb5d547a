#include "gui/session/store_session.h"

#include "gui/session/demo_opener.h"
#include "gui/session/redis_opener.h"
#include "gui/session/store_backend.h"

#include <QCoreApplication>

namespace restante::gui {

std::unique_ptr<StoreOpener> openerFor(const ConnectionProfile& profile, const QString& password)
{
    if (profile.kind == ConnectionProfile::Kind::Demo) {
        return demoOpener();
    }
    return std::make_unique<RedisOpener>(profile, password);
}

std::unique_ptr<StoreSession> openSession(ConnectionProfile profile, const QString& password)
{
    auto backend = std::make_unique<StoreBackend>(openerFor(profile, password));
    return std::make_unique<StoreSession>(std::move(profile), std::move(backend));
}

ConnectionProfile demoProfile()
{
    ConnectionProfile profile;
    profile.id = QStringLiteral("demo");
    profile.name = QCoreApplication::translate("SessionOpening", "Demo");
    profile.kind = ConnectionProfile::Kind::Demo;
    return profile;
}

}  // namespace restante::gui
