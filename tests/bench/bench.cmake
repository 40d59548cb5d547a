# The benchmarks: one program, one table. `cmake --build --preset release --target bench` runs it.
file(GLOB bench_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bench/*.cpp)
if(bench_sources AND TARGET restante_sip AND TARGET restanted)
    add_executable(restante-bench ${bench_sources})
    target_link_libraries(restante-bench PRIVATE
        restante_test_support restante_sip restante_journal restante_core Boost::headers nlohmann_json::nlohmann_json Threads::Threads CLI11::CLI11 PkgConfig::HIREDIS PkgConfig::SOFIA)
    add_custom_target(bench
        COMMAND restante-bench --restanted $<TARGET_FILE:restanted> DEPENDS restanted USES_TERMINAL)
endif()
