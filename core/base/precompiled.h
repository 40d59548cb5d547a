#pragma once

// The headers that nearly every file of the core and of the SIP plugin includes, parsed once for
// each library. The build includes this file; no source does. Nothing of ours is in it: a change
// here compiles everything again.
#include <tl/expected.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
