#!/bin/sh
# The two programs that README.md shows are the examples, to the letter.
set -eu
mkdir -p build
for name in drape gradient; do
    awk -v want="<!-- $name.c -->" '$0 == want { seen = 1; next }
        seen && /^```c$/ { on = 1; next } on && /^```$/ { exit } on { print }' README.md > "build/readme_$name.c"
    if ! cmp -s "build/readme_$name.c" "examples/$name.c"; then
        echo "README.md: the program $name.c differs from examples/$name.c" >&2
        exit 1
    fi
done
