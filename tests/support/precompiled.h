#pragma once

// What nearly every test includes, parsed once; nobody includes this by hand.
#include "core/base/precompiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
