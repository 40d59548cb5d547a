# The benchmarks: one program, one table. `cmake --build --preset release --target bench` runs it
# and compares the CPU time of an operation with the table in docs/benchmarks.md.
file(GLOB bench_table_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/table/*.cpp)
file(GLOB bench_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/*.cpp)
# What needs no server, and what starts them and counts their CPU: the unit tests have it, too.
set(bench_parts ${bench_table_sources})
foreach(part cpu_meter program server)
    list(APPEND bench_parts ${CMAKE_CURRENT_SOURCE_DIR}/bench/${part}.cpp)
endforeach()
list(REMOVE_ITEM bench_sources ${bench_parts})
add_library(restante_bench_parts STATIC ${bench_parts})
target_link_libraries(restante_bench_parts PUBLIC restante_test_support restante_core)
restante_add_tests(bench_tests bench/unit LABELS unit LIBRARIES restante_bench_parts)

if(bench_sources AND TARGET restante_sip AND TARGET restanted)
    add_executable(restante-bench ${bench_sources})
    target_link_libraries(restante-bench PRIVATE restante_bench_parts
        restante_test_support restante_sip restante_journal restante_core Boost::headers nlohmann_json::nlohmann_json Threads::Threads CLI11::CLI11 PkgConfig::HIREDIS PkgConfig::SOFIA)
    add_custom_target(bench
        COMMAND ${CMAKE_COMMAND} -E env RESTANTE_SOURCE_DIR=${CMAKE_SOURCE_DIR}
            $<TARGET_FILE:restante-bench> --restanted $<TARGET_FILE:restanted> --table ${CMAKE_SOURCE_DIR}/docs/benchmarks.md
        USES_TERMINAL)
    add_dependencies(bench restante-bench restanted)
endif()
if(TARGET restante_journal)
    add_executable(restante-journal-cost ${CMAKE_CURRENT_SOURCE_DIR}/bench/cost/journal_cost.cpp)
    target_link_libraries(restante-journal-cost PRIVATE
        restante_test_support restante_journal restante_core CLI11::CLI11 SQLite::SQLite3)
endif()
