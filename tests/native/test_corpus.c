/* Runs every stored fuzzing input with its target: tests/fuzz/corpus, and tests/fuzz/findings for
 * past faults. `make fuzz` searches for new inputs. */
#include <dirent.h>
#include <stdint.h>

#include "check.h"

/* LLVMFuzzerTestOneInput of each target: returns the number of failed checks. */
typedef int target_function(const uint8_t *data, size_t size);
target_function fuzz_chain, fuzz_exports, fuzz_formats, fuzz_gguf, fuzz_grammar, fuzz_tokenizer;

/* A hostile size may ask for more memory than there is: malloc then returns NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

/* The block has exactly the input's size, so that AddressSanitizer sees a read past the end. */
static void replay(target_function *target, const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK_MESSAGE(file && !fseek(file, 0, SEEK_END), "cannot read %s", path);
    if (!file) return;
    size_t size = (size_t)ftell(file);
    uint8_t *data = malloc(size + !size);
    rewind(file);
    CHECK(fread(data, 1, size, file) == size);
    fclose(file);
    CHECK_MESSAGE(!target(data, size), "%s", path);
    free(data);
}

/* Replays the files in tests/fuzz/KIND/NAME; returns their number. */
static int replay_folder(const char *kind, const char *name, target_function *target) {
    char folder[128], path[512];
    int count = 0;
    snprintf(folder, sizeof folder, "tests/fuzz/%s/%s", kind, name);
    DIR *files = opendir(folder);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        replay(target, path);
        count++;
    }
    if (files) closedir(files);
    return count;
}

#define REPLAYS(name)                                                                \
    static void name##_inputs(void) {                                                \
        CHECK_MESSAGE(replay_folder("corpus", #name, fuzz_##name) > 0, "no corpus"); \
        replay_folder("findings", #name, fuzz_##name);                               \
    }

REPLAYS(chain)
REPLAYS(exports)
REPLAYS(formats)
REPLAYS(gguf)
REPLAYS(grammar)
REPLAYS(tokenizer)

int main(void) {
    TEST(chain_inputs);
    TEST(exports_inputs);
    TEST(formats_inputs);
    TEST(gguf_inputs);
    TEST(grammar_inputs);
    TEST(tokenizer_inputs);
    return check_report();
}
