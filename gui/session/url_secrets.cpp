#include "gui/session/url_secrets.h"

#include <QStringList>
#include <QUrl>

#include <algorithm>

namespace restante::gui {

namespace {

/// Whether an option's value is nobody's business, by its name. `passfile` names a file.
bool isSecret(const QString& option)
{
    const auto name = QUrl::fromPercentEncoding(option.section(u'=', 0, 0).toUtf8()).toLower();
    const auto has = [&name](const char* word) { return name.contains(QLatin1String(word)); };
    return has("password") || has("passwd") || has("secret") || has("token") || name == u"pass" ||
           name == u"pwd";
}

/// "a", "a:1", "[::1]:1", or some of them: what is behind a colon is a port, for it has digits
/// only.
bool areHosts(const QString& authority)
{
    const auto hosts = authority.split(u',');
    return std::all_of(hosts.begin(), hosts.end(), [](const QString& host) {
        const auto colon = host.indexOf(u':');
        const auto port = colon < 0 ? QString() : host.mid(colon + 1);
        return host.startsWith(u'[') ||
               std::all_of(port.begin(), port.end(), [](QChar one) { return one.isDigit(); });
    });
}

/// "user:password@host:port" without the password.
QString ofAccount(const QString& rest)
{
    const auto authority =
        rest.left(std::min({rest.size(), rest.indexOf(u'/') < 0 ? rest.size() : rest.indexOf(u'/'),
                            rest.indexOf(u'?') < 0 ? rest.size() : rest.indexOf(u'?')}));
    const auto at = authority.lastIndexOf(u'@');
    if (at >= 0) {
        const auto colon = authority.indexOf(u':');
        return colon >= 0 && colon < at ? rest.left(colon) + rest.mid(at) : rest;
    }
    // A password with a slash in it ends the authority too early.
    const auto later = rest.lastIndexOf(u'@');
    const auto colon = authority.indexOf(u':');
    if (colon < 0 || later < 0 || areHosts(authority)) {
        return rest;
    }
    return rest.left(colon) + rest.mid(later);
}

}  // namespace

QString withoutSecrets(const QString& url)
{
    const auto scheme = url.indexOf(QLatin1String("://"));
    if (scheme < 0) {
        return url;
    }
    const auto rest = ofAccount(url.mid(scheme + 3));
    const auto mark = rest.indexOf(u'?');
    if (mark < 0) {
        return url.left(scheme + 3) + rest;
    }
    auto options = rest.mid(mark + 1).split(u'&');
    options.erase(std::remove_if(options.begin(), options.end(), isSecret), options.end());
    return url.left(scheme + 3) + rest.left(mark) +
           (options.isEmpty() ? QString() : u'?' + options.join(u'&'));
}

}  // namespace restante::gui
