#include "gui/base/charset.h"

#include <QStringDecoder>

namespace restante::gui {

bool isUtf8OrAscii(const QString& charset)
{
    return charset.compare(QLatin1String("UTF-8"), Qt::CaseInsensitive) == 0 ||
           charset.compare(QLatin1String("US-ASCII"), Qt::CaseInsensitive) == 0;
}

QString decodeText(const std::string& bytes, const QString& charset)
{
    QStringDecoder decoder(charset.toLatin1().constData(), QStringDecoder::Flag::Stateless);
    if (isUtf8OrAscii(charset) || !decoder.isValid()) {
        return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
    }
    return decoder(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
}

}  // namespace restante::gui
