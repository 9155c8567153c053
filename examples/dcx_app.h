/* dcx_app.h - what example programs share: flags, the JSON line, progress, a clock, the out folder.

   Do this in the program (it brings the implementation of dcx_io.h along):

       #define DCX_APP_IMPLEMENTATION
       #include "dcx_app.h"

       int main(int argc, char **argv)
       {
           dcx_app_desc desc = dcx_app_default_desc("sphere", "a napkin falls on a sphere");
           dcx_app app;
           int status = dcx_app_init(&app, &desc, argc, argv);
           if (status >= 0) return status;
           ...
       }

   C99 and C++11, no mutable statics, no locale dependence. Nothing here calls exit.

   Contents (search for the anchor)
       >>flags   the command line          >>json      one line of JSON
       >>out     files, text, progress     >>impl      implementation      >>licence */
#ifndef DCX_APP_H
#define DCX_APP_H

#include "dcx_io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* >>flags ------------------------------------------------------------------------------------ */

typedef enum dcx_flag_kind {
    DCX_FLAG_SWITCH, /* int *: set to 1 */
    DCX_FLAG_TEXT,   /* const char **: any text, not empty */
    DCX_FLAG_FILE,   /* const char **: a file or folder that can be opened */
    DCX_FLAG_CHOICE, /* const char **: one of `choices` */
    DCX_FLAG_COUNT,  /* int *: 1 .. 1000000 */
    DCX_FLAG_SEED,   /* unsigned long long *: 0 .. 2^64 - 1 */
    DCX_FLAG_NUMBER  /* double *: any finite number */
} dcx_flag_kind;

typedef struct dcx_flag {
    const char *name; /* with its dashes: "--scene" */
    dcx_flag_kind kind;
    void *value;         /* see dcx_flag_kind; left alone unless the flag is given */
    const char *choices; /* "one|two|three" for DCX_FLAG_CHOICE; else what help calls the value */
    const char *help;    /* a few words */
} dcx_flag;

typedef struct dcx_app_desc {
    const char *name;      /* the program's, also "example" of the JSON line */
    const char *about;     /* one line for --help */
    const char *methods;   /* choices of --method, "lbfgsb|lm|adam|cmaes|es" */
    const char *method;    /* used without --method: "lbfgsb" */
    const char *argument;  /* what help calls the one plain argument, or NULL: none is allowed */
    int seeds;             /* used without --seeds: 5 */
    const dcx_flag *flags; /* the program's own, flag_count of them, or NULL */
    int flag_count;
} dcx_app_desc;

typedef struct dcx_app {
    const char *name;
    int full, paper, json, quiet; /* 1 if given */
    const char *mesh, *motion;    /* files that exist, or NULL */
    const char *method;
    const char *out;         /* folder, "out" */
    const char *argument;    /* the plain argument, or NULL */
    unsigned long long seed; /* 1 */
    int seeds, threads;      /* threads: 1 */
    int bar;                 /* is there a progress bar, and is it on the screen (2)? */
    double bar_time;
} dcx_app;

dcx_app_desc dcx_app_default_desc(const char *name, const char *about);

/* Reads the command line, `--flag value` or `--flag=value`, the last of several counting. Returns
   -1 to go on, else the status to return from main: 0 after --help, 2 after one line on standard
   error that names the flag and what is wrong with it. */
int dcx_app_init(dcx_app *app, const dcx_app_desc *desc, int argc, char **argv);

/* The same, but puts the line into `error` instead of printing it. */
int dcx_app_parse(dcx_app *app, const dcx_app_desc *desc, int argc, char **argv, dcx_error *error);

/* Prints "name: text" on standard error and returns 2, for `return dcx_app_fail(&app, error.text)`.
 */
int dcx_app_fail(dcx_app *app, const char *text);

/* What --motion and --mesh give: the mesh comes from --mesh, or with the motion when that is a
   folder of .obj files. Refused: no triangles, other vertices, fewer frames than `least`. 0 or -1.
 */
int dcx_app_motion(const dcx_app *app, int least, dcx_mesh *mesh, dcx_motion *motion,
                   dcx_error *error);

/* >>out -------------------------------------------------------------------------------------- */

/* printf on standard output unless --json or --quiet. Removes the progress bar first. */
void dcx_app_print(dcx_app *app, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* A bar on standard error if that is a terminal and neither --json nor --quiet is given; drawn at
   most ten times a second. `part` is 0..1; 1 and above removes it. */
void dcx_app_progress(dcx_app *app, const char *what, double part);

/* "out folder/file" in path[0..size), the folder created with its parents when it is not there. */
dcx_result dcx_app_path(const dcx_app *app, const char *file, char *path, size_t size,
                        dcx_error *error);

/* Creates a folder and its parents; fine if it exists. */
dcx_result dcx_make_folder(const char *path, dcx_error *error);

/* Seconds of wall clock since some moment; monotonic where the system has such a clock. */
double dcx_seconds(void);

/* >>json ------------------------------------------------------------------------------------- */

/* One JSON object on one line, built in order: init, members, finish, free. `key` is NULL for
   members of an array. Running out of memory is remembered and reported by dcx_json_finish. */
typedef struct dcx_json {
    char *text; /* ends in 0 */
    size_t length, capacity;
    char open[32]; /* brackets to close */
    int depth, failed;
} dcx_json;

void dcx_json_init(dcx_json *json); /* opens the object */
void dcx_json_free(dcx_json *json);
/* Escaped; bytes that are not UTF-8 become U+FFFD; NULL becomes null. */
void dcx_json_string(dcx_json *json, const char *key, const char *value);
/* Nine significant digits; NaN and Inf become null. */
void dcx_json_number(dcx_json *json, const char *key, double value);
void dcx_json_integer(dcx_json *json, const char *key, long long value);
void dcx_json_bool(dcx_json *json, const char *key, int value);
void dcx_json_numbers(dcx_json *json, const char *key, const double *values, int count);
void dcx_json_object(dcx_json *json, const char *key); /* at most 31 levels deep */
void dcx_json_array(dcx_json *json, const char *key);
void dcx_json_close(dcx_json *json); /* the innermost object or array */
/* Closes what is open and returns the line, without a newline; NULL if memory ran out. */
const char *dcx_json_finish(dcx_json *json);

/* Finishes, prints the line on standard output, frees. DCX_OUT_OF_MEMORY or DCX_IO_ERROR. */
dcx_result dcx_app_print_json(dcx_app *app, dcx_json *json);

#ifdef __cplusplus
}
#endif

#endif /* DCX_APP_H; stop here if you only want the interface */

/* >>impl ===================================================================================== */
#if defined(DCX_APP_IMPLEMENTATION) && !defined(DCX_APP_IMPLEMENTED)
#define DCX_APP_IMPLEMENTED

#ifndef DCX_IO_IMPLEMENTATION
#define DCX_IO_IMPLEMENTATION
#endif
#include "dcx_io.h"

#include <errno.h>
#include <time.h>

#if defined(_WIN32)
#include <direct.h>
#include <io.h>
#elif defined(__unix__) || defined(__APPLE__) || defined(__EMSCRIPTEN__)
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>
#define DCXI_POSIX 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- system ---------------------------------------------------------------------------------- */

double dcx_seconds(void)
{
#if defined(DCXI_POSIX) && defined(CLOCK_MONOTONIC)
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0)
        return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
#if defined(DCXI_POSIX)
    {
        struct timeval day;
        gettimeofday(&day, NULL);
        return (double)day.tv_sec + 1e-6 * (double)day.tv_usec;
    }
#else
    return (double)clock() / CLOCKS_PER_SEC; /* wall clock on Windows */
#endif
}

static int dcxi_stderr_is_terminal(void)
{
#if defined(DCXI_POSIX)
    return isatty(2);
#elif defined(_WIN32)
    return _isatty(2);
#else
    return 0;
#endif
}

/* 0 if one folder was made or was there. */
static int dcxi_make_one_folder(const char *path)
{
#if defined(DCXI_POSIX)
    if (mkdir(path, 0777) == 0) return 0;
#elif defined(_WIN32)
    if (_mkdir(path) == 0) return 0;
#else
    errno = 0;
    (void)path;
#endif
#if DCXI_HAS_DIRENT
    return !dcxi_is_folder(path);
#else
    return errno != EEXIST;
#endif
}

static int dcxi_is_separator(char c)
{
#if defined(_WIN32)
    if (c == '\\') return 1;
#endif
    return c == '/';
}

dcx_result dcx_make_folder(const char *path, dcx_error *error)
{
    size_t n = strlen(path), i;
    char *part = (char *)DCX_MALLOC(n + 1);
    int failed = 0;
    if (!part) return dcxi_no_memory(error);
    memcpy(part, path, n + 1);
    for (i = 1; i < n; i++) {
        if (!dcxi_is_separator(path[i])) continue;
        part[i] = 0;
        dcxi_make_one_folder(part); /* only the last one has to work: parents may be closed to us */
        part[i] = path[i];
    }
    if (n) failed = dcxi_make_one_folder(part);
    DCX_FREE(part);
    if (!failed) return DCX_OK;
    return dcx_error_set(error, DCX_IO_ERROR, "%.150s: the folder cannot be created", path);
}

/* ---- command line ---------------------------------------------------------------------------- */

dcx_app_desc dcx_app_default_desc(const char *name, const char *about)
{
    dcx_app_desc desc;
    desc.name = name;
    desc.about = about;
    desc.methods = "lbfgsb|lm|adam|cmaes|es";
    desc.method = "lbfgsb";
    desc.argument = NULL;
    desc.seeds = 5;
    desc.flags = NULL;
    desc.flag_count = 0;
    return desc;
}

int dcx_app_motion(const dcx_app *app, int least, dcx_mesh *mesh, dcx_motion *motion,
                   dcx_error *error)
{
    if (dcx_motion_read(app->motion, motion, app->mesh ? NULL : mesh, error)) return -1;
    if (app->mesh && dcx_obj_read(app->mesh, mesh, error)) return -1;
    if (!mesh->vertex_count)
        dcx_error_set(error, DCX_BAD_ARGUMENT, "%s has no triangles, --mesh is needed",
                      app->motion);
    else if (mesh->vertex_count != motion->vertex_count)
        dcx_error_set(error, DCX_BAD_ARGUMENT, "--mesh has %d vertices, --motion has %d",
                      mesh->vertex_count, motion->vertex_count);
    else if (motion->frame_count < least)
        dcx_error_set(error, DCX_BAD_ARGUMENT, "--motion has %d frames, at least %d are needed",
                      motion->frame_count, least);
    else
        return 0;
    return -1;
}

int dcx_app_fail(dcx_app *app, const char *text)
{
    dcx_app_progress(app, "", 1.0);
    fprintf(stderr, "%s: %s\n", app->name, text);
    return 2;
}

#define DCXI_FLAGS 12

static void dcxi_flag_set(dcx_flag *flag, const char *name, dcx_flag_kind kind, void *value,
                          const char *choices, const char *help)
{
    flag->name = name;
    flag->kind = kind;
    flag->value = value;
    flag->choices = choices;
    flag->help = help;
}

/* The flags every program has; returns how many. */
static int dcxi_app_flags(dcx_app *app, const dcx_app_desc *desc, int *help, dcx_flag *f)
{
    int n = 0;
    dcxi_flag_set(f + n++, "--full", DCX_FLAG_SWITCH, &app->full, NULL, "the paper's size");
    dcxi_flag_set(f + n++, "--paper", DCX_FLAG_SWITCH, &app->paper, NULL,
                  "the paper's own numbers and units");
    dcxi_flag_set(f + n++, "--mesh", DCX_FLAG_FILE, &app->mesh, "FILE.obj", "another cloth");
    dcxi_flag_set(f + n++, "--motion", DCX_FLAG_FILE, &app->motion, "FILE",
                  "a recorded motion (.pc2, or a folder of .obj)");
    dcxi_flag_set(f + n++, "--method", DCX_FLAG_CHOICE, &app->method, desc->methods,
                  "how to optimise");
    dcxi_flag_set(f + n++, "--seed", DCX_FLAG_SEED, &app->seed, "N", "of the random numbers");
    dcxi_flag_set(f + n++, "--seeds", DCX_FLAG_COUNT, &app->seeds, "N", "how many starts");
    dcxi_flag_set(f + n++, "--out", DCX_FLAG_TEXT, &app->out, "DIR", "where pictures go (out/)");
    dcxi_flag_set(f + n++, "--json", DCX_FLAG_SWITCH, &app->json, NULL,
                  "only the JSON line on standard output");
    dcxi_flag_set(f + n++, "--threads", DCX_FLAG_COUNT, &app->threads, "N", "threads to use (1)");
    dcxi_flag_set(f + n++, "--quiet", DCX_FLAG_SWITCH, &app->quiet, NULL, "no tables, no progress");
    dcxi_flag_set(f + n++, "--help", DCX_FLAG_SWITCH, help, NULL, "this text");
    return n;
}

static void dcxi_print_flags(const dcx_flag *flags, int count)
{
    int i, n;
    for (i = 0; i < count; i++) {
        n = printf("    %s%s%s", flags[i].name, flags[i].choices ? " " : "",
                   flags[i].choices ? flags[i].choices : "");
        printf("%*s  %s\n", n < 40 ? 40 - n : 0, "", flags[i].help);
    }
}

static int dcxi_is_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    const char *p = choices;
    while (p) {
        if (n && strncmp(p, value, n) == 0 && (p[n] == '|' || p[n] == 0)) return 1;
        p = strchr(p, '|');
        if (p) p++;
    }
    return 0;
}

/* Decimal digits only, in 0..limit. */
static int dcxi_parse_count(const char *text, unsigned long long limit, unsigned long long *value)
{
    const char *p = text;
    *value = 0;
    for (; dcxi_is_digit(p, NULL); p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (*value > (limit - digit) / 10) return 0;
        *value = *value * 10 + digit;
    }
    return p != text && *p == 0;
}

static int dcxi_can_open(const char *path)
{
    FILE *file;
    if (dcxi_is_folder(path)) return 1;
    file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

/* Stores the value of a flag; returns NULL, or what is wrong with it. */
static const char *dcxi_flag_store(const dcx_flag *flag, const char *value)
{
    unsigned long long count;
    const char *end;
    switch (flag->kind) {
    case DCX_FLAG_SWITCH:
        *(int *)flag->value = 1;
        return NULL;
    case DCX_FLAG_TEXT:
        if (!*value) return "must not be empty";
        break;
    case DCX_FLAG_FILE:
        if (!dcxi_can_open(value)) return "cannot be opened";
        break;
    case DCX_FLAG_CHOICE:
        if (!dcxi_is_choice(flag->choices, value)) return "is not one of ";
        break;
    case DCX_FLAG_COUNT:
        if (!dcxi_parse_count(value, 1000000, &count) || count < 1)
            return "is not a whole number in 1..1000000";
        *(int *)flag->value = (int)count;
        return NULL;
    case DCX_FLAG_SEED:
        if (!dcxi_parse_count(value, ~0ULL, (unsigned long long *)flag->value))
            return "is not a whole number in 0..18446744073709551615";
        return NULL;
    case DCX_FLAG_NUMBER:
        end = dcx_double_parse(value, NULL, (double *)flag->value);
        return end && !*end ? NULL : "is not a finite number";
    }
    *(const char **)flag->value = value;
    return NULL;
}

static const dcx_flag *dcxi_find_flag(const dcx_flag *flags, int count, const char *name, size_t n)
{
    int i;
    for (i = 0; i < count; i++)
        if (strlen(flags[i].name) == n && strncmp(flags[i].name, name, n) == 0) return flags + i;
    return NULL;
}

/* Reads the argument at argv[i] and its value; returns how many were used, or 0 after an error. */
static int dcxi_app_argument(dcx_app *app, const dcx_app_desc *desc, const dcx_flag *flags,
                             int count, int i, int argc, char **argv, dcx_error *error)
{
    const char *word = argv[i], *equals = strchr(word, '='), *value = NULL, *wrong = NULL;
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    const dcx_flag *flag = dcxi_find_flag(flags, count, word, n);
    int used = 1;
    if (!flag) flag = dcxi_find_flag(desc->flags, desc->flag_count, word, n);
    if (!flag && word[0] != '-' && desc->argument && !app->argument) {
        app->argument = word;
        return 1;
    }
    if (!flag) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "%s '%.100s' (--help lists the flags)",
                      word[0] == '-' ? "unknown flag" : "unexpected argument", word);
        return 0;
    }
    if (equals)
        value = equals + 1;
    else if (flag->kind != DCX_FLAG_SWITCH && i + 1 < argc && strncmp(argv[i + 1], "--", 2) != 0)
        value = argv[i + used++];
    if (flag->kind == DCX_FLAG_SWITCH && value) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "%s takes no value", flag->name);
        return 0;
    }
    if (flag->kind != DCX_FLAG_SWITCH && !value) {
        dcx_error_set(error, DCX_BAD_ARGUMENT, "%s needs a value: %s", flag->name, flag->choices);
        return 0;
    }
    wrong = dcxi_flag_store(flag, value);
    if (!wrong) return used;
    dcx_error_set(error, DCX_BAD_ARGUMENT, "%s '%.100s' %s%s", flag->name, value, wrong,
                  flag->kind == DCX_FLAG_CHOICE ? flag->choices : "");
    return 0;
}

static void dcxi_print_help(const dcx_app_desc *desc, const dcx_flag *flags, int count)
{
    printf("%s - %s\n\nusage: %s [flags]%s%s\n\n", desc->name, desc->about, desc->name,
           desc->argument ? " " : "", desc->argument ? desc->argument : "");
    dcxi_print_flags(desc->flags, desc->flag_count);
    dcxi_print_flags(flags, count);
}

int dcx_app_parse(dcx_app *app, const dcx_app_desc *desc, int argc, char **argv, dcx_error *error)
{
    dcx_flag flags[DCXI_FLAGS];
    int count, i, help = 0;
    memset(app, 0, sizeof *app);
    app->name = desc->name;
    app->method = desc->method;
    app->out = "out";
    app->seed = 1;
    app->seeds = desc->seeds;
    app->threads = 1;
    count = dcxi_app_flags(app, desc, &help, flags);
    for (i = 1; i < argc && !help;) {
        int used = dcxi_app_argument(app, desc, flags, count, i, argc, argv, error);
        if (!used) return 2;
        i += used;
    }
    if (help) {
        dcxi_print_help(desc, flags, count);
        return 0;
    }
    app->bar = !app->json && !app->quiet && dcxi_stderr_is_terminal();
    return -1;
}

int dcx_app_init(dcx_app *app, const dcx_app_desc *desc, int argc, char **argv)
{
    dcx_error error;
    int status = dcx_app_parse(app, desc, argc, argv, &error);
    return status == 2 ? dcx_app_fail(app, error.text) : status;
}

/* ---- output ---------------------------------------------------------------------------------- */

void dcx_app_progress(dcx_app *app, const char *what, double part)
{
    char bar[31];
    double now;
    int filled, i;
    if (!app->bar) return;
    if (!(part < 1.0)) {
        if (app->bar == 2) fputs("\r\033[K", stderr);
        app->bar = 1;
        return;
    }
    now = dcx_seconds();
    if (app->bar == 2 && now - app->bar_time < 0.1) return;
    app->bar = 2;
    app->bar_time = now;
    filled = part > 0 ? (int)(part * 30) : 0;
    for (i = 0; i < 30; i++) bar[i] = i < filled ? '#' : '.';
    bar[30] = 0;
    fprintf(stderr, "\r%.40s [%s] %3d %%\033[K", what, bar, part > 0 ? (int)(part * 100) : 0);
    fflush(stderr);
}

void dcx_app_print(dcx_app *app, const char *format, ...)
{
    va_list arguments;
    if (app->json || app->quiet) return;
    dcx_app_progress(app, "", 1.0);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
}

dcx_result dcx_app_path(const dcx_app *app, const char *file, char *path, size_t size,
                        dcx_error *error)
{
    int n = snprintf(path, size, "%s/%s", app->out, file);
    if (n < 0 || (size_t)n >= size)
        return dcx_error_set(error, DCX_TOO_LARGE, "--out %.100s: the path is too long", app->out);
    return dcx_make_folder(app->out, error);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void dcxi_json_append(dcx_json *json, const char *text, size_t n)
{
    if (json->failed) return;
    if (n >= json->capacity - json->length) {
        size_t capacity = json->capacity * 2 + n + 256;
        char *grown = (char *)DCX_REALLOC(json->text, capacity);
        if (!grown) {
            json->failed = 1;
            return;
        }
        json->text = grown;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, text, n);
    json->length += n;
    json->text[json->length] = 0;
}

/* The length of the UTF-8 sequence at p, 0 if it is not one (RFC 3629: no overlong forms, no
   surrogates, nothing above U+10FFFF). Reads no further than a 0. */
static int dcxi_utf8_length(const unsigned char *p)
{
    int n = p[0] < 0x80 ? 1 : p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4, i;
    if (p[0] > 0xF4) return 0;
    for (i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F)) return 0;
    if ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F)) return 0;
    return n;
}

static void dcxi_json_quote(dcx_json *json, const char *value)
{
    const unsigned char *p = (const unsigned char *)value;
    dcxi_json_append(json, "\"", 1);
    while (*p) {
        int n = dcxi_utf8_length(p);
        if (n == 0) {
            dcxi_json_append(json, "\\ufffd", 6);
            n = 1;
        } else if (*p == '"' || *p == '\\') {
            char pair[2] = {'\\', 0};
            pair[1] = (char)*p;
            dcxi_json_append(json, pair, 2);
        } else if (*p < 32) {
            char code[8];
            snprintf(code, sizeof code, "\\u%04x", (unsigned)*p);
            dcxi_json_append(json, code, 6);
        } else {
            dcxi_json_append(json, (const char *)p, (size_t)n);
        }
        p += n;
    }
    dcxi_json_append(json, "\"", 1);
}

/* The comma after the member before, and the key. */
static void dcxi_json_begin(dcx_json *json, const char *key)
{
    char last = json->length ? json->text[json->length - 1] : '{';
    if (last != '{' && last != '[') dcxi_json_append(json, ",", 1);
    if (!key) return;
    dcxi_json_quote(json, key);
    dcxi_json_append(json, ":", 1);
}

static void dcxi_json_word(dcx_json *json, const char *key, const char *word)
{
    dcxi_json_begin(json, key);
    dcxi_json_append(json, word, strlen(word));
}

static void dcxi_json_open(dcx_json *json, const char *key, const char *bracket)
{
    if (json->depth >= (int)sizeof json->open - 1) json->failed = 1;
    dcxi_json_word(json, key, bracket);
    if (!json->failed) json->open[json->depth++] = *bracket;
}

void dcx_json_init(dcx_json *json)
{
    memset(json, 0, sizeof *json);
    dcxi_json_append(json, "{", 1);
    json->open[json->depth++] = '{';
}

void dcx_json_free(dcx_json *json)
{
    DCX_FREE(json->text);
    memset(json, 0, sizeof *json);
}

void dcx_json_string(dcx_json *json, const char *key, const char *value)
{
    if (!value) {
        dcxi_json_word(json, key, "null");
        return;
    }
    dcxi_json_begin(json, key);
    dcxi_json_quote(json, value);
}

void dcx_json_number(dcx_json *json, const char *key, double value)
{
    char text[DCX_DOUBLE_TEXT];
    int finite = value >= -DBL_MAX && value <= DBL_MAX;
    dcxi_json_word(json, key, finite ? dcx_double_print(text, value, 9) : "null");
}

void dcx_json_integer(dcx_json *json, const char *key, long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    dcxi_json_word(json, key, text);
}

void dcx_json_bool(dcx_json *json, const char *key, int value)
{
    dcxi_json_word(json, key, value ? "true" : "false");
}

void dcx_json_numbers(dcx_json *json, const char *key, const double *values, int count)
{
    int i;
    dcx_json_array(json, key);
    for (i = 0; i < count; i++) dcx_json_number(json, NULL, values[i]);
    dcx_json_close(json);
}

void dcx_json_object(dcx_json *json, const char *key)
{
    dcxi_json_open(json, key, "{");
}

void dcx_json_array(dcx_json *json, const char *key)
{
    dcxi_json_open(json, key, "[");
}

void dcx_json_close(dcx_json *json)
{
    if (json->depth > 0) dcxi_json_append(json, json->open[--json->depth] == '{' ? "}" : "]", 1);
}

const char *dcx_json_finish(dcx_json *json)
{
    while (json->depth > 0) dcx_json_close(json);
    return json->failed ? NULL : json->text;
}

dcx_result dcx_app_print_json(dcx_app *app, dcx_json *json)
{
    const char *line = dcx_json_finish(json);
    int written;
    dcx_app_progress(app, "", 1.0);
    written = line ? printf("%s\n", line) : -1;
    if (fflush(stdout) != 0) written = -1;
    dcx_json_free(json);
    if (!line) return DCX_OUT_OF_MEMORY;
    return written < 0 ? DCX_IO_ERROR : DCX_OK;
}

#ifdef __cplusplus
}
#endif

#endif /* DCX_APP_IMPLEMENTATION */

/* >>licence
   ---------------------------------------------------------------------------------------- Two
   licences, choose the one you prefer.

   A - Public domain (unlicense.org)
   This is free and unencumbered software released into the public domain. Anyone is free to copy,
   modify, publish, use, compile, sell, or distribute this software, either in source code form or
   as a compiled binary, for any purpose, commercial or non-commercial, and by any means. In
   jurisdictions that recognize copyright laws, the author or authors of this software dedicate any
   and all copyright interest in the software to the public domain. We make this dedication for the
   benefit of the public at large and to the detriment of our heirs and successors. We intend this
   dedication to be an overt act of relinquishment in perpetuity of all present and future rights to
   this software under copyright law. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
   KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
   FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY
   CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
   FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

   B - MIT licence, Copyright (c) 2025 diffcloth contributors
   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions: The above copyright notice and this
   permission notice shall be included in all copies or substantial portions of the Software. THE
   SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
   LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
