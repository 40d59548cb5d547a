#include "core/redis/store/page_cursor.h"

#include "core/base/text.h"
#include "core/job/job_id.h"

#include <fmt/format.h>

namespace restante::redis {

std::string PageCursor::print() const
{
    return fmt::format("{} {} {}", name(state), score, id);
}

Result<PageCursor> PageCursor::parse(std::string_view text)
{
    const auto first = text.find(' ');
    const auto second = first == std::string_view::npos ? first : text.find(' ', first + 1);
    if (second != std::string_view::npos) {
        const auto state = jobStateNamed(text.substr(0, first));
        std::string score(text.substr(first + 1, second - first - 1));
        const bool fromBeginning = score.empty() && second + 1 == text.size();
        if (state && fromBeginning) {
            return PageCursor{*state, {}, {}};
        }
        auto id = checkedJobId(text.substr(second + 1));
        if (state && wholeNumber<double>(score) && id) {
            return PageCursor{*state, std::move(score), std::move(*id)};
        }
    }
    return failure(ErrorCode::Invalid,
                   "cursor: is not one that a page has given; ask for the first page without one");
}

}  // namespace restante::redis
