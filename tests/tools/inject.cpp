// A library to be loaded before others (LD_PRELOAD): the k-th call of a function of the C library fails. INJECT names the function and
// k, "read:3"; "write:1=15" sends signal 15 before that call instead; with INJECT_CHILD in
// the environment only in processes that are forked. INJECT_COUNT a file to which the process appends how often it called each, instead.
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

enum Call { Read, Write, Open, Rename, Close, Sync, Malloc, Map, Thread, Protect, Fork, Pipe, calls };
constexpr std::array<const char*, calls> names = {"read",   "write", "open",   "rename",   "close", "fsync",
                                                  "malloc", "mmap",  "thread", "mprotect", "fork",  "pipe"};
constexpr std::array<int, calls> errors = {EIO,    ENOSPC, EMFILE, EXDEV,  EIO,    EIO,
                                           ENOMEM, ENOMEM, EAGAIN, ENOMEM, EAGAIN, EMFILE};

std::array<std::atomic<long>, calls> counts;
Call wanted = calls;
long at = 0;
int signal_there = 0;
bool children_only = false;
pid_t first = 0;

bool fails(Call call) {
    const long count = ++counts[call];
    if (call != wanted || count != at || (children_only && getpid() == first)) return false;
    if (signal_there) return raise(signal_there), false;
    errno = errors[call];
    return true;
}

template <class Function> Function next(const char* name) { return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name)); }

struct Setup {
    Setup() {
        const char* which = std::getenv("INJECT");
        children_only = std::getenv("INJECT_CHILD") != nullptr, first = getpid();
        for (int call = 0; which && call < calls; ++call) {
            const std::size_t size = std::strlen(names[call]);
            if (std::strncmp(which, names[call], size) == 0 && which[size] == ':')
                wanted = static_cast<Call>(call), at = std::atol(which + size + 1);
            if (const char* signal = wanted == call ? std::strchr(which, '=') : nullptr)
                signal_there = std::atoi(signal + 1);
        }
        for (std::atomic<long>& count : counts) count = 0;
    }
    ~Setup() {
        const char* path = std::getenv("INJECT_COUNT");
        if (!path) return;
        std::array<char, 64 * calls> text{};
        int size = 0;
        for (int call = 0; call < calls; ++call)
            size += std::snprintf(text.data() + size, 64, "%s %ld\n", names[call], counts[call].load());
        const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
        if (file >= 0 && next<ssize_t (*)(int, const void*, std::size_t)>("write")(file, text.data(), size) < 0)
            std::abort();
    }
};
const Setup setup;

} // namespace

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);

void* malloc(std::size_t size) { return fails(Malloc) ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return fails(Malloc) ? nullptr : __libc_calloc(count, size); }
void* realloc(void* memory, std::size_t size) { return fails(Malloc) ? nullptr : __libc_realloc(memory, size); }

ssize_t read(int file, void* bytes, std::size_t size) {
    return fails(Read) ? -1 : next<ssize_t (*)(int, void*, std::size_t)>("read")(file, bytes, size);
}
ssize_t write(int file, const void* bytes, std::size_t size) {
    return fails(Write) ? -1 : next<ssize_t (*)(int, const void*, std::size_t)>("write")(file, bytes, size);
}
ssize_t writev(int file, const iovec* parts, int count) {
    return fails(Write) ? -1 : next<ssize_t (*)(int, const iovec*, int)>("writev")(file, parts, count);
}
FILE* fopen(const char* path, const char* mode) {
    return fails(Open) ? nullptr : next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
    return fails(Open) ? nullptr : next<FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
}
int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return fails(Open) ? -1 : next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}
int rename(const char* from, const char* to) {
    return fails(Rename) ? -1 : next<int (*)(const char*, const char*)>("rename")(from, to);
}
int close(int file) {
    const int done = next<int (*)(int)>("close")(file);
    return fails(Close) ? -1 : done; // the file is closed, and what was written is lost
}
int fsync(int file) { return fails(Sync) ? -1 : next<int (*)(int)>("fsync")(file); }
void* mmap(void* where, std::size_t size, int protection, int flags, int file, off_t offset) {
    if (fails(Map)) return MAP_FAILED;
    return next<void* (*)(void*, std::size_t, int, int, int, off_t)>("mmap")(where, size, protection, flags, file,
                                                                             offset);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* with) {
    if (fails(Thread)) return EAGAIN;
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    return next<Create>("pthread_create")(thread, how, work, with);
}
int mprotect(void* where, std::size_t size, int protection) {
    return fails(Protect) ? -1 : next<int (*)(void*, std::size_t, int)>("mprotect")(where, size, protection);
}
pid_t fork() { return fails(Fork) ? -1 : next<pid_t (*)()>("fork")(); }
int pipe(int ends[2]) { return fails(Pipe) ? -1 : next<int (*)(int*)>("pipe")(ends); }
}
