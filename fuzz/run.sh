#!/bin/sh
# run.sh - builds the fuzz targets and runs each for its share of FUZZ_SECONDS (default 60).
# Arguments select targets: obj pc2 model. What breaks one is kept in build/fuzz/.

set -u
cd "$(dirname "$0")/.." || exit 2
OUT=build/fuzz
SECONDS_ALL=${FUZZ_SECONDS:-60}
TARGETS=${*:-obj pc2 model}
CLANG=${FUZZ_CC:-clang}
mkdir -p $OUT

echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; (void)n; return 0; }' \
    >$OUT/probe.c
if ! $CLANG -fsanitize=fuzzer,address,undefined $OUT/probe.c -o $OUT/probe >/dev/null 2>&1; then
    echo "skip fuzz: $CLANG is missing or has no fuzzer runtime"
    exit 0
fi

# Small files of each kind to start from; the rest is in fuzz/obj.
seeds() {
    case $1 in
    obj) cp fuzz/obj/*.obj $OUT/corpus_obj/ ;;
    pc2) # 2 points, 1 sample: header, then 6 floats 1.0
        printf 'POINTCACHE2\0\1\0\0\0\2\0\0\0\0\0\0\0\0\0\200\77\1\0\0\0' >$OUT/corpus_pc2/one.pc2
        for i in 1 2 3 4 5 6; do printf '\0\0\200\77'; done >>$OUT/corpus_pc2/one.pc2 ;;
    model)
        for i in 1 2 3 4 5 6 7 8; do
            awk -v s=$i 'BEGIN { srand(s); for (k = 0; k < 400; k++) printf "%c", 1 + int(99 * rand()) }' \
                >$OUT/corpus_model/$i
        done ;;
    esac
}

count=0
for t in $TARGETS; do count=$((count + 1)); done
share=$((SECONDS_ALL / count))
[ $share -lt 1 ] && share=1
bad=0
for t in $TARGETS; do
    mkdir -p $OUT/corpus_$t
    seeds $t
    $CLANG -std=c99 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
        fuzz/fuzz_$t.c -lm -o $OUT/fuzz_$t || { bad=1; continue; }
    options="-max_total_time=$share -timeout=10 -rss_limit_mb=2048 -print_final_stats=1"
    [ -f fuzz/$t.dict ] && options="$options -dict=fuzz/$t.dict"
    [ $t = model ] && options="$options -max_len=512"
    if $OUT/fuzz_$t $options -artifact_prefix=$OUT/$t- $OUT/corpus_$t >$OUT/$t.log 2>&1; then
        echo "ok   fuzz $t: $(sed -n 's/^stat::number_of_executed_units: *//p' $OUT/$t.log) inputs in $share s"
    else
        echo "FAIL fuzz $t: $(grep -m1 -E 'does not hold|ERROR: |runtime error' $OUT/$t.log), input" \
            "$(sed -n 's/.*written to //p' $OUT/$t.log | tail -n 1)"
        bad=1
    fi
done
exit $bad
