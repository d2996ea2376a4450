# make [all] | demo | test | bench | cuda-check | gpu-test | gpu-bench | check-long | fuzz | bless | format | format-check |
#      install | deb | clean
#
#   CXX=clang++   another compiler, in a build directory of its own
#   DEBUG=-g      with debugging information
#   SANITIZE=1    address and undefined-behaviour sanitizers, likewise
#   PREFIX=DIR    where `make install` puts bin/irrewrite, share/irrewrite/rules, pages of the manual, completions and files of editors in share, and
#                 for C++ users include/irrewrite, lib/libirrewrite.a and a CMake package; DESTDIR too
#   BENCH_FULL=1  `make bench` at full size: it takes half an hour instead of ten minutes
#   UNITY=N       compile sources of a folder of about N lines together (3000); 0: each source by itself
#   PART=NAMES    `make check-long`: only these of its parts (tests/tools/long.sh)
#   FUZZ_SECONDS=N  `make fuzz`: seconds for each of libFuzzer's targets (60)
#   FILTER=TEXT   `make test` and `make bless`: only golden files whose path contains TEXT
#
# Every target that builds first sees to the packages it needs (tests/tools/setup.sh).

ifeq ($(origin CXX),default)
CXX := g++
endif
PREFIX ?= /usr/local

ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif
MAKEFLAGS += --no-builtin-rules --no-print-directory

UNITY    ?= 3000
FUZZ_SECONDS ?= 60
COMPILER := $(notdir $(firstword $(CXX)))
BUILD := build$(if $(filter-out g++,$(COMPILER)),-$(COMPILER))$(if $(SANITIZE),-san)$(if $(FUZZ),-fuzz)
TOOL  := $(BUILD)/irrewrite
VERSION = $(shell sed -n 's/.*"irrewrite \([0-9.]*\)\\n.*/\1/p' engine/driver/options.cpp)
OBJ   := $(BUILD)/obj

FLAGS := -std=c++20 -O2 $(DEBUG) -Wall -Wextra -Werror -I. -I$(BUILD) $(CXXFLAGS)
ifneq ($(SANITIZE),)
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS += $(SANITIZERS) -fno-omit-frame-pointer
ifeq ($(findstring clang,$(COMPILER)),)
FLAGS += -Wno-maybe-uninitialized # false alarms of GCC under instrumentation
endif
endif
ifneq ($(FUZZ),)
FLAGS += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif
CCACHE := $(shell command -v ccache 2>/dev/null)
LIBS   := -Wl,--as-needed -lfmt -pthread
# Lines of the prompt are edited where Debian's libedit-dev is installed (engine/driver/line_editor.cpp). `=`: looked for when
# the tool is linked, because setup.sh may have installed it since the Makefile was read.
EDITS   = $(shell printf '\043include <stdio.h>\n\043include <editline/readline.h>\n' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo -ledit)

main_sources    := $(wildcard engine/driver/*.cpp)
library_sources := $(filter-out $(main_sources),$(shell find engine grammar printers -name '*.cpp' | sort))
test_sources    := $(wildcard tests/unit/*.cpp tests/random/*.cpp)
# Their macros and flags are others than those of the tests beside them.
alone           := tests/unit/main.cpp tests/unit/test_runtime.cpp
ifeq ($(UNITY),0)
test_objects    := $(test_sources:%.cpp=$(OBJ)/%.o)
library_objects := $(library_sources:%.cpp=$(OBJ)/%.o)
main_objects    := $(main_sources:%.cpp=$(OBJ)/%.o)
else
# Several sources of a folder as one translation unit.
units           = $(patsubst $(BUILD)/units/%.cpp,$(OBJ)/units/%.o,$(shell tests/tools/units.sh $(BUILD)/units $(UNITY) $(1)))
library_objects := $(call units,$(library_sources))
main_objects    := $(call units,$(main_sources))
test_objects    := $(alone:%.cpp=$(OBJ)/%.o) $(call units,$(filter-out $(alone),$(test_sources)))
endif
formatted       := $(shell find engine grammar printers tests -name '*.[ch]pp' | sort)

# What tests/tools/setup.sh makes sure of: the compiler and headers, or what testing takes as well.
comma := ,
need := $(if $(filter format format-check,$(MAKECMDGOALS)),format) \
        $(if $(filter test bless bench check-long fuzz $(BUILD)/tests,$(MAKECMDGOALS)),test,build)

.PHONY: all demo test bench cuda-check gpu-test gpu-bench check-long fuzz bless format format-check install deb clean setup
.DELETE_ON_ERROR:

all: $(TOOL)

setup:
	@CXX='$(CXX)' tests/tools/setup.sh $(need)

# Tests are compiled more often than they run for long.
$(OBJ)/tests/%.o $(OBJ)/units/tests-%.o: FLAGS += -O1
# The helpers of emitted programs are tested as what they are: sources with OpenMP, which clang may lack.
ifeq ($(findstring clang,$(COMPILER)),)
OPENMP := -fopenmp
endif
$(OBJ)/tests/unit/test_runtime.o: FLAGS += $(OPENMP)

# Files that the tool writes into its output, as string literals for `#include`.
helpers  := $(wildcard printers/cpp/runtime/*.h printers/cuda/runtime/*.cuh printers/c/runtime/*.h)
embedded := $(patsubst %,$(BUILD)/embedded/%.inc,$(wildcard printers/html/*.html printers/html/*.css printers/html/*.js) $(helpers))

# Helpers of emitted programs: a table of names and texts.
$(helpers:%=$(BUILD)/embedded/%.inc): $(BUILD)/embedded/%.inc: %
	@mkdir -p $(@D)
	@awk '/^\/\/= / { if (n++) print ")embedded\"},"; printf "{\"%s\", R\"embedded(", substr($$0, 5); next } \
	    n { print } END { print ")embedded\"}," }' $< > $@

$(BUILD)/embedded/%.inc: %
	@mkdir -p $(@D)
	@{ printf 'R"embedded('; cat $<; printf ')embedded"\n'; } > $@

$(library_objects): | $(embedded)

$(OBJ)/units/%.o: $(BUILD)/units/%.cpp | setup
	@mkdir -p $(@D)
	$(CCACHE) $(CXX) $(FLAGS) -MMD -MP -c $< -o $@

$(OBJ)/%.o: %.cpp | setup
	@mkdir -p $(@D)
	$(CCACHE) $(CXX) $(FLAGS) -MMD -MP -c $< -o $@

$(BUILD)/libirrewrite.a: $(library_objects)
	@rm -f $@
	ar rcs $@ $(library_objects)

$(TOOL): $(main_objects) $(BUILD)/libirrewrite.a
	$(CXX) $(FLAGS) $^ $(LIBS) $(EDITS) -o $@

$(BUILD)/tests: $(test_objects) $(BUILD)/libirrewrite.a
	$(CXX) $(FLAGS) $^ $(OPENMP) -lrapidcheck $(LIBS) -o $@

demo: $(TOOL)
	@CXX='$(CXX)' tests/tools/demo.sh $(TOOL)

test: $(TOOL) $(BUILD)/tests
	@CXX='$(CXX)' EMITTED_FLAGS='$(SANITIZERS)' TEST_TIMEOUT=$(if $(SANITIZE),600,60) FILTER='$(FILTER)' tests/run.sh $(BUILD)

bless: $(TOOL)
	@python3 tests/tools/golden.py --bless --no-cpp --tool $(TOOL) --filter '$(FILTER)'

$(BUILD)/bench-parse: $(OBJ)/tests/bench/parse.o $(BUILD)/libirrewrite.a
	$(CXX) $(FLAGS) $^ $(LIBS) -o $@

# Tables, and a page with plots: build/bench.html.
bench: $(TOOL) $(BUILD)/bench-parse
	@tests/bench/all.sh $(BUILD) $(if $(BENCH_FULL),full)

# Emitted CUDA: through nvcc without a warning; on a device, at many sizes, and as the tests run it on the CPU.
cuda-check: $(TOOL)
	@python3 tests/tools/cuda.py --compile --tool $(TOOL)
	@python3 tests/bench/gpu.py --compile --tool $(TOOL)

gpu-test: $(TOOL)
	@wrong=0; for test in cuda cuda_programs golden; do \
	    echo "tests/tools/$$test.py --device:"; python3 tests/tools/$$test.py --device --tool $(TOOL) || wrong=1; done; exit $$wrong

gpu-bench: $(TOOL)
	@python3 tests/bench/gpu.py --tool $(TOOL)

fuzz: $(TOOL)
	@python3 tests/tools/fuzz.py --tool $(TOOL)
	@if command -v clang++ >/dev/null; then $(MAKE) CXX=clang++ FUZZ=1 build-clang++-fuzz/fuzz-readers && \
	    python3 tests/tools/fuzz_readers.py --tool $(TOOL) --seconds $(FUZZ_SECONDS); fi

# What reads text, under libFuzzer and both sanitizers.
$(BUILD)/fuzz-readers: $(OBJ)/tests/fuzz/readers.o $(BUILD)/libirrewrite.a
	$(CXX) $(FLAGS) -fsanitize=fuzzer $^ $(LIBS) -o $@

# What is too slow for every save: the parts that have not passed yet, or those named.
check-long: $(TOOL) $(BUILD)/tests
	@tests/tools/long.sh $(BUILD) $(PART)

format: | setup
	@clang-format -i $(formatted)

format-check: | setup
	@clang-format --dry-run -Werror $(formatted)

# Pages of the manual and completions, from the table that -help shows and from the descriptions of both languages.
$(BUILD)/man/irrewrite.1 $(BUILD)/completion/bash $(BUILD)/completion/zsh $(BUILD)/completion/fish: $(TOOL)
	@mkdir -p $(@D)
	$(TOOL) -help=$(if $(filter %.1,$@),man,$(notdir $@)) > $@
$(BUILD)/man/irrewrite-%.5: engine/driver/manual.awk grammar/README.md rules/README.md
	@mkdir -p $(@D)
	awk -v name=irrewrite-$* -v title="the language of $(if $(filter ir,$*),programs,rules)" -f $< $(if $(filter ir,$*),grammar,rules)/README.md > $@

pages := $(patsubst %,$(BUILD)/man/irrewrite%,.1 -ir.5 -rules.5)
completions := $(patsubst %,$(BUILD)/completion/%,bash zsh fish)

install: $(TOOL) $(BUILD)/libirrewrite.a $(pages) $(completions)
	install -d $(patsubst %,'$(DESTDIR)$(PREFIX)/share/%',man/man1 man/man5 bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	install -m 644 $(BUILD)/man/irrewrite.1 '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 644 $(filter %.5,$(pages)) '$(DESTDIR)$(PREFIX)/share/man/man5'
	install -m 644 $(BUILD)/completion/bash '$(DESTDIR)$(PREFIX)/share/bash-completion/completions/irrewrite'
	install -m 644 $(BUILD)/completion/zsh '$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_irrewrite'
	install -m 644 $(BUILD)/completion/fish '$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/irrewrite.fish'
	install -d $(patsubst %,'$(DESTDIR)$(PREFIX)/%',bin share/irrewrite/rules include/irrewrite lib/cmake/irrewrite)
	for place in vim/vimfiles nvim/site; do for kind in ftdetect ftplugin syntax; do \
	    install -D -m 644 grammar/editors/vim/$$kind/irrewrite.vim "$(DESTDIR)$(PREFIX)/share/$$place/$$kind/irrewrite.vim"; done; done
	install -d '$(DESTDIR)$(PREFIX)/share/irrewrite/editors/vscode/syntaxes'
	install -m 644 $(wildcard grammar/editors/vscode/*.js*) '$(DESTDIR)$(PREFIX)/share/irrewrite/editors/vscode'
	install -m 644 grammar/editors/vscode/syntaxes/irrewrite.tmLanguage.json '$(DESTDIR)$(PREFIX)/share/irrewrite/editors/vscode/syntaxes'
	install -m 755 $(TOOL) '$(DESTDIR)$(PREFIX)/bin/irrewrite'
	install -m 644 $(wildcard rules/*.rules) '$(DESTDIR)$(PREFIX)/share/irrewrite/rules'
	install -m 644 engine/api/testing.hpp engine/api/testing_rapidcheck.hpp '$(DESTDIR)$(PREFIX)/include/irrewrite'
	install -m 644 $(BUILD)/libirrewrite.a '$(DESTDIR)$(PREFIX)/lib'
	install -m 644 engine/api/irrewrite-config.cmake engine/api/irrewrite-add-library.cmake '$(DESTDIR)$(PREFIX)/lib/cmake/irrewrite'
	sed "s/@VERSION@/$(VERSION)/" engine/api/irrewrite-config-version.cmake > '$(DESTDIR)$(PREFIX)/lib/cmake/irrewrite/irrewrite-config-version.cmake'
	chmod 644 '$(DESTDIR)$(PREFIX)/lib/cmake/irrewrite/irrewrite-config-version.cmake'

# A Debian package of what `install` puts, in the folder of the build.
deb: $(TOOL) $(BUILD)/libirrewrite.a $(pages) $(completions)
	@CXX='$(CXX)' tests/tools/deb.sh $(BUILD) $(VERSION)

clean:
	rm -rf build build-*

-include $(library_objects:.o=.d) $(test_objects:.o=.d) $(main_objects:.o=.d) $(OBJ)/tests/bench/parse.d $(OBJ)/tests/fuzz/readers.d
