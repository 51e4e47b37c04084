# `make serve` and `make test` do everything on a fresh Debian with Node 20; `make help` lists the rest.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# No rule but these: make's own would copy build.sh to a file `build`.
MAKEFLAGS += --no-builtin-rules

BUILD := build
COMMA := ,
WASM := web/engine/logitscope.wasm
NODE := $(shell sed -n 's/.*"node": ">=\([0-9.]*\)".*/\1/p' package.json)
PYTHON ?= /usr/bin/python3
CLANG ?= $(shell command -v clang || command -v clang-19 || echo clang)
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Werror
# Native builds contain the threads of src/threads.h.
THREADS := -DLOGITSCOPE_THREADS -D_POSIX_C_SOURCE=200809L -pthread
CFLAGS := -std=c11 -O2 -g1 -ffp-contract=off $(WARNINGS) -Isrc $(THREADS)
SANITIZE := -Og -fsanitize=address,undefined -fno-sanitize-recover
TRAP := -fsanitize=undefined -fsanitize-trap=undefined
# Links sanitized programs in half the time.
GOLD := $(if $(shell command -v ld.gold),-fuse-ld=gold)

LIBRARY := $(filter-out src/wasm.c,$(wildcard src/*.c))
# Objects of the library and of the plain samplers that tests compare with it.
OBJECTS := $(LIBRARY:src/%.c=%.o)
TESTED := $(OBJECTS) plain_samplers.o
vpath %.c src tests/native
NATIVE_TESTS := $(patsubst tests/native/%.c,$(BUILD)/asan/%,$(wildcard tests/native/test_*.c))
COVERAGE_TESTS := $(NATIVE_TESTS:$(BUILD)/asan/%=$(BUILD)/coverage/%)
TRAP_TESTS := $(patsubst tests/native/%.c,$(BUILD)/trap/%,$(wildcard tests/native/test_*.c))
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
FUZZERS := $(patsubst %,$(BUILD)/fuzz/%,$(FUZZ_TARGETS))
# The Python package with its compiled library, complete when this file is there.
PYTHON_PACKAGE := $(BUILD)/python/logitscope/data.json
NATIVE_COMMANDS := $(BUILD)/gcc/logitscope $(BUILD)/clang/logitscope
C_FILES = $(wildcard src/*.[ch] tests/native/*.[ch] tests/fuzz/*.[ch])

.PHONY: help node-version serve test test-quick test-long test-browsers bench bench-formats dist lessons picture wasm package python native \
    native-tests native-traps native-races native-32 fuzz fuzz-answers fuzz-page fuzzers soak soak-page mutants coverage models types format lint style tidy clean

help: ## list these targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

serve: node_modules/.package-lock.json wasm ## install what is missing, build, serve the page at http://localhost:8080
	node web/build.js
	node web/serve.js

# The runner is the recipe, not its prerequisites: a part that does not build counts as a failure.
test: node-version ## install what is missing, build, run every test; AT_ONCE=4 runs four programs at a time
	@node tests/run.js

test-quick: node-version ## the native and the Node tests alone, without the five Node files that take longest
	@QUICK=1 node tests/run.js native node

test-long: node-version ## every test with all its cases; make test tries a sample of them
	@LONG=1 node tests/run.js

test-browsers: node-version ## install Firefox and WebKit too and run the browser tests; make test skips these two
	@./need.sh chromium-headless-shell=chromium-headless-shell firefox-esr=firefox-esr WebKitWebDriver=webkit2gtk-driver Xvfb=xvfb
	@ALL_BROWSERS=1 node tests/run.js browser

bench: node_modules/.package-lock.json wasm ## measure this engine and its peers; FLAGS="--parts decode --shapes 15M" selects
	@./need.sh chromium-headless-shell=chromium-headless-shell
	@node tests/bench/run.js $(FLAGS)

bench-formats: node_modules/.package-lock.json wasm ## measure every quantised format; FLAGS="--sizes 124M --formats Q8_0" selects
	@./need.sh chromium-headless-shell=chromium-headless-shell
	@$(PYTHON) -c 'import numpy' 2>/dev/null || ./need.sh numpy=python3-numpy
	@node tests/bench/formats.js $(FLAGS)

dist: node_modules/.package-lock.json wasm ## the static site in dist/, for any folder of any host, and dist/logitscope.html, all in one file; MODEL_HOSTS="https://host ..." names the hosts from which a user may open a model, PROBE_HOSTS="http://host:* ..." those of a server of the user (this machine); SITE_URL=https://example.org/scope/ makes addresses of previews absolute
	node web/build.js

lessons: dist ## the site, and the lessons as pages and as packages of SCORM 1.2 and 2004 in dist/lessons/
	node web/course.js

picture: dist ## the moving picture of README.md, docs/logitscope.webp, and web/preview.png for link previews, from the page in dist/
	@./need.sh chromium-headless-shell=chromium-headless-shell
	@node tests/picture.js

wasm: $(WASM) ## build web/engine/logitscope.wasm

package: ## build and pack module, command line and types for npm install
	@npm pack --ignore-scripts=false

python: $(PYTHON_PACKAGE) dist ## build the Python package's wheel, with the page, in python/dist/, for pip install --no-index
	@$(PYTHON) python/build_package.py wheel python/dist $(<D) dist

native: $(NATIVE_COMMANDS) ## build the native engine with gcc and with clang, for comparing digests

native-tests: $(NATIVE_TESTS)

native-traps: $(TRAP_TESTS)

native-races: $(BUILD)/tsan/test_threads

# Programs of 32 bits, with the sizes of WebAssembly.
native-32:
	@echo 'int main(void) { return 0; }' | gcc -m32 -x c - -o /dev/null 2>/dev/null || \
	    ./need.sh gcc-of-32-bits=gcc-multilib
	@$(MAKE) -s BUILD=$(BUILD)/m32 SANITIZE='-m32 -msse2 -mfpmath=sse $(SANITIZE)' native-tests

# One minute for each target, or SECONDS.
fuzz: fuzzers ## look for inputs that break a target of tests/fuzz; SECONDS=3600 for each
	@node tests/fuzz/run.js $(or $(SECONDS),60) $(TARGETS)

fuzz-answers: node_modules/.package-lock.json wasm ## random lines of a submission's process to the grader; RUNS=1000000, SEED=1
	@node tests/fuzz/answers.js $(or $(RUNS),1000000)

fuzz-page: node_modules/.package-lock.json wasm ## random input on every view, lesson and language of the page, a minute; SECONDS=600, SEED=1, BROWSER=firefox or webkit
	@./need.sh chromium-headless-shell=chromium-headless-shell
	@case "$(BROWSER)" in \
	    firefox) ./need.sh firefox-esr=firefox-esr ;; \
	    webkit) ./need.sh WebKitWebDriver=webkit2gtk-driver Xvfb=xvfb ;; \
	esac
	@node --experimental-websocket tests/fuzz/page.js $(or $(SECONDS),60)

fuzzers: $(FUZZERS)

soak: node_modules/.package-lock.json wasm ## two hours of the engine in Node, a million tokens and 100,000 knob moves at least; memory and handles must stay flat; MINUTES=10 TOKENS=10000 KNOBS=1000
	@node tests/soak.js $(or $(MINUTES),120) $(or $(TOKENS),1000000) $(or $(KNOBS),100000)

soak-page: node_modules/.package-lock.json wasm ## the same on the page in Chromium; MINUTES=10 TOKENS=100000 KNOBS=1000
	@./need.sh chromium-headless-shell=chromium-headless-shell
	@node tests/soak-page.js $(or $(MINUTES),120) $(or $(TOKENS),1000000) $(or $(KNOBS),100000)

mutants: ## change src/warp*, rank, chain* and draw in 500 places, one at a time, and list the changes that no native test notices; MUTANTS=50 SEED=2
	@./need.sh gcc=build-essential
	@node tests/fixtures/make.js
	@node tests/mutation/run.js $(or $(MUTANTS),500) $(or $(SEED),1)

coverage: $(COVERAGE_TESTS) ## lines and branches of src that the native tests reach
	@test -x "$$($(CLANG) -print-prog-name=llvm-cov)" || \
	    ./need.sh llvm-cov-of-clang=llvm-$$($(CLANG) -dumpversion | cut -d. -f1)
	@node tests/fixtures/make.js
	@rm -f $(BUILD)/coverage/*.profraw
	@for test in $(COVERAGE_TESTS); do \
	    LLVM_PROFILE_FILE=$$test.profraw $$test >/dev/null || echo "$$test failed"; done
	@tools=$$(dirname "$$($(CLANG) -print-prog-name=llvm-cov)"); \
	"$$tools/llvm-profdata" merge -o $(BUILD)/coverage/all.profdata $(BUILD)/coverage/*.profraw && \
	"$$tools/llvm-cov" report -instr-profile=$(BUILD)/coverage/all.profdata \
	    -show-region-summary=false -ignore-filename-regex=tests/ \
	    $(patsubst %,-object %,$(COVERAGE_TESTS))

models: ## train models/verbs.gguf again (PyTorch, some minutes) and measure it
	@$(PYTHON) -c 'import torch, numpy' 2>/dev/null || \
	    ./need.sh torch=python3-torch numpy=python3-numpy blas=libopenblas0-pthread
	$(PYTHON) models/train/train.py models/train/recipes/verbs.json --out models/verbs.gguf
	$(PYTHON) models/train/evaluate_verbs.py

types: node_modules/.package-lock.json ## check the JavaScript's types, write build/types
	npm run --silent types

format: node_modules/.package-lock.json ## format C, JavaScript and CSS
	@./need.sh clang-format=clang-format
	clang-format -i $(C_FILES)
	npx biome format --write .

lint: types style tidy ## check C, JavaScript, CSS, types and the openings of comments

style: node_modules/.package-lock.json
	@./need.sh clang-format=clang-format
	clang-format --dry-run -Werror $(C_FILES)
	@node_modules/.bin/biome ci --colors=off . >/dev/null || node_modules/.bin/biome ci --colors=off .
	@node tests/openings.js

# .clang-tidy lists the checks, with the reasons against the others.
tidy:
	@./need.sh clang-tidy=clang-tidy
	@printf '%s\n' $(LIBRARY) $(filter-out tests/native/test_%,$(wildcard tests/native/*.c)) | xargs -P "$$(getconf _NPROCESSORS_ONLN)" -I FILE \
	    clang-tidy --quiet FILE -- -std=c11 -Isrc 2>/dev/null

clean: ## remove everything that was built
	rm -rf $(BUILD) dist web/engine/logitscope*.wasm

# This check comes first and prints one sentence: Debian 12 has Node 18.
node-version:
	@have=$$(node --version 2>/dev/null | tr -d v); \
	[ "$$(printf '%s\n' $(NODE) "$$have" | sort -V | head -n 1)" = $(NODE) ] || { \
	    echo "Node $(NODE) or newer is needed, and here is $${have:-none}:" \
	        "install one from https://nodejs.org/en/download and run make again." >&2; exit 1; }

node_modules/.package-lock.json: package.json package-lock.json .npmrc | node-version
	npm ci --no-progress
	@touch $@

# A newer Node, for the tests of the relaxed module. Installing the package fetches its program; npm
# runs no other package's install script here.
node_modules/node/bin/node: node_modules/.package-lock.json
	npm rebuild --silent --ignore-scripts=false node

$(WASM): build.sh web/c-tables.js $(wildcard src/*.h) $(LIBRARY) src/wasm.c
	./build.sh $@

# One folder for each way to compile; -MMD tracks the headers, -MP lets a header disappear.
$(BUILD)/asan/%.o: %.c
	@mkdir -p $(@D)
	gcc $(CFLAGS) $(SANITIZE) -MMD -MP -c $< -o $@

$(BUILD)/asan/test_%: tests/native/test_%.c $(TESTED:%=$(BUILD)/asan/%)
	gcc $(CFLAGS) $(SANITIZE) -Itests/native -MMD -MP -MF $@.d $< $(filter %.o,$^) -o $@ $(GOLD) $(LINK) -lm

# Faults that gcc's sanitizers miss, such as a null pointer plus zero; a trap needs no library.
$(BUILD)/trap/%.o: %.c
	@mkdir -p $(@D)
	@./need.sh $(CLANG)=clang
	$(CLANG) $(CFLAGS) $(TRAP) -MMD -MP -c $< -o $@

$(BUILD)/trap/test_%: tests/native/test_%.c $(TESTED:%=$(BUILD)/trap/%)
	$(CLANG) $(CFLAGS) $(TRAP) -Itests/native -MMD -MP -MF $@.d $< $(filter %.o,$^) -o $@ $(LINK) -lm

# ThreadSanitizer, for the program with threads.
$(BUILD)/tsan/%.o: %.c
	@mkdir -p $(@D)
	gcc $(CFLAGS) -fsanitize=thread -MMD -MP -c $< -o $@

$(BUILD)/tsan/test_threads: tests/native/test_threads.c $(OBJECTS:%=$(BUILD)/tsan/%)
	gcc $(CFLAGS) -fsanitize=thread -Itests/native -MMD -MP -MF $@.d $< $(filter %.o,$^) -o $@ -lm

# The targets of fuzzing as plain functions, for test_corpus.
REPLAY := -Itests/native
# A failed check ends a fuzzer: fuzz.h. Some versions of clang do not define this macro.
FUZZING := -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION

$(BUILD)/asan/fuzz_%.o: tests/fuzz/%.c
	@mkdir -p $(@D)
	gcc $(CFLAGS) $(SANITIZE) $(REPLAY) -DLLVMFuzzerTestOneInput=fuzz_$* -MMD -MP -c $< -o $@

$(BUILD)/trap/fuzz_%.o: tests/fuzz/%.c
	@mkdir -p $(@D)
	$(CLANG) $(CFLAGS) $(TRAP) $(REPLAY) -DLLVMFuzzerTestOneInput=fuzz_$* -MMD -MP -c $< -o $@

$(BUILD)/asan/test_corpus: $(patsubst %,$(BUILD)/asan/fuzz_%.o,$(FUZZ_TARGETS))
$(BUILD)/asan/test_allocations: $(BUILD)/asan/fuzz_exports.o
$(BUILD)/trap/test_allocations: $(BUILD)/trap/fuzz_exports.o
$(BUILD)/coverage/test_allocations: $(BUILD)/coverage/fuzz_exports.o
$(BUILD)/trap/test_corpus: $(patsubst %,$(BUILD)/trap/fuzz_%.o,$(FUZZ_TARGETS))
$(BUILD)/coverage/test_corpus: $(patsubst %,$(BUILD)/coverage/fuzz_%.o,$(FUZZ_TARGETS))

# That program counts allocations, and lets them fail.
ALLOCATORS := malloc calloc realloc aligned_alloc free
$(patsubst %,$(BUILD)/%/test_allocations,asan trap coverage): \
    LINK := $(patsubst %,-Wl$(COMMA)--wrap=%,$(ALLOCATORS))

# The coverage of the native tests; only tools of the same clang version read it.
COUNT := -fprofile-instr-generate -fcoverage-mapping

$(BUILD)/coverage/%.o: %.c
	@mkdir -p $(@D)
	@./need.sh $(CLANG)=clang
	$(CLANG) $(CFLAGS) $(COUNT) -MMD -MP -c $< -o $@

$(BUILD)/coverage/fuzz_%.o: tests/fuzz/%.c
	@mkdir -p $(@D)
	$(CLANG) $(CFLAGS) $(COUNT) $(REPLAY) -DLLVMFuzzerTestOneInput=fuzz_$* -MMD -MP -c $< -o $@

$(BUILD)/coverage/test_%: tests/native/test_%.c $(TESTED:%=$(BUILD)/coverage/%)
	$(CLANG) $(CFLAGS) $(COUNT) -Itests/native -MMD -MP -MF $@.d $< $(filter %.o,$^) -o $@ \
	    $(LINK) -lm

# The same functions under libFuzzer, a library of clang's own version. .SECONDARY keeps the objects,
# which make takes for intermediate files.
.SECONDARY:

$(BUILD)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	@./need.sh $(CLANG)=clang
	@test -e "$$($(CLANG) -print-file-name=libclang_rt.fuzzer-$$(uname -m).a)" || \
	    ./need.sh libFuzzer=libclang-rt-$$($(CLANG) -dumpversion | cut -d. -f1)-dev
	$(CLANG) $(CFLAGS) $(SANITIZE) -fsanitize=fuzzer-no-link -MMD -MP -c $< -o $@

$(BUILD)/fuzz/%: tests/fuzz/%.c $(TESTED:%=$(BUILD)/fuzz/%)
	$(CLANG) $(CFLAGS) $(SANITIZE) $(REPLAY) $(FUZZING) -fsanitize=fuzzer -MMD -MP -MF $@.d $< \
	    $(filter %.o,$^) -o $@ -lm

# -fPIC: the Python package's library is made of the same objects.
$(BUILD)/gcc/%.o: %.c
	@mkdir -p $(@D)
	gcc $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@

$(BUILD)/clang/%.o: %.c
	@mkdir -p $(@D)
	@./need.sh $(CLANG)=clang
	$(CLANG) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/gcc/logitscope: $(patsubst %,$(BUILD)/gcc/%,$(TESTED) command.o plain_cases.o)
	gcc $^ -o $@ -lm

$(BUILD)/clang/logitscope: $(patsubst %,$(BUILD)/clang/%,$(TESTED) command.o plain_cases.o)
	$(CLANG) $^ -o $@ -lm

$(BUILD)/python/engine.so: $(patsubst %,$(BUILD)/gcc/%,$(OBJECTS) wasm.o)
	@mkdir -p $(@D)
	@gcc -shared -s $^ -o $@ -lm

$(PYTHON_PACKAGE): $(BUILD)/python/engine.so python/build_package.py $(wildcard python/logitscope/*.py python/logitscope/*.js) package.json $(patsubst %,web/engine/%.js,sentences presets types layout)
	@rm -rf $(@D)
	@$(PYTHON) python/build_package.py assemble $(@D) $<

-include $(wildcard $(BUILD)/*/*.d)
