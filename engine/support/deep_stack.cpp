#include "engine/support/deep_stack.hpp"

#include <exception>
#include <pthread.h>

namespace irrewrite {

namespace {

struct Task {
    FunctionRef<void()> work;
    std::exception_ptr failed{};
};

void* perform(void* given) {
    Task& task = *static_cast<Task*>(given);
    try {
        task.work();
    } catch (...) {
        task.failed = std::current_exception();
    }
    return nullptr;
}

} // namespace

bool run_on_stack(std::size_t bytes, FunctionRef<void()> work) {
    Task task{work};
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_t thread{};
    const bool runs =
        pthread_attr_setstacksize(&attributes, bytes) == 0 && pthread_create(&thread, &attributes, perform, &task) == 0;
    pthread_attr_destroy(&attributes);
    if (!runs) return false;
    pthread_join(thread, nullptr);
    if (task.failed) std::rethrow_exception(task.failed);
    return true;
}

} // namespace irrewrite
