/* Opens files that are valid, broken in one field, cut, or changed in one bit. Each fault must have
 * its values, no access may be out of bounds, and each file that opens must run. */
#include <math.h>

#include "check.h"
#include "fault_line.h"
#include "forward.h"
#include "gguf_builder.h"
#include "session.h"

/* A hostile context_length may ask for more memory than there is: malloc then returns NULL. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

static char line[FAULT_LINE_MAX];

/* Opens a copy of exactly `size` bytes at an odd address; writes the fault to `line`. */
static enum status open_copy(const unsigned char *image, size_t size) {
    struct gguf *file = NULL;
    struct fault fault = {0};
    unsigned char *copy = malloc(size + 1);
    memcpy(copy + 1, image, size);
    enum status status = gguf_open(&file, copy + 1, size, &fault);
    CHECK(status == STATUS_OK ? file != NULL : file == NULL && fault.key);
    strcpy(line, fault_line(&fault));
    gguf_close(file);
    free(copy);
    return status;
}

static void expect(const struct builder *b, enum status status, const char *text) {
    enum status got = open_copy(b->bytes, b->used);
    CHECK_MESSAGE(got == status && !strcmp(line, text), "%s: \"%s\" instead of \"%s\"",
                  status_name(got), line, text);
}

/* Feeds three tokens, unless the cache would need too much memory for a test. */
static void feed_three(const struct model *model) {
    const struct model_shape *m = &model->shape;
    uint32_t ids[3] = {0, m->vocab_size / 2, m->vocab_size - 1};
    struct session *session = NULL;
    struct session_fed fed;
    struct fault fault = {0};
    if ((uint64_t)m->context_length * m->n_layer * m->n_embd > 1 << 22) return;
    enum status status = session_open(&session, model, 0, &kernels_simd, &fault);
    CHECK(status == STATUS_OK || status == STATUS_OUT_OF_MEMORY);
    if (status) return;
    status = session_feed(session, ids, 3, true, &fed, &fault);
    CHECK(status == STATUS_OK || status == STATUS_NOT_FINITE);
    session_close(session);
}

/* Parses the file, opens the model and runs it; returns the first failure. */
static enum status run(const unsigned char *image, size_t size) {
    struct gguf *file = NULL;
    struct model *model = NULL;
    struct fault fault = {0};
    unsigned char *copy = malloc(size + !size);
    memcpy(copy, image, size);
    enum status status = gguf_open(&file, copy, size, &fault);
    if (!status) status = model_open(&model, file, &fault);
    CHECK(status ? !model && fault.key && fault.status == status : model != NULL);
    strcpy(line, fault_line(&fault));
    gguf_close(file);
    free(copy);
    if (model) feed_three(model);
    model_close(model);
    return status;
}

static void reads_every_type(void) {
    struct builder b = {0};
    struct gguf *file = NULL;
    put_header(&b, 3, 0, 15);
    put_key(&b, "u8", GGUF_UINT8), put_bytes(&b, "\xff", 1);
    put_key(&b, "i8", GGUF_INT8), put_bytes(&b, "\xff", 1);
    put_key(&b, "u16", GGUF_UINT16), put_bytes(&b, "\x01\xff", 2);
    put_key(&b, "i16", GGUF_INT16), put_bytes(&b, "\x01\x7f", 2);
    put_key(&b, "u32", GGUF_UINT32), put_u32(&b, UINT32_MAX);
    put_key(&b, "i32", GGUF_INT32), put_u32(&b, 7);
    put_key(&b, "f32", GGUF_FLOAT32), put_u32(&b, 0x3fc00000);
    put_key(&b, "bool", GGUF_BOOL), put_bytes(&b, "\x01", 1);
    put_key(&b, "string", GGUF_STRING), put_text(&b, "text");
    put_key(&b, "u64", GGUF_UINT64), put_u64(&b, (uint64_t)1 << 32);
    put_key(&b, "i64", GGUF_INT64), put_u64(&b, 9);
    put_key(&b, "f64", GGUF_FLOAT64), put_u64(&b, 0xc004000000000000);
    put_key(&b, "strings", GGUF_ARRAY), put_u32(&b, GGUF_STRING), put_u64(&b, 3);
    put_text(&b, "a"), put_text(&b, ""), put_text(&b, "ccc");
    put_key(&b, "nested", GGUF_ARRAY), put_u32(&b, GGUF_ARRAY), put_u64(&b, 2);
    put_u32(&b, GGUF_UINT8), put_u64(&b, 3), put_bytes(&b, "abc", 3);
    put_u32(&b, GGUF_STRING), put_u64(&b, 1), put_text(&b, "x");
    put_key(&b, "numbers", GGUF_ARRAY), put_u32(&b, GGUF_INT32), put_u64(&b, 2);
    put_u32(&b, 5), put_u32(&b, (uint32_t)-6);

    CHECK(gguf_open(&file, b.bytes, b.used, NULL) == STATUS_OK);
    uint32_t n = 0;
    double x = 0;
    bool flag = false;
    struct gguf_string s;
    CHECK(!gguf_u32(file, "u8", 0, &n, NULL) && n == 255);
    CHECK(gguf_u32(file, "i8", 0, &n, NULL) == STATUS_BAD_FILE);
    CHECK(!gguf_u32(file, "u16", 0, &n, NULL) && n == 0xff01);
    CHECK(!gguf_u32(file, "i16", 0, &n, NULL) && n == 0x7f01);
    CHECK(!gguf_u32(file, "u32", 0, &n, NULL) && n == UINT32_MAX);
    CHECK(!gguf_u32(file, "i32", 0, &n, NULL) && n == 7);
    CHECK(gguf_u32(file, "u64", 0, &n, NULL) == STATUS_BAD_FILE);
    CHECK(!gguf_u32(file, "i64", 0, &n, NULL) && n == 9);
    CHECK(gguf_u32(file, "f32", 0, &n, NULL) == STATUS_BAD_FILE);
    CHECK(!gguf_u32(file, "absent", 3, &n, NULL) && n == 3);
    CHECK(!gguf_f64(file, "f32", 0, &x, NULL) && x == 1.5);
    CHECK(!gguf_f64(file, "f64", 0, &x, NULL) && x == -2.5);
    CHECK(gguf_f64(file, "i32", 0, &x, NULL) == STATUS_BAD_FILE);
    CHECK(!gguf_bool(file, "bool", false, &flag, NULL) && flag);
    CHECK(gguf_bool(file, "u8", false, &flag, NULL) == STATUS_BAD_FILE);
    CHECK(!gguf_text(file, "string", &s, NULL) && s.length == 4 && !memcmp(s.data, "text", 4));
    CHECK(gguf_text(file, "bool", &s, NULL) == STATUS_BAD_FILE);
    CHECK(!gguf_text(file, "absent", &s, NULL) && !s.data);
    const struct gguf_value *strings = gguf_find(file, "strings");
    const uint8_t *cursor = strings->data;
    CHECK(strings->count == 3 && strings->element_type == GGUF_STRING);
    CHECK(gguf_next_string(&cursor).length == 1 && gguf_next_string(&cursor).length == 0);
    CHECK(!memcmp(gguf_next_string(&cursor).data, "ccc", 3));
    CHECK(gguf_find(file, "nested")->element_type == GGUF_ARRAY);
    CHECK(gguf_array_i32(gguf_find(file, "numbers"), 1) == -6);
    CHECK(gguf_find(file, "number") == NULL && gguf_tensor_count(file) == 0);
    gguf_close(file);
    free(b.bytes);
}

static void widens_exactly(void) {
    struct builder b = {0};
    struct gguf *file = NULL;
    put_header(&b, 2, 3, 0);
    put_tensor(&b, "single", 1, (uint64_t[]){2}, GGUF_F32, 0);
    put_tensor(&b, "half", 2, (uint64_t[]){4, 2}, GGUF_F16, 32);
    put_tensor(&b, "quants", 1, (uint64_t[]){64}, GGUF_Q8_0, 64);
    put_padding(&b, 32);
    put_u32(&b, 0x3f800001), put_u32(&b, 0x80000000);
    put_padding(&b, 32);
    put_bytes(&b, "\x00\x3c\x00\xc0\x01\x00\xff\x83\x00\x04\xff\x7b\x00\x7c\x01\x7e", 16);
    put_padding(&b, 32);
    for (int block = 0; block < 2; block++) {
        put_bytes(&b, block ? "\x00\xb8" : "\x00\x40", 2); /* -0.5, 2 */
        for (int i = 0; i < 32; i++) put_bytes(&b, &(signed char){(signed char)(i * 8 - 128)}, 1);
    }
    CHECK(gguf_open(&file, b.bytes, b.used, NULL) == STATUS_OK);
    float out[64];
    const struct gguf_tensor *half = gguf_tensor_find(file, "half");
    gguf_widen(gguf_tensor_find(file, "single"), 0, 2, out);
    CHECK(out[0] == 1.00000012f && out[1] == 0 && signbit(out[1]));
    gguf_widen(half, 0, 8, out);
    CHECK(out[0] == 1 && out[1] == -2 && out[2] == 0x1p-24f && out[3] == -0x1.ff8p-15f);
    CHECK(out[4] == 0x1p-14f && out[5] == 65504 && isinf(out[6]) && isnan(out[7]));
    gguf_widen(half, 5, 1, out);
    CHECK(out[0] == 65504 && half->shape[1] == 2 && half->n_dimensions == 2 && half->bytes == 16);
    gguf_widen(gguf_tensor_find(file, "quants"), 32, 32, out);
    CHECK(out[0] == 64 && out[31] == -60);
    CHECK(gguf_file_type(file) == 7 && gguf_tensor_at(file, 1) == half);
    gguf_close(file);
    free(b.bytes);
}

static void names_faults_in_metadata(void) {
    struct builder b = {0};
    put_header(&b, 1, 0, 0);
    expect(&b, STATUS_UNSUPPORTED, "gguf_version 1");
    put_header(&b, 3, UINT64_MAX, 0);
    expect(&b, STATUS_BAD_FILE,
           "more_than_file gguf_header field_tensor_count 18446744073709551615");
    put_header(&b, 3, 0, UINT64_MAX);
    expect(&b, STATUS_BAD_FILE,
           "more_than_file gguf_header field_metadata_kv_count 18446744073709551615");
    put_header(&b, 3, 0, 1), put_key(&b, "switch", GGUF_BOOL), put_bytes(&b, "\x02", 1);
    expect(&b, STATUS_BAD_FILE, "bool_value named_key switch 2");
    put_header(&b, 3, 0, 1), put_key(&b, "odd", 13), put_u64(&b, 0);
    expect(&b, STATUS_BAD_FILE, "gguf_type named_key odd field_type 13");
    put_header(&b, 3, 0, 1), put_key(&b, "", 0), put_u64(&b, 0);
    expect(&b, STATUS_BAD_FILE, "field_empty named_metadata 0 field_key");
    put_header(&b, 3, 0, 1), put_key(&b, "list", GGUF_ARRAY), put_u32(&b, GGUF_UINT64);
    put_u64(&b, (uint64_t)1 << 61);
    expect(&b, STATUS_BAD_FILE, "value_beyond named_key list 2305843009213693952");
    put_header(&b, 3, 0, 1), put_key(&b, "text", GGUF_STRING), put_u64(&b, UINT64_MAX - 7);
    expect(&b, STATUS_BAD_FILE,
           "reaches_beyond named_key text field_string_length 18446744073709551608");
    put_header(&b, 3, 0, 1), put_key(&b, "deep", GGUF_ARRAY);
    for (int i = 0; i < 9; i++) put_u32(&b, GGUF_ARRAY), put_u64(&b, 1);
    put_u32(&b, GGUF_UINT8), put_u64(&b, 0);
    expect(&b, STATUS_BAD_FILE, "arrays_nested named_key deep");
    put_header(&b, 3, 0, 2);
    for (int i = 0; i < 2; i++) put_key(&b, "same", GGUF_UINT32), put_u32(&b, 0);
    expect(&b, STATUS_BAD_FILE, "key_twice same");
    for (uint32_t alignment = 0; alignment < 4; alignment += 3) {
        put_header(&b, 3, 0, 1), put_key(&b, "general.alignment", GGUF_UINT32);
        put_u32(&b, alignment);
        expect(&b, STATUS_BAD_FILE, alignment ? "alignment 3" : "alignment 0");
    }
    put_header(&b, 3, 0, 1), put_key(&b, "general.alignment", GGUF_STRING), put_text(&b, "32");
    expect(&b, STATUS_BAD_FILE, "key_must_be general.alignment an_integer");
    free(b.bytes);
}

static void one_tensor(struct builder *b, uint32_t n_dimensions, const uint64_t *shape,
                       uint32_t type, uint64_t offset) {
    put_header(b, 3, 1, 0);
    put_tensor(b, "t", n_dimensions, shape, type, offset);
    put_padding(b, 32);
    for (int i = 0; i < 16; i++) put_u32(b, 0);
}

static void names_faults_in_tensors(void) {
    struct builder b = {0};
    const uint64_t big = (uint64_t)1 << 32;
    one_tensor(&b, 1, (uint64_t[]){16}, GGUF_F32, 0);
    CHECK(open_copy(b.bytes, b.used) == STATUS_OK);
    one_tensor(&b, 0, NULL, GGUF_F32, 0);
    expect(&b, STATUS_BAD_FILE, "n_dimensions named_tensor t 0");
    one_tensor(&b, 5, (uint64_t[]){1, 1, 1, 1, 1}, GGUF_F32, 0);
    expect(&b, STATUS_BAD_FILE, "n_dimensions named_tensor t 5");
    one_tensor(&b, 2, (uint64_t[]){4, 0}, GGUF_F32, 0);
    expect(&b, STATUS_BAD_FILE, "shape_zero named_tensor t");
    one_tensor(&b, 2, (uint64_t[]){big, big}, GGUF_F32, 0);
    expect(&b, STATUS_BAD_FILE, "shape_many named_tensor t 4294967296");
    one_tensor(&b, 2, (uint64_t[]){big, big / 2 - 1}, GGUF_F32, 0);
    expect(&b, STATUS_BAD_FILE, "shape_larger named_tensor t 9223372032559808512");
    one_tensor(&b, 1, (uint64_t[]){17}, GGUF_F32, 0);
    expect(&b, STATUS_BAD_FILE, "data_beyond named_tensor t 68");
    one_tensor(&b, 1, (uint64_t[]){1}, GGUF_F32, 96);
    expect(&b, STATUS_BAD_FILE, "offset_beyond named_tensor t 96");
    one_tensor(&b, 1, (uint64_t[]){1}, GGUF_F32, 4);
    expect(&b, STATUS_BAD_FILE, "offset_unaligned named_tensor t 4");
    one_tensor(&b, 1, (uint64_t[]){1}, GGUF_F32, UINT64_MAX - 31);
    expect(&b, STATUS_BAD_FILE, "offset_beyond named_tensor t 18446744073709551584");
    one_tensor(&b, 1, (uint64_t[]){31}, GGUF_Q8_0, 0);
    expect(&b, STATUS_BAD_FILE, "tensor_block t 31 32 Q8_0");
    one_tensor(&b, 1, (uint64_t[]){48}, GGUF_Q4_1, 0);
    expect(&b, STATUS_BAD_FILE, "tensor_block t 48 32 Q4_1");
    one_tensor(&b, 2, (uint64_t[]){896, 1}, GGUF_Q4_K, 0);
    expect(&b, STATUS_BAD_FILE, "tensor_block t 896 256 Q4_K");
    one_tensor(&b, 1, (uint64_t[]){32}, 17, 0);
    expect(&b, STATUS_UNSUPPORTED, "tensor_type t IQ2_XS");
    one_tensor(&b, 1, (uint64_t[]){32}, 4000000000, 0);
    expect(&b, STATUS_UNSUPPORTED, "tensor_type t 4000000000");
    put_header(&b, 3, 2, 0);
    for (int i = 0; i < 2; i++) put_tensor(&b, "t\xff\n", 1, (uint64_t[]){1}, GGUF_F32, 0);
    put_padding(&b, 32), put_u64(&b, 0);
    expect(&b, STATUS_BAD_FILE, "tensor_twice t??");
    free(b.bytes);
}

/* Opens a file with 100,000 keys and 100,000 tensors; in the second round the last name repeats the
 * first. */
static void huge_tables_take_no_time(void) {
    struct builder b = {0};
    char name[32];
    for (int repeated = 0; repeated < 2; repeated++) {
        put_header(&b, 3, 100000, 100000);
        for (int i = 0; i < 100000; i++) {
            snprintf(name, sizeof name, "key.%d", i);
            put_key(&b, name, GGUF_UINT8), put_bytes(&b, "", 1);
        }
        for (int i = 0; i < 100000; i++) {
            snprintf(name, sizeof name, "tensor.%d", repeated ? i % 99999 : i);
            put_tensor(&b, name, 1, (uint64_t[]){1}, GGUF_F32, 0);
        }
        put_padding(&b, 32), put_u64(&b, 0);
        if (repeated)
            expect(&b, STATUS_BAD_FILE, "tensor_twice tensor.0");
        else
            CHECK(open_copy(b.bytes, b.used) == STATUS_OK);
    }
    free(b.bytes);
}

/* The sample tries different cuts and tensors in each file. */
static void every_cut_is_refused(void) {
    const size_t step = check_step(11);
    for (size_t i = 0; i < FORWARD_COUNT; i++) {
        struct field fields[1024];
        size_t size, end;
        unsigned char *image = forward_image(forward_names[i], &size);
        struct gguf *file = NULL;
        find_fields(image, fields, &end);
        for (size_t cut = i % step; cut <= end; cut += step)
            CHECK(open_copy(image, cut) != STATUS_OK);
        CHECK(gguf_open(&file, image, size, NULL) == STATUS_OK);
        for (uint64_t t = i % step; t < gguf_tensor_count(file); t += step) {
            const struct gguf_tensor *tensor = gguf_tensor_at(file, t);
            size_t start = (size_t)(tensor->data - image), last = start + (size_t)tensor->bytes;
            CHECK(run(image, start) == STATUS_BAD_FILE);
            CHECK(run(image, start + 1) == STATUS_BAD_FILE);
            CHECK(run(image, last - 1) == STATUS_BAD_FILE);
        }
        CHECK(run(image, size) == STATUS_OK);
        gguf_close(file);
        free(image);
    }
}

/* The sample tries one of the four extremes in a sixth of the fields, and others in the next file.
 */
static void every_field_at_its_extremes(void) {
    const size_t step = check_step(24);
    static const uint64_t extremes[] = {0, 1, (uint64_t)1 << 31, UINT64_MAX};
    for (size_t i = 0; i < FORWARD_COUNT; i++) {
        struct field fields[1024];
        size_t size, end, opened = 0, tried = 0;
        unsigned char *image = forward_image(forward_names[i], &size);
        size_t n = find_fields(image, fields, &end);
        CHECK(n > 100 && n <= 1024 && end <= size);
        for (size_t f = 0; f < n; f++) {
            unsigned char kept[8];
            memcpy(kept, image + fields[f].position, fields[f].width);
            for (size_t e = (i + f) % step; e < 4; e += step, tried++) {
                memcpy(image + fields[f].position, &extremes[e], fields[f].width);
                opened += run(image, size) == STATUS_OK;
            }
            memcpy(image + fields[f].position, kept, fields[f].width);
        }
        CHECK_MESSAGE(4 * opened < tried, "%zu of %zu opened", opened, tried);
        CHECK(run(image, size) == STATUS_OK);
        free(image);
    }
}

/* Half of the flips are in metadata or tensor table, half anywhere. The sample is a 48th of all
 * flips. */
static void ten_thousand_flips(void) {
    const size_t step = check_step(48);
    uint32_t seed = 1;
    size_t refused = 0, opened = 0;
    for (size_t i = 0; i < FORWARD_COUNT; i++) {
        struct field fields[1024];
        size_t size, end;
        unsigned char *image = forward_image(forward_names[i], &size);
        find_fields(image, fields, &end);
        for (size_t flip = 0; flip < 10002 / step / FORWARD_COUNT + 1; flip++) {
            seed = seed * 1664525u + 1013904223u;
            size_t at = (seed >> 4) % (flip % 2 ? size : end);
            unsigned char mask = (unsigned char)(1u << (seed >> 29) | (flip % 4 ? 0 : seed >> 20));
            image[at] ^= mask;
            *(run(image, size) ? &refused : &opened) += 1;
            image[at] ^= mask;
        }
        free(image);
    }
    CHECK_MESSAGE(refused > 2000 / step && opened > 2000 / step && refused + opened >= 10000 / step,
                  "%zu refused, %zu opened", refused, opened);
}

int main(void) {
    TEST(reads_every_type);
    TEST(widens_exactly);
    TEST(names_faults_in_metadata);
    TEST(names_faults_in_tensors);
    TEST(huge_tables_take_no_time);
    TEST(every_cut_is_refused);
    TEST(every_field_at_its_extremes);
    TEST(ten_thousand_flips);
    return check_report();
}
