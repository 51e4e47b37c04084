/* Opens each file of tests/fixtures/attacks.js with sanitizers, as model_file.c does. The file must
 * fail with the expected key, or open. */
#include "check.h"
#include "fault_line.h"
#include "model.h"
#include "tokenizer.h"

/* The block has exactly the file's size, so that AddressSanitizer sees a read past the end. */
static uint8_t *read_file(const char *name, size_t *size) {
    char path[256];
    snprintf(path, sizeof path, "build/fixtures/attacks/%s.gguf", name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        printf("cannot read %s; node tests/fixtures/make.js writes it\n", path);
        exit(1);
    }
    *size = (size_t)ftell(file);
    uint8_t *bytes = malloc(*size + !*size);
    rewind(file);
    if (fread(bytes, 1, *size, file) != *size) exit(1);
    fclose(file);
    return bytes;
}

static enum status open_parts(const struct gguf *file, struct fault *fault) {
    struct gguf_string text;
    struct model_plan plan;
    struct model *model = NULL;
    struct tokenizer *tokenizer = NULL;
    enum status status = model_measure(&plan, file, fault);
    if (gguf_tensor_count(file) == 0 && gguf_find(file, "tokenizer.ggml.model"))
        status = STATUS_OK, plan.shape.vocab_size = 0;
    if (!status) status = gguf_text(file, "general.name", &text, fault);
    if (!status) status = gguf_text(file, "tokenizer.chat_template", &text, fault);
    if (!status && gguf_find(file, "tokenizer.ggml.model"))
        status = tokenizer_open(&tokenizer, file, plan.shape.vocab_size, fault);
    if (!status && gguf_tensor_count(file)) status = model_open(&model, file, fault);
    tokenizer_close(tokenizer);
    model_close(model);
    return status;
}

static void each_is_answered(void) {
    FILE *list = fopen("build/fixtures/attacks/list", "r");
    char name[64], key[64];
    int count = 0;
    while (list && fscanf(list, "%63s %63s", name, key) == 2) {
        size_t size;
        uint8_t *bytes = read_file(name, &size);
        struct gguf *file = NULL;
        struct fault fault = {0};
        enum status status = gguf_open(&file, bytes, size, &fault);
        if (!status) status = open_parts(file, &fault);
        CHECK_MESSAGE(!strcmp(status ? fault.key : "-", key), "%s: %s instead of %s", name,
                      status ? fault_line(&fault) : "opened", key);
        gguf_close(file);
        free(bytes);
        count++;
    }
    if (list) fclose(list);
    CHECK_MESSAGE(count > 100, "%d files", count);
}

int main(void) {
    TEST(each_is_answered);
    return check_report();
}
