#include "tests/gui/support/contrast.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

namespace restante::gui::test {

namespace {

using Triple = std::array<double, 3>;

Triple linear(const QColor& color)
{
    const auto part = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return {part(color.redF()), part(color.greenF()), part(color.blueF())};
}

/// CIE L*a*b* under daylight (D65).
Triple lab(const QColor& color)
{
    const auto [r, g, b] = linear(color);
    const auto part = [](double value) {
        return value > 0.008856 ? std::cbrt(value) : 7.787 * value + 16.0 / 116;
    };
    const auto x = part((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
    const auto y = part(0.2126 * r + 0.7152 * g + 0.0722 * b);
    const auto z = part((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

double luminance(const QColor& color)
{
    const auto [r, g, b] = linear(color);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

double contrast(const QColor& a, const QColor& b)
{
    const auto one = luminance(a);
    const auto other = luminance(b);
    return ((one > other ? one : other) + 0.05) / ((one > other ? other : one) + 0.05);
}

double distance(const QColor& a, const QColor& b)
{
    const auto one = lab(a);
    const auto other = lab(b);
    return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

QColor withoutGreen(const QColor& color)
{
    const auto [r, g, b] = linear(color);
    const auto shown = [](double value) {
        const auto held = std::clamp(value, 0.0, 1.0);
        return static_cast<float>(held <= 0.0031308 ? held * 12.92
                                                    : 1.055 * std::pow(held, 1 / 2.4) - 0.055);
    };
    const auto redAndGreen = shown(0.29275 * r + 0.70725 * g);
    return QColor::fromRgbF(redAndGreen, redAndGreen, shown(-0.02234 * r + 0.02234 * g + 1.0 * b));
}

Painted painted(const QImage& picture)
{
    std::map<QRgb, int> count;
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            ++count[picture.pixel(x, y)];
        }
    }
    Painted found;
    int most = 0;
    for (const auto& [color, times] : count) {
        if (times > most) {
            most = times;
            found.background = QColor(color);
        }
    }
    for (const auto& [color, times] : count) {
        if (const auto value = contrast(QColor(color), found.background); value > found.contrast) {
            found.contrast = value;
            found.foreground = QColor(color);
        }
    }
    return found;
}

double differenceInGrey(const QImage& a, const QImage& b)
{
    const auto one = a.convertToFormat(QImage::Format_Grayscale8);
    const auto other = b.convertToFormat(QImage::Format_Grayscale8);
    constexpr int kSeenStep = 64;  // a quarter of the way from black to white
    int unlike = 0;
    for (int y = 0; y < one.height(); ++y) {
        for (int x = 0; x < one.width(); ++x) {
            unlike += std::abs(qGray(one.pixel(x, y)) - qGray(other.pixel(x, y))) >= kSeenStep;
        }
    }
    return double(unlike) / (double(one.width()) * one.height());
}

}  // namespace restante::gui::test
