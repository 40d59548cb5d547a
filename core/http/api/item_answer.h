#pragma once

#include "core/http/api/v1_api.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace restante::http {

/// What became of one job of a request. *Value.*
struct ItemAnswer {
    int status = 0;
    std::shared_ptr<nlohmann::json> document = {};  ///< of a refusal a problem; never null
    std::vector<Header> headers = {};               ///< of a refusal: Retry-After
};

using Answer = std::function<void(ItemAnswer)>;

ItemAnswer itemOf(int status, nlohmann::json document);
ItemAnswer itemOf(const Response& refusal);

/// Of a request about one job: the answer is that of the request.
Response responseOf(const ItemAnswer& answer);
Answer answeringWith(HttpCallPtr call);

/// Of an array: each item's answer in its place, with its status, all together when the last is in.
/// The status of the whole: 201 when all are new, 200 when
/// all are done, 207 when one was refused. Shared by the answers that are missing. *One loop.*
class ArrayAnswer {
public:
    ArrayAnswer(HttpCallPtr call, std::size_t items);

    /// Takes the answer of one item; once for each.
    static Answer placing(std::shared_ptr<ArrayAnswer> answers, std::size_t index);

private:
    void take(std::size_t index, ItemAnswer answer);

    HttpCallPtr call_;
    std::vector<ItemAnswer> items_;
    std::size_t missing_;
};

/// How a job stands, without its body: id, topic, channel, state, attempt, due, last_error.
nlohmann::json standingOf(const JobView& view);

/// After a move of job `id`: answers how the job stands now, or the refusal of the move.
Done<void> thenStanding(const V1Services& services, std::string id, Answer answer);

}  // namespace restante::http
