#!/bin/sh
# check.sh - builds and runs the library in every way that should work.
#
#   sh tests/compile/check.sh          everything, under a quarter of an hour
#   sh tests/compile/check.sh fast     the part that finds most, under three minutes
#   sh tests/compile/check.sh sanitize the sanitizers alone, all tests
#   sh tests/compile/check.sh backends the sparse solvers with SuiteSparse, BLAS, OpenMP
#
# Each line says ok, skip or FAIL, and why. Exit status 1 if a line says FAIL. What the tools printed
# is in build/check/. CHECK_JOBS compilations run at once (default 2).

set -u
cd "$(dirname "$0")/../.." || exit 2
ROOT=$(pwd)
OUT=$ROOT/build/check
HERE=tests/compile
SELF=$ROOT/$HERE/check.sh
WARN="-Wall -Wextra -pedantic -pedantic-errors -Wconversion -Wshadow -Werror"
JOBS=${CHECK_JOBS:-2}

have() { command -v "$1" >/dev/null 2>&1; }

limit() { # limit SECONDS COMMAND...
    if have timeout; then timeout "$@"; else shift; "$@"; fi
}

say() { # say ok|skip|FAIL NAME WHY; one write, so that lines of two jobs do not mix
    printf '%-4s %s%s\n' "$1" "$2" "${3:+: $3}" | tee -a "$OUT/report.txt"
}

# The first line of a log that says what is wrong.
reason() {
    grep -m1 -E 'error|warning|ERROR|FAIL|^[A-Z_]+: |undefined|runtime error|largest difference|Killed' "$1" ||
        tail -n 1 "$1"
}

# try NAME COMMAND...: ok if the command is.
try() {
    tried=$1
    shift
    log=$OUT/$(printf '%s' "$tried" | tr -c 'A-Za-z0-9_.\n-' '_').log
    limit 600 "$@" >"$log" 2>&1
    status=$?
    if [ $status -eq 0 ]; then
        say ok "$tried" "${DETAIL:-}"
        return 0
    fi
    [ $status -eq 124 ] && echo "FAIL: did not end in time" >>"$log"
    say FAIL "$tried" "$(reason "$log" | cut -c1-160)"
    return 1
}

language() { # the -x flag of a compiler: sources are .c files
    case $1 in *++*) echo "-x c++" ;; *) echo "-x c" ;; esac
}

# ---- one cell of the matrix: build the bodies and a program, run it, compare its numbers --------

cell() { # cell TOLERANCE RUNNER COMPILER FLAGS...
    tolerance=$1 runner=$2 cc=$3
    shift 3
    name="$cc $*"
    exe=$OUT/cell_$(printf '%s' "$name" | tr -c 'A-Za-z0-9_\n' '_').exe
    flags="$WARN"
    [ "$cc" = tcc ] && flags="-Wall -Werror"
    try "compile $name" sh -c '
        set -e
        exe=$1 here=$2 flags=$3 lang=$4 cc=$5
        shift 5
        for part in impl declares windows values; do
            $cc "$@" $flags $lang -I. -c $here/$part.c -o $exe.$part.o
        done
        # the body too under the hostile macros, once per compiler
        case " $* " in *" -O0 "* | " -m64 ") ;; *) skip=1 ;; esac
        [ -n "${skip:-}" ] || $cc "$@" $flags $lang -I. -DWINDOWS_BODY -c $here/windows.c -o $exe.body.o
        $cc "$@" $exe.impl.o $exe.declares.o $exe.windows.o $exe.values.o -lm -o $exe
    ' cell "$exe" $HERE "$flags" "$(language "$cc")" "$cc" "$@" || return 0
    if [ "$runner" = none ]; then
        rm -f "$exe" "$exe".*.o
        return 0
    fi
    [ "$runner" = native ] && runner=
    try "numbers $name" $runner "$exe" --compare "$OUT/reference.txt" "$tolerance"
    rm -f "$exe" "$exe".*.o
}

if [ "${1:-}" = cell ]; then
    shift
    cell "$@"
    exit 0
fi

matrix() { # reads lines "TOLERANCE RUNNER COMPILER FLAGS..."
    xargs -P "$JOBS" -L 1 sh "$SELF" cell
}

works() { # works COMPILER FLAGS...: can it build and link a program at all?
    lang=$(language "$1")
    echo 'int main(void) { return 0; }' >"$OUT/probe.c"
    "$@" $lang "$OUT/probe.c" -o "$OUT/probe.exe" >/dev/null 2>&1
}

# ---- declarations, static copies, symbols -------------------------------------------------------

declarations() {
    for cc in gcc clang tcc g++ clang++; do
        have $cc || continue
        std=-std=c99
        case $cc in *++*) std=-std=c++11 ;; esac
        [ $cc = tcc ] && std=
        flags="$WARN"
        [ $cc = tcc ] && flags="-Wall -Werror"
        try "declarations only, $cc" $cc $std $flags $(language $cc) -I. -c $HERE/declares.c \
            -o "$OUT/declares.o"
        if have nm && [ $cc = gcc ]; then
            if nm "$OUT/declares.o" | grep -q ' [TtDdBb] dcl[i_]'; then
                say FAIL "a plain inclusion defines nothing" "$(nm "$OUT/declares.o" | tail -n 1)"
            else
                say ok "a plain inclusion defines nothing"
            fi
        fi
    done
}

two_units() {
    for cc in gcc clang tcc g++ clang++; do
        have $cc || continue
        try "bodies in one file, used in another, $cc" sh -c '
            $1 $2 -I. -c $3/impl.c -o $4/two_a.o && $1 $2 -I. -c $3/values.c -o $4/two_b.o &&
            $1 $4/two_a.o $4/two_b.o -lm -o $4/two && $4/two >/dev/null' two \
            $cc "$(language $cc)" $HERE "$OUT"
    done
}

static_copies() { # E01
    for cc in gcc clang tcc g++ clang++; do
        have $cc || continue
        flags="$WARN"
        [ $cc = tcc ] && flags="-Wall -Werror"
        try "two static copies link, $cc" sh -c '
            set -e
            cc=$1 lang=$2 here=$3 out=$4 flags=$5
            for name in first second; do
                $cc $lang $flags -I. -DNAME=${name}_copy -c $here/static.c -o $out/$name.o
            done
            $cc $lang -c $here/static_main.c -o $out/static_main.o
            $cc $out/first.o $out/second.o $out/static_main.o -lm -o $out/static && $out/static
        ' static $cc "$(language $cc)" $HERE "$OUT" "$flags" || continue
        if ! have nm; then
            say skip "static copies have no external symbol, $cc" "no nm"
        elif nm -g "$OUT/first.o" | grep -v ' U ' | grep -v ' first_copy$' | grep -q 'dc[ls]i\{0,1\}_'; then
            say FAIL "static copies have no external symbol, $cc" \
                "$(nm -g "$OUT/first.o" | grep -v ' U ' | grep -m1 'dc[ls]i\{0,1\}_')"
        else
            say ok "static copies have no external symbol, $cc"
        fi
    done
}

symbols() { # only dcl_ and dcs_ come out, and nothing can be written to
    have gcc && have nm || { say skip "symbols" "needs gcc and nm"; return; }
    gcc -O2 -fno-pic -I. -c $HERE/impl.c -o "$OUT/symbols.o" || return
    bad=$(nm -g --defined-only "$OUT/symbols.o" | awk '$3 !~ /^dc[ls]_/ {print $3; exit}')
    if [ -n "$bad" ]; then
        say FAIL "every external symbol has a public prefix" "$bad"
    else
        say ok "every external symbol has a public prefix"
    fi
    bad=$(nm "$OUT/symbols.o" | awk '$2 ~ /^[dDbBcC]$/ {print $3; exit}')
    if [ -n "$bad" ]; then
        say FAIL "no variable that can be written to" "$bad"
    else
        say ok "no variable that can be written to"
    fi
}

# ---- sizes and times, printed ---------------------------------------------------------------------

now() { date +%s%N; }

measures() {
    case $(now) in
    *[!0-9]*) say skip "times and sizes" "this date has no nanoseconds"; return ;;
    esac
    echo '#include "diffcloth.h"' >"$OUT/only.c"
    echo >"$OUT/empty.c"
    for cc in gcc clang; do
        have $cc || continue
        a=$(now)
        $cc -std=c99 -O2 -I. -c $HERE/impl.c -o "$OUT/size.o" || continue
        b=$(now)
        for i in 1 2 3 4 5; do $cc -I. -c "$OUT/only.c" -o "$OUT/only.o"; done
        c=$(now)
        for i in 1 2 3 4 5; do $cc -c "$OUT/empty.c" -o "$OUT/only.o"; done
        d=$(now)
        say ok "$cc -O2" "bodies $(((b - a) / 1000000)) ms (aim < 3000), object $(size "$OUT/size.o" |
            awk 'NR == 2 {print int(($1 + $2 + $3) / 1024)}') KB loaded, $(($(wc -c <"$OUT/size.o") /
            1024)) KB file (aim < 400), declarations $((((c - b) - (d - c)) / 5000000)) ms more than nothing (aim < 50)"
    done
}

# ---- the test binary in other builds --------------------------------------------------------------

# A folder of its own to run the tests in, since they write below build/.
sandbox() {
    rm -rf "$OUT/$1"
    mkdir -p "$OUT/$1/build"
    for f in "$ROOT"/*; do
        case $(basename "$f") in build | out) ;; *) ln -s "$f" "$OUT/$1/" ;; esac
    done
    [ -d "$ROOT/.ci" ] && ln -s "$ROOT/.ci" "$OUT/$1/"
}

# tests_in NAME COMPILER LIBRARY_FLAGS OTHER_FLAGS FILTERS: the library may get flags of its own.
tests_in() {
    box=$1 cc=$2 library=$3 other=$4 filters=$5
    sandbox "$box"
    log=$OUT/$box.log
    (
        cd "$OUT/$box" || exit 2
        set -e
        $cc $library $other -c tests/impl.c -o build/impl.o
        for f in tests/main.c tests/scenes.c tests/gradcheck.c tests/test_*.c; do
            echo "$f"
        done | xargs -P "$JOBS" -I{} sh -c '
            '"$cc $other"' -c {} -o build/$(basename {} .c).o'
        set -- build/test_*.o
        $cc $library $other build/main.o build/scenes.o build/impl.o "$@" ${LIBS:-} -lm -o build/tests
        $cc $library $other build/gradcheck.o build/scenes.o build/impl.o ${LIBS:-} -lm -o build/gradcheck
    ) >"$log" 2>&1 || {
        say FAIL "$box" "does not build: $(reason "$log" | cut -c1-140)"
        return 1
    }
    (cd "$OUT/$box" && limit ${LIMIT:-600} ./build/tests $filters) >>"$log" 2>&1
    status=$?
    last=$(grep -E '^[0-9]+ passed' "$log" | tail -n 1)
    sites=$(grep -E -o '[a-z_]+\.[ch]:[0-9]+:[0-9]+: runtime error.*' "$log" | sort -u)
    if [ -n "$sites" ]; then
        echo "$sites" | cut -c1-160 | while read -r site; do say FAIL "$box" "$site"; done
    fi
    if [ $status -eq 0 ]; then
        say ok "$box" "$last"
    elif [ $status -eq 124 ]; then
        say FAIL "$box" "did not end in ${LIMIT:-600} s, last: $(tail -n 1 "$log")"
    else
        say FAIL "$box" "${last:-exit $status}; $(grep -E -m1 'ERROR: |^FAIL' "$log" |
            cut -c1-140)"
    fi
}

# The best compiler for sanitizers that works here.
sanitizer() { # sanitizer FLAG
    for cc in clang gcc; do
        if have $cc && works $cc "$1" && "$OUT/probe.exe"; then
            echo $cc
            return
        fi
    done
}

sanitized() { # sanitized model|FILTERS
    cc=$(sanitizer -fsanitize=address,undefined)
    if [ -z "$cc" ]; then
        say skip "address and undefined behaviour sanitizers" "no runtime for gcc or clang"
        return
    fi
    flags="-O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer"
    if [ "$1" = model ]; then
        try "model suite, sanitized" sh -c '$1 $2 -fno-sanitize-recover=all -I. -Itests \
            $3/impl.c $3/model_main.c tests/test_model.c tests/scenes.c -lm -o $4/model &&
            $4/model' model $cc "$flags" $HERE "$OUT"
        return
    fi
    tests_in "tests-asan-ubsan" $cc "$flags" "$flags" "$1"
    if [ -x "$OUT/tests-asan-ubsan/build/gradcheck" ]; then
        # its numbers are for another day
        try "gradcheck --scene sphere, sanitized" sh -c '"$1" --scene sphere >"$2" 2>&1
            ! grep -E "runtime error|ERROR: " "$2"' gradcheck \
            "$OUT/tests-asan-ubsan/build/gradcheck" "$OUT/gradcheck-asan-ubsan.log"
    fi
}

threads() { # E03
    cc=$(sanitizer -fsanitize=thread)
    if [ -z "$cc" ]; then
        say skip "thread sanitizer" "no runtime for gcc or clang"
        return
    fi
    flags="-O1 -g -fsanitize=thread"
    TSAN_OPTIONS=exitcode=66 tests_in "threads-tsan" $cc "$flags" "$flags" \
        "model/two_scenes model/one_model"
}

fast_math() { # E08: refusals must not depend on NaN comparisons
    for cc in gcc clang; do
        have $cc || continue
        tests_in "refusals-fast-math-$cc" $cc "-O3 -ffast-math" "-O1" "model/positions model/numbers \
            model/handles model/obstacles model/planes model/step_size model/state_not \
            model/derivatives model/degenerate model/step_check"
        works $cc -mfma && tests_in "meshes-fma-$cc" $cc "-O2 -mfma -ffp-contract=fast" "-O1" \
            "model/degenerate model/sliver model/small model/scales model/stale" # D03
    done
}

# Does a program with this header and these libraries link and run?
library_works() { # library_works HEADER FLAGS LIBRARIES
    printf '#include <%s>\nint main(void) { return 0; }\n' "$1" >"$OUT/probe.c"
    ${CC:-cc} $2 "$OUT/probe.c" $3 -o "$OUT/probe.exe" >/dev/null 2>&1 && "$OUT/probe.exe"
}

backends() { # the sparse suite with other solvers behind the same calls, and with threads
    cc=${CC:-cc}
    suite=/usr/include/suitesparse
    if library_works cholmod.h "-isystem $suite" "-lcholmod -lumfpack"; then
        LIBS="-lcholmod -lumfpack" tests_in "sparse-suitesparse" $cc "" \
            "-O2 -DDCS_USE_SUITESPARSE -isystem $suite" sparse
    else
        say skip "sparse-suitesparse" "no CHOLMOD and UMFPACK (Debian: libsuitesparse-dev)"
    fi
    if library_works cblas.h "" "-lblas"; then
        LIBS=-lblas tests_in "sparse-blas" $cc "" "-O2 -DDCS_USE_BLAS" sparse
    else
        say skip "sparse-blas" "no CBLAS (Debian: libopenblas-dev)"
    fi
    if library_works omp.h "-fopenmp" ""; then
        OMP_NUM_THREADS=3 tests_in "sparse-openmp" $cc "" "-O2 -DDCS_USE_OPENMP -fopenmp" sparse
        try "same bits with and without threads" sh -c '
            $1 -O2 -I. $2/branches.c -lm -o $3/branches
            $1 -O2 -DDCS_USE_OPENMP -fopenmp -I. $2/branches.c -lm -o $3/branches_omp
            $3/branches >$3/branches.txt
            for t in 1 2 3 8; do
                OMP_NUM_THREADS=$t $3/branches_omp >$3/branches_$t.txt
                cmp $3/branches.txt $3/branches_$t.txt || exit 1
            done' branches $cc $HERE "$OUT"
    else
        say skip "sparse-openmp" "no OpenMP"
    fi
}

memory_checker() {
    if ! have valgrind; then
        say skip "valgrind" "not installed"
        return
    fi
    gcc -O1 -g -I. $HERE/impl.c $HERE/values.c -lm -o "$OUT/values_valgrind" || return
    DETAIL="no errors, no leaks" try "valgrind, a short scene" valgrind -q --leak-check=full \
        --error-exitcode=9 "$OUT/values_valgrind"
}

coverage() {
    if ! have gcc || ! have gcov; then
        say skip "coverage" "needs gcc and gcov"
        return
    fi
    tests_in "tests-coverage" gcc "-O1 --coverage" "-O1" ""
    (cd "$OUT/tests-coverage/build" && gcov -r -s .. impl.gcda impl.o >gcov.txt 2>&1)
    for f in diffcloth.h diffcloth_sparse.h; do
        lines=$(grep -A1 "File '.*$f'" "$OUT/tests-coverage/build/gcov.txt" | sed -n '2s/.*:\(.*\)/\1/p')
        say ok "coverage of $f" "${lines:-unknown}"
    done
}

# ---- the list ---------------------------------------------------------------------------------------

full_matrix() {
    for cc in gcc clang g++ clang++; do
        have $cc || { echo "$cc" >>"$OUT/missing.txt"; continue; }
        stds="c99 c11"
        case $cc in *++*) stds="c++11 c++17" ;; esac
        for m in -m64 -m32; do
            works $cc $m || { echo "$cc $m" >>"$OUT/missing.txt"; continue; }
            for std in $stds; do
                for opt in "-O0" "-O2" "-O3 -march=native" "-O3 -ffast-math"; do
                    tolerance=1e-12
                    [ "$opt" = "-O3 -ffast-math" ] && tolerance=1e-9
                    echo "$tolerance native $cc -std=$std $m $opt"
                done
            done
        done
    done
}

small_matrix() {
    for cell in "gcc -std=c99 -m64 -O2" "gcc -std=c99 -m32 -O2" "clang -std=c99 -m64 -O2" \
        "g++ -std=c++11 -m64 -O0" "clang++ -std=c++17 -m64 -O0" "clang -std=c99 -m64 -O3 -ffast-math"; do
        cc=${cell%% *}
        have $cc || { echo "$cc" >>"$OUT/missing.txt"; continue; }
        case $cell in *-m32*) works $cc -m32 || { echo "$cc -m32" >>"$OUT/missing.txt"; continue; } ;; esac
        tolerance=1e-12
        case $cell in *fast-math*) tolerance=1e-9 ;; esac
        echo "$tolerance native $cell"
    done
}

other_compilers() { # other_compilers OPTIONS...
    if have tcc; then
        echo "1e-12 native tcc -m64"
    else
        echo tcc >>"$OUT/missing.txt"
    fi
    runner=none
    have wine && runner=wine
    for cc in x86_64-w64-mingw32-gcc x86_64-w64-mingw32-g++; do
        have $cc || { echo $cc >>"$OUT/missing.txt"; continue; }
        std=c99
        case $cc in *++) std=c++11 ;; esac
        for opt in "$@"; do echo "1e-12 $runner $cc -std=$std $opt"; done
    done
}

missing() {
    sort -u "$OUT/missing.txt" 2>/dev/null | while read -r cc; do
        say skip "compile $cc" "not installed or cannot link"
    done
    have wine || say skip "run what MinGW built" "no wine"
    have emcc || say skip "compile emcc" "not installed"
}

mkdir -p "$OUT"
rm -f "$OUT"/*.log "$OUT/report.txt" "$OUT/missing.txt"
: >"$OUT/report.txt"

CC0=${CC:-cc}
$CC0 -O2 -I. $HERE/impl.c $HERE/values.c -lm -o "$OUT/values_reference" &&
    "$OUT/values_reference" >"$OUT/reference.txt" || {
    say FAIL "reference numbers" "$CC0 cannot build or run tests/compile/values.c"
    exit 1
}
$CC0 -O2 -I. $HERE/impl.c $HERE/ends.c -lm -o "$OUT/ends" 2>"$OUT/ends.log"
if limit 30 "$OUT/ends" >"$OUT/ends.log" 2>&1; then
    say ok "hopeless steps end"
else
    say FAIL "hopeless steps end" "$(tail -n 1 "$OUT/ends.log") (stopped after 30 s)"
fi

if [ "${1:-all}" != sanitize ] && [ "${1:-all}" != backends ]; then
    declarations
    two_units
    static_copies
    symbols
    measures
fi
if [ "${1:-all}" = backends ]; then
    backends
elif [ "${1:-all}" = sanitize ]; then
    sanitized ""
    threads
elif [ "${1:-all}" = fast ]; then
    { small_matrix; other_compilers "-O2"; } | matrix
    backends
    sanitized model
    memory_checker
else
    { full_matrix; other_compilers "-O0" "-O2" "-O3 -ffast-math"; } | matrix
    backends
    sanitized ""
    threads
    fast_math
    if works gcc -m32; then
        tests_in "tests-m32" gcc "-m32 -O2" "-m32 -O1" "" # D05
    else
        say skip "tests-m32" "gcc cannot link for -m32"
    fi
    memory_checker
    coverage
fi
missing

awk '{n[$1]++} END {printf "%d ok, %d skipped, %d failed\n", n["ok"], n["skip"], n["FAIL"]}' \
    "$OUT/report.txt"
! grep -q '^FAIL' "$OUT/report.txt"
