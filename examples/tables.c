/* tables.c - the paper's Tables 2 to 6: L-BFGS-B, CMA-ES and the (1+1) evolution strategy from the
   same random starts, on the example programs beside this one. Each run is saved; a table that was
   interrupted goes on where it stopped.
   cc -O2 -I. examples/tables.c -lm -o tables */
#define DCX_APP_IMPLEMENTATION
#include "dcx_app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 3, FIRST_TABLE = 2, TABLES = 6, PATH_BYTES = 600 };

static const char *const methods[METHODS] = {"lbfgsb", "cmaes", "es"};
static const char *const names[METHODS] = {"L-BFGS-B", "CMA-ES", "(1+1)-ES"};
/* Of table 2, 3, ...; 7 is the flag. */
static const char *const examples[TABLES] = {"tshirt", "sphere", "hat", "sock", "dress", "flag"};

typedef struct saved {
    double initial, final, steps, converged, forward, backward;
    int count;     /* points of the curve */
    double *curve; /* time steps and best loss, in turn; NULL where the example has none */
} saved;

typedef struct table {
    dcx_app *app;
    const char *example, *folder; /* folder: of the programs, with its last slash */
    saved *runs;                  /* METHODS x seeds */
} table;

/* The number behind "key": in text, NaN if there is none. */
static double number_of(const char *text, const char *key)
{
    char quoted[64];
    double value;
    const char *at;
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    at = strstr(text, quoted);
    return at && dcx_double_parse(at + strlen(quoted), NULL, &value) ? value : NAN;
}

static void read_curve(const char *text, saved *run)
{
    const char *at = strstr(text, "\"curve\":["), *next;
    int capacity = 0, k = 0;
    if (!at) return;
    at += strlen("\"curve\":[");
    for (next = at; *next && *next != ']'; next++) capacity += *next == ',';
    run->curve = (double *)calloc((size_t)capacity + 2, sizeof(double));
    while (run->curve && k < capacity + 1 && (next = dcx_double_parse(at, NULL, &run->curve[k]))) {
        k++;
        at = next + (*next == ',');
    }
    run->count = k / 2;
}

/* A saved line of an example; 0 if it is complete. Examples without "runs" give totals only. */
static int parse(const char *text, saved *run)
{
    const char *one = strstr(text, "\"runs\":[");
    memset(run, 0, sizeof *run);
    run->converged = NAN;
    if (!one) one = text;
    run->initial = number_of(one, "loss_initial");
    run->final = number_of(one, "loss_final");
    run->steps = number_of(one, "time_steps");
    run->forward = run->backward = NAN;
    if (one != text) {
        run->converged = number_of(one, "steps_converged");
        run->forward = number_of(one, "forward_seconds");
        run->backward = number_of(one, "backward_seconds");
        read_curve(one, run);
    }
    return text[0] == '{' && strchr(text, '\n') && run->final == run->final ? 0 : -1;
}

static int load(const char *path, saved *run)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, capacity = 0, got = 1;
    int bad = -1;
    if (!file) return -1;
    while (got) {
        if (length + 4097 > capacity) {
            char *more = (char *)realloc(text, capacity = 2 * capacity + 8192);
            if (!more) break;
            text = more;
        }
        got = fread(text + length, 1, 4096, file);
        length += got;
    }
    fclose(file);
    if (!got) {
        text[length] = 0;
        bad = parse(text, run);
    }
    free(text);
    return bad;
}

/* Runs the example unless its line is there already; the line gets its name when it is complete. */
static int run_one(table *t, int method, int seed, saved *run, dcx_error *error)
{
    char file[96], path[PATH_BYTES], part[PATH_BYTES + 8], command[4 * PATH_BYTES];
    snprintf(file, sizeof file, "runs/%s-%s-%d%s%s.json", t->example, methods[method], seed,
             t->app->full ? "-full" : "", t->app->paper ? "-paper" : "");
    if (dcx_app_path(t->app, "runs/", path, sizeof path, error) || dcx_make_folder(path, error) ||
        dcx_app_path(t->app, file, path, sizeof path, error))
        return -1;
    if (load(path, run) == 0) return 0;
    snprintf(part, sizeof part, "%s.part", path);
    snprintf(command, sizeof command,
             "\"%s%s\" --json --seeds 1 --seed %d --method %s%s%s --out \"%s.d\" > \"%s\"",
             t->folder, t->example, seed, methods[method], t->app->full ? " --full" : "",
             t->app->paper ? " --paper" : "", path, part);
    if (system(command) == -1 || load(part, run)) {
        dcx_error_set(error, DCX_IO_ERROR, "no result from %s%s", t->folder, t->example);
        return -1;
    }
    remove(path);
    if (rename(part, path) == 0) return 0;
    dcx_error_set(error, DCX_IO_ERROR, "%.200s cannot be written", path);
    return -1;
}

static int run_all(table *t, dcx_error *error)
{
    int m, k, seeds = t->app->seeds;
    for (m = 0; m < METHODS; m++)
        for (k = 0; k < seeds; k++) {
            dcx_app_progress(t->app, names[m], (double)(m * seeds + k) / (METHODS * seeds));
            if (run_one(t, m, (int)t->app->seed + k, &t->runs[m * seeds + k], error)) return -1;
        }
    dcx_app_progress(t->app, "", 1);
    return 0;
}

/* The best loss after so many time steps; NaN before the first or without a curve. */
static double loss_at(const saved *run, double steps)
{
    double loss = NAN;
    int k;
    for (k = 0; k < run->count && run->curve[2 * k] <= steps; k++) loss = run->curve[2 * k + 1];
    return loss;
}

typedef struct row {
    double initial, final_percent, equal_percent, converged, forward, backward;
} row;

/* Best of the starts for losses, mean over the starts for costs. `equal`: a number of time steps.
 */
static row make_row(const saved *runs, int seeds, double equal)
{
    row r;
    double least = INFINITY, at_equal = INFINITY;
    int k;
    memset(&r, 0, sizeof r);
    r.initial = INFINITY;
    for (k = 0; k < seeds; k++) {
        r.initial = fmin(r.initial, runs[k].initial);
        least = fmin(least, runs[k].final);
        at_equal = fmin(at_equal, loss_at(&runs[k], equal)); /* fmin leaves NaN out */
        r.converged += runs[k].converged / seeds;
        r.forward += runs[k].forward / seeds;
        r.backward += runs[k].backward / seeds;
    }
    r.final_percent = 100 * least / r.initial;
    r.equal_percent = at_equal < INFINITY ? 100 * at_equal / r.initial : NAN;
    return r;
}

static void print_table(dcx_app *app, const table *t, int number)
{
    double equal = 0;
    dcx_json j;
    int m, k;
    for (k = 0; k < app->seeds; k++) equal += t->runs[k].steps / app->seeds;
    dcx_app_print(
        app, "Table %d: %s, %d starts; equal steps: %.0f\n%-10s %12s %10s %14s %14s %10s %10s\n",
        number, t->example, app->seeds, equal, "method", "initial", "final %", "equal steps %",
        "to converge", "forward s", "backward s");
    dcx_json_init(&j);
    dcx_json_string(&j, "example", "tables");
    dcx_json_bool(&j, "ok", 1);
    dcx_json_integer(&j, "table", number);
    dcx_json_string(&j, "of", t->example);
    dcx_json_integer(&j, "starts", app->seeds);
    dcx_json_number(&j, "equal_time_steps", equal);
    dcx_json_array(&j, "rows");
    for (m = 0; m < METHODS; m++) {
        row r = make_row(t->runs + m * app->seeds, app->seeds, equal);
        dcx_app_print(app, "%-10s %12.4g %10.3g %14.3g %14.0f %10.1f %10.1f\n", names[m], r.initial,
                      r.final_percent, r.equal_percent, r.converged, r.forward, r.backward);
        dcx_json_object(&j, NULL);
        dcx_json_string(&j, "method", methods[m]);
        dcx_json_number(&j, "loss_initial", r.initial);
        dcx_json_number(&j, "final_percent", r.final_percent);
        dcx_json_number(&j, "equal_steps_percent", r.equal_percent);
        dcx_json_number(&j, "steps_to_converge", r.converged);
        dcx_json_number(&j, "forward_seconds", r.forward);
        dcx_json_number(&j, "backward_seconds", r.backward);
        dcx_json_close(&j);
    }
    dcx_json_close(&j);
    dcx_app_print_json(app, &j);
}

/* The folder of this program, where the examples are. */
static void own_folder(const char *program, char *folder, size_t size)
{
    size_t length = strlen(program);
    while (length && program[length - 1] != '/' && program[length - 1] != '\\') length--;
    snprintf(folder, size, "%.*s", (int)length, program);
}

int main(int argc, char **argv)
{
    int number = 4, status, k;
    char folder[PATH_BYTES];
    dcx_flag flag;
    dcx_app_desc about = dcx_app_default_desc(
        "tables", "the paper's tables: 2 tshirt, 3 sphere, 4 hat, 5 sock, 6 dress; 7 flag");
    dcx_app app;
    dcx_error error;
    table t;
    memset(&flag, 0, sizeof flag);
    flag.name = "--table";
    flag.kind = DCX_FLAG_COUNT;
    flag.value = &number;
    flag.choices = "N";
    flag.help = "which table, 2..7 (4)";
    about.flags = &flag;
    about.flag_count = 1;
    status = dcx_app_init(&app, &about, argc, argv);
    if (status >= 0) return status;
    if (number < FIRST_TABLE || number >= FIRST_TABLE + TABLES)
        return dcx_app_fail(&app, "--table is 2 to 7");
    own_folder(argv[0], folder, sizeof folder);
    memset(&error, 0, sizeof error);
    t.app = &app;
    t.example = examples[number - FIRST_TABLE];
    t.folder = folder;
    t.runs = (saved *)calloc((size_t)(METHODS * app.seeds), sizeof *t.runs);
    if (!t.runs) return dcx_app_fail(&app, "not enough memory");
    status = run_all(&t, &error) ? dcx_app_fail(&app, error.text) : 0;
    if (!status) print_table(&app, &t, number);
    for (k = 0; k < METHODS * app.seeds; k++) free(t.runs[k].curve);
    free(t.runs);
    return status;
}
