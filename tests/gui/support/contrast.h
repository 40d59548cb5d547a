#pragma once

#include <QColor>
#include <QImage>

namespace restante::gui::test {

/// WCAG 2.1: how well text is read (1.4.3), and how well a drawing or a disabled text is seen
/// (1.4.11).
inline constexpr double kReadable = 4.5;
inline constexpr double kSeen = 3.0;

/// WCAG 2.1: relative luminance of a colour, 0 to 1, and the contrast of two, 1 to 21.
double luminance(const QColor& color);
double contrast(const QColor& a, const QColor& b);

/// CIE 1976: how far two colours are from each other for the eye. About 2 is just seen.
double distance(const QColor& a, const QColor& b);

/// The colour as who has no receptor for green sees it (Viénot, Brettel and Mollon, 1999).
QColor withoutGreen(const QColor& color);

/// What a picture is painted on, its most frequent colour; and the colour that stands out most.
struct Painted {
    QColor background;
    QColor foreground;
    double contrast = 1;
};
Painted painted(const QImage& picture);

/// The share of points, 0 to 1, that two drawings of one size do not have in common in greyscale.
double differenceInGrey(const QImage& a, const QImage& b);

}  // namespace restante::gui::test
