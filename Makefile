# diffcloth: two headers, nothing to build to use them. `make help` lists the targets.

CC ?= cc
CFLAGS ?= -O2
WARN = -std=c99 -Wall -Wextra -pedantic -Wconversion -Wshadow
EXAMPLES = drape gradient sphere tshirt hat dress flag sock tables napkin bowl continuity landscape
HEADERS = diffcloth.h diffcloth_sparse.h
HELPERS = $(wildcard examples/*.h)
TESTS = $(wildcard tests/test_*.c)

.PHONY: run test examples bench check fuzz single install clean help

help:
	@echo "make run       recover a cloth's parameters from a recorded motion (under a minute)"
	@echo "make test      build and pass every test"
	@echo "make examples  build every example and tool into build/"
	@echo "make bench     measure; prints tables"
	@echo "make check     compile matrix, sanitizers, memory tests"
	@echo "make fuzz      fuzz the mesh readers and the model for FUZZ_SECONDS (default 60)"
	@echo "make single    build/diffcloth_single.h, one self-contained file"
	@echo "make install   headers and a pkg-config file under PREFIX (default /usr/local)"

run: build/tshirt
	./build/tshirt

build:
	@mkdir -p build

build/%: examples/%.c $(HEADERS) $(HELPERS) | build
	$(CC) $(CFLAGS) $(WARN) -I. $< -lm -o $@

build/impl.o: tests/impl.c $(HEADERS) | build
	$(CC) $(CFLAGS) $(WARN) -c $< -o $@

build/%.o: tests/%.c tests/test.h tests/scenes.h $(HEADERS) $(HELPERS) | build
	$(CC) $(CFLAGS) $(WARN) -c $< -o $@

build/tests: build/main.o build/impl.o build/scenes.o $(TESTS:tests/%.c=build/%.o)
	$(CC) $^ -lm -o $@

build/gradcheck: build/gradcheck.o build/scenes.o build/impl.o
	$(CC) $^ -lm -o $@

examples: $(EXAMPLES:%=build/%) build/gradcheck build/bench

# The sparse part compares with CHOLMOD and UMFPACK where they and OpenBLAS can be linked.
PEERS = -DBENCH_SUITESPARSE -isystem /usr/include/suitesparse
PEER_LIBS = -lcholmod -lumfpack -lopenblas
HAVE_PEERS = $(shell mkdir -p build; echo 'int main(void) { return 0; }' >build/peers.c; \
	$(CC) $(PEERS) -include cholmod.h build/peers.c $(PEER_LIBS) -o build/peers 2>/dev/null && echo yes)

build/bench: bench/bench.c $(wildcard bench/*.c bench/*.h) $(HEADERS) $(HELPERS) | build
	if [ "$(HAVE_PEERS)" = yes ]; then set -- $(PEERS); libs="$(PEER_LIBS)"; \
	else echo "bench: no CHOLMOD, UMFPACK or OpenBLAS, ours alone"; set --; libs=; fi; \
	$(CC) $(CFLAGS) $(WARN) "$$@" -I. $< $$libs -lm -o $@

bench: build/bench
	@OMP_THREAD_LIMIT=1 OPENBLAS_NUM_THREADS=1 ./build/bench

test: build/tests
	./build/tests

clean:
	rm -rf build out

# What follows: the compile matrix, fuzzing, the single file, installing.

.PHONY: check-fast

check:
	@sh tests/compile/check.sh all

check-fast:
	@sh tests/compile/check.sh fast

FUZZ_SECONDS ?= 60

fuzz:
	@FUZZ_SECONDS=$(FUZZ_SECONDS) sh fuzz/run.sh

VERSION = $(shell awk '/define DCL_VERSION_MAJOR/ {a = $$3} /define DCL_VERSION_MINOR/ {b = $$3} \
	END {print a "." b}' diffcloth.h)

build/diffcloth_single.h: $(HEADERS) | build
	@awk 'NR == 1 { print "/* Made by make single from diffcloth.h and diffcloth_sparse.h: change those, not this. */" } \
	    NR < 60 { gsub(/"diffcloth\.h"/, "\"diffcloth_single.h\"") } \
	    NR < 60 { sub(/diffcloth_sparse\.h must lie beside it;/, "This file is all of it;") } \
	    /^#include "diffcloth_sparse\.h"/ { while ((getline line < "diffcloth_sparse.h") > 0) print line; next } \
	    { print }' diffcloth.h > $@.part
	@if grep -n '^#include "diffcloth' $@.part; then echo "$@: not self-contained"; exit 1; fi
	@mv $@.part $@

single: build/diffcloth_single.h
	@mkdir -p build/single && cp build/diffcloth_single.h tests/compile/values.c build/single/
	cd build/single && $(CC) $(CFLAGS) $(WARN) -DVALUES_SINGLE values.c -lm -o single
	$(CC) $(CFLAGS) -I. tests/compile/impl.c tests/compile/values.c -lm -o build/single/both
	cd build/single && ./both > both.txt && ./single --compare both.txt 0

PREFIX ?= /usr/local

install:
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/share/pkgconfig
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' '' 'Name: diffcloth' \
	    'Description: differentiable cloth simulation, header only' 'Version: $(VERSION)' \
	    'Cflags: -I$${includedir}' 'Libs: -lm' \
	    > $(DESTDIR)$(PREFIX)/share/pkgconfig/diffcloth.pc
