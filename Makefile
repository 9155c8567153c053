# diffcloth: two headers, nothing to build to use them. `make help` lists the targets.

CC ?= cc
CFLAGS ?= -O2
WARN = -std=c99 -Wall -Wextra -pedantic -Wconversion -Wshadow
EXAMPLES = drape gradient sphere tshirt
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

test: build/tests
	./build/tests

clean:
	rm -rf build out
