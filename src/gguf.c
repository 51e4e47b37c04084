/* Reads a GGUF image in place. One reader walks the bytes once and every take is checked against
 * what remains; later accesses rely on that walk, so nothing else needs a bound. */
#include "gguf.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "sort.h"

/* The fewest bytes that one metadata entry (length, one byte of key, type, one byte of value) and
 * one tensor entry (length, one byte of name, one dimension, type, offset) can take: a count above
 * remaining / minimum is a lie, found out before any table is allocated. */
enum { ENTRY_MIN = 8 + 1 + 4 + 1, TENSOR_MIN = 8 + 1 + 4 + 8 + 4 + 8, NESTING_MAX = 4 };

enum { BLOCK_VALUES = 32, NAME_SHOWN = 64 }; /* values in a block of a quantised type */

struct entry {
    struct gguf_string key;
    struct gguf_value value;
};

struct gguf {
    struct entry *entries; /* (n_entries,) sorted by key */
    size_t n_entries;
    struct gguf_tensor *tensors;        /* (n_tensors,) in the order of the file */
    const struct gguf_tensor **by_name; /* (n_tensors,) sorted by name */
    size_t n_tensors;
    uint64_t size;
};

/* `available` of the image's `size` bytes are there to be read. `subject` and `name` say what is
 * being read, for a fault: "named_tensor" and "blk.0.attn_q.weight". */
struct reader {
    const uint8_t *image;
    uint64_t size, available, position;
    const char *subject; /* the key of a phrase */
    char name[NAME_SHOWN + 1];
    struct fault *fault;
};

/* A copy that can stand in a sentence: bytes that are not printable ASCII become '?'. */
static void show(char name[NAME_SHOWN + 1], struct gguf_string s) {
    size_t n = s.length < NAME_SHOWN ? s.length : NAME_SHOWN;
    for (size_t i = 0; i < n; i++)
        name[i] = s.data[i] >= 0x20 && s.data[i] < 0x7f ? s.data[i] : '?';
    name[n] = 0;
}

static void subject_number(struct reader *r, const char *subject, uint64_t number) {
    char digits[20];
    size_t n = 0, used = 0;
    do digits[n++] = (char)('0' + number % 10);
    while (number /= 10);
    while (n) r->name[used++] = digits[--n];
    r->name[used] = 0;
    r->subject = subject;
}

/* `field` is the key of a phrase, or NULL where the sentence of `key` names it itself. The header
 * has no name. */
static enum status bad(struct reader *r, const char *key, const char *field) {
    return fault_set(r->fault, STATUS_BAD_FILE, key, "subject:k name:s field:k", r->subject,
                     *r->name ? r->name : NULL, field);
}

static enum status bad_number(struct reader *r, const char *key, const char *field, uint64_t got) {
    return fault_set(r->fault, STATUS_BAD_FILE, key, "subject:k name:s field:k n:u", r->subject,
                     *r->name ? r->name : NULL, field, got);
}

static enum status take(struct reader *r, const char *field, uint64_t bytes, const uint8_t **out) {
    if (bytes > r->size - r->position) return bad_number(r, "reaches_beyond", field, bytes);
    if (bytes > r->available - r->position)
        return fault_set(r->fault, STATUS_INCOMPLETE, "table_incomplete", "n:u", r->available);
    *out = r->image + r->position;
    r->position += bytes;
    return STATUS_OK;
}

static enum status take_fixed(struct reader *r, const char *field, uint64_t bytes,
                              const uint8_t **out) {
    if (bytes > r->size - r->position) return bad(r, "cut_off", field);
    return take(r, field, bytes, out);
}

static enum status take_u32(struct reader *r, const char *field, uint32_t *out) {
    const uint8_t *p = NULL;
    enum status status = take_fixed(r, field, 4, &p);
    if (!status) *out = load_u32(p);
    return status;
}

static enum status take_u64(struct reader *r, const char *field, uint64_t *out) {
    const uint8_t *p = NULL;
    enum status status = take_fixed(r, field, 8, &p);
    if (!status) *out = load_u64(p);
    return status;
}

static enum status take_string(struct reader *r, const char *field, struct gguf_string *out) {
    uint64_t length = 0;
    const uint8_t *p = NULL;
    enum status status = take_u64(r, field, &length);
    if (!status) status = take(r, field, length, &p);
    if (status) return status;
    out->data = (const char *)p;
    out->length = (size_t)length;
    return STATUS_OK;
}

/* Bytes of a value of fixed size, 0 for strings and arrays. */
static uint64_t type_size(uint32_t type) {
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return sizes[type];
}

static enum status take_type(struct reader *r, const char *field, enum gguf_type *out) {
    uint32_t type = 0;
    enum status status = take_u32(r, field, &type);
    if (status) return status;
    if (type > GGUF_FLOAT64) return bad_number(r, "gguf_type", field, type);
    *out = (enum gguf_type)type;
    return STATUS_OK;
}

/* Moves past `count` values of a type, checking them. */
static enum status take_values(struct reader *r, enum gguf_type type, uint64_t count, int depth) {
    enum status status = STATUS_OK;
    const uint8_t *p = NULL;
    uint64_t size = type_size(type), remaining = r->size - r->position;
    if (depth > NESTING_MAX) return bad(r, "arrays_nested", NULL);
    if (count > remaining / (size ? size : type == GGUF_STRING ? 8 : 12))
        return bad_number(r, "value_beyond", NULL, count);
    if (size) {
        status = take(r, "field_value", count * size, &p);
        for (uint64_t i = 0; !status && type == GGUF_BOOL && i < count; i++)
            if (p[i] > 1) status = bad_number(r, "bool_value", NULL, p[i]);
        return status;
    }
    for (uint64_t i = 0; !status && i < count; i++) {
        struct gguf_string text;
        enum gguf_type inner = GGUF_UINT8;
        uint64_t n = 0;
        if (type == GGUF_STRING) {
            status = take_string(r, "field_string_length", &text);
            continue;
        }
        status = take_type(r, "field_element_type", &inner);
        if (!status) status = take_u64(r, "field_array_length", &n);
        if (!status) status = take_values(r, inner, n, depth + 1);
    }
    return status;
}

static enum status take_value(struct reader *r, struct gguf_value *value) {
    enum status status = take_type(r, "field_type", &value->type);
    if (status) return status;
    value->element_type = value->type;
    value->count = 1;
    if (value->type == GGUF_ARRAY) {
        status = take_type(r, "field_element_type", &value->element_type);
        if (!status) status = take_u64(r, "field_array_length", &value->count);
        if (status) return status;
    }
    value->data = r->image + r->position;
    return take_values(r, value->element_type, value->count, 1);
}

static int compare_strings(struct gguf_string a, struct gguf_string b) {
    int order = memcmp(a.data, b.data, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_entries(const void *a, const void *b) {
    return compare_strings(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

static int compare_tensors(const void *a, const void *b) {
    const struct gguf_tensor *const *x = a, *const *y = b;
    return compare_strings((*x)->name, (*y)->name);
}

static enum status twice(struct fault *fault, const char *key, struct gguf_string s) {
    char name[NAME_SHOWN + 1];
    show(name, s);
    return fault_set(fault, STATUS_BAD_FILE, key, "name:s", name);
}

/* count * size bytes, zeroed; NULL when that overflows or cannot be had. Never zero bytes. */
static void *table(uint64_t count, size_t size) {
    if (count >= SIZE_MAX / size) return NULL;
    return calloc((size_t)count + 1, size);
}

static enum status read_metadata(struct gguf *file, struct reader *r, uint64_t count) {
    file->entries = table(count, sizeof *file->entries);
    if (!file->entries)
        return fault_set(r->fault, STATUS_OUT_OF_MEMORY, "no_memory_keys", "n:u", count);
    for (uint64_t i = 0; i < count; i++) {
        struct entry *entry = &file->entries[i];
        subject_number(r, "named_metadata", i);
        enum status status = take_string(r, "field_key_length", &entry->key);
        if (status) return status;
        if (!entry->key.length) return bad(r, "field_empty", "field_key");
        r->subject = "named_key";
        show(r->name, entry->key);
        status = take_value(r, &entry->value);
        if (status) return status;
    }
    file->n_entries = (size_t)count;
    sort(file->entries, file->n_entries, sizeof *file->entries, compare_entries);
    for (size_t i = 1; i < file->n_entries; i++)
        if (!compare_entries(&file->entries[i - 1], &file->entries[i]))
            return twice(r->fault, "key_twice", file->entries[i].key);
    return STATUS_OK;
}

/* The names of the tensor types that exist but are not run here. */
static enum status unsupported_type(struct reader *r, uint32_t type) {
    static const char *const names[] = {
        "F32",     "F16",    "Q4_0",    "Q4_1",  "Q4_2",   "Q4_3",  "Q5_0",  "Q5_1",
        "Q8_0",    "Q8_1",   "Q2_K",    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K",  "Q8_K",
        "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S", "IQ4_XS",
        "I8",      "I16",    "I32",     "I64",   "F64",    "IQ1_M", "BF16"};
    if (type < sizeof names / sizeof *names)
        return fault_set(r->fault, STATUS_UNSUPPORTED, "tensor_type", "name:s type:s", r->name,
                         names[type]);
    return fault_set(r->fault, STATUS_UNSUPPORTED, "tensor_type", "name:s type:u", r->name,
                     (uint64_t)type);
}

static enum status read_shape(struct gguf_tensor *tensor, struct reader *r, uint64_t *elements) {
    enum status status = take_u32(r, "field_n_dimensions", &tensor->n_dimensions);
    if (status) return status;
    if (tensor->n_dimensions < 1 || tensor->n_dimensions > 4)
        return bad_number(r, "n_dimensions", NULL, tensor->n_dimensions);
    *elements = 1;
    for (uint32_t i = 0; i < 4; i++) {
        tensor->shape[i] = 1;
        if (i >= tensor->n_dimensions) continue;
        status = take_u64(r, "field_shape", &tensor->shape[i]);
        if (status) return status;
        if (!tensor->shape[i]) return bad(r, "shape_zero", NULL);
        if (tensor->shape[i] > INT64_MAX / *elements)
            return bad_number(r, "shape_many", NULL, tensor->shape[i]);
        *elements *= tensor->shape[i];
    }
    return STATUS_OK;
}

/* Elements are at most INT64_MAX; a product that would overflow is larger than any file. */
static enum status read_type(struct gguf_tensor *tensor, struct reader *r, uint64_t elements) {
    uint32_t type = 0;
    enum status status = take_u32(r, "field_type", &type);
    if (status) return status;
    const char *quantised = type == GGUF_Q8_0   ? "Q8_0"
                            : type == GGUF_Q4_0 ? "Q4_0"
                            : type == GGUF_Q4_1 ? "Q4_1"
                                                : NULL;
    if (!quantised && type != GGUF_F32 && type != GGUF_F16 && type != GGUF_BF16)
        return unsupported_type(r, type);
    tensor->type = (enum gguf_tensor_type)type;
    if (quantised && tensor->shape[0] % BLOCK_VALUES)
        return fault_set(r->fault, STATUS_BAD_FILE, "tensor_block", "name:s value:u type:s",
                         r->name, tensor->shape[0], quantised);
    if (elements / BLOCK_VALUES > r->size) return bad_number(r, "shape_larger", NULL, elements);
    tensor->bytes = gguf_bytes(tensor->type, elements);
    return STATUS_OK;
}

/* One entry of the tensor table; `data` is set later, when the start of the data is known. */
static enum status read_tensor(struct gguf_tensor *tensor, struct reader *r, uint64_t index,
                               uint64_t *offset) {
    uint64_t elements = 0;
    subject_number(r, "named_tensor", index);
    enum status status = take_string(r, "field_name_length", &tensor->name);
    if (status) return status;
    if (!tensor->name.length) return bad(r, "field_empty", "field_name");
    show(r->name, tensor->name);
    status = read_shape(tensor, r, &elements);
    if (!status) status = read_type(tensor, r, elements);
    if (!status) status = take_u64(r, "field_offset", offset);
    return status;
}

static enum status place_tensor(struct gguf_tensor *tensor, struct reader *r, uint64_t offset,
                                uint64_t start, uint32_t alignment) {
    r->subject = "named_tensor";
    show(r->name, tensor->name);
    if (offset % alignment) return bad_number(r, "offset_unaligned", NULL, offset);
    if (start > r->size || offset > r->size - start)
        return bad_number(r, "offset_beyond", NULL, offset);
    if (tensor->bytes > r->size - start - offset)
        return bad_number(r, "data_beyond", NULL, tensor->bytes);
    tensor->offset = start + offset;
    /* by address, since an object beyond 2 GB is larger than a difference of pointers in 32 bits */
    tensor->data = (const uint8_t *)((uintptr_t)r->image + (uintptr_t)tensor->offset);
    return STATUS_OK;
}

static enum status sort_tensors(struct gguf *file, struct fault *fault) {
    file->by_name = table(file->n_tensors, sizeof *file->by_name);
    if (!file->by_name)
        return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_tensors", "n:u",
                         (uint64_t)file->n_tensors);
    for (size_t i = 0; i < file->n_tensors; i++) file->by_name[i] = &file->tensors[i];
    sort(file->by_name, file->n_tensors, sizeof *file->by_name, compare_tensors);
    for (size_t i = 1; i < file->n_tensors; i++)
        if (!compare_tensors(&file->by_name[i - 1], &file->by_name[i]))
            return twice(fault, "tensor_twice", file->by_name[i]->name);
    return STATUS_OK;
}

/* Reads the table, then places each tensor: the data starts at the first multiple of the alignment
 * after it. */
static enum status read_tensors(struct gguf *file, struct reader *r, uint64_t count) {
    uint32_t alignment = 0;
    enum status status = gguf_u32(file, "general.alignment", 32, &alignment, r->fault);
    if (status) return status;
    if (!alignment || alignment & (alignment - 1))
        return fault_set(r->fault, STATUS_BAD_FILE, "alignment", "value:u", (uint64_t)alignment);
    uint64_t *offsets = table(count, sizeof *offsets);
    file->tensors = table(count, sizeof *file->tensors);
    if (!offsets || !file->tensors)
        status = fault_set(r->fault, STATUS_OUT_OF_MEMORY, "no_memory_tensors", "n:u", count);
    for (uint64_t i = 0; !status && i < count; i++)
        status = read_tensor(&file->tensors[i], r, i, &offsets[i]);
    uint64_t start = (r->position + alignment - 1) / alignment * alignment;
    for (uint64_t i = 0; !status && i < count; i++)
        status = place_tensor(&file->tensors[i], r, offsets[i], start, alignment);
    free(offsets);
    if (status) return status;
    file->n_tensors = (size_t)count;
    return sort_tensors(file, r->fault);
}

static enum status read_header(struct reader *r, uint64_t *n_tensors, uint64_t *n_entries) {
    uint32_t version = 0;
    if (r->available < 4 && r->available < r->size)
        return fault_set(r->fault, STATUS_INCOMPLETE, "header_incomplete", "n:u", r->available);
    if (r->available < 4 || memcmp(r->image, "GGUF", 4) != 0)
        return fault_set(r->fault, STATUS_BAD_FILE, "not_gguf", "");
    r->position = 4;
    enum status status = take_u32(r, "field_version", &version);
    if (status) return status;
    if (version != 2 && version != 3)
        return fault_set(r->fault, STATUS_UNSUPPORTED, "gguf_version", "version:u",
                         (uint64_t)version);
    status = take_u64(r, "field_tensor_count", n_tensors);
    if (!status) status = take_u64(r, "field_metadata_kv_count", n_entries);
    if (status) return status;
    uint64_t remaining = r->size - r->position, shown = r->available - r->position;
    if (r->available < r->size &&
        (*n_entries > shown / ENTRY_MIN || *n_tensors > shown / TENSOR_MIN))
        return fault_set(r->fault, STATUS_INCOMPLETE, "table_incomplete", "n:u", r->available);
    if (*n_entries > remaining / ENTRY_MIN)
        return bad_number(r, "more_than_file", "field_metadata_kv_count", *n_entries);
    if (*n_tensors > (remaining - *n_entries * ENTRY_MIN) / TENSOR_MIN)
        return bad_number(r, "more_than_file", "field_tensor_count", *n_tensors);
    return STATUS_OK;
}

/* Where the last tensor ends, or the tables where there is none. */
static uint64_t end_of_data(const struct gguf *file, uint64_t end_of_tables) {
    uint64_t end = end_of_tables;
    for (size_t i = 0; i < file->n_tensors; i++) {
        uint64_t tensor = file->tensors[i].offset + file->tensors[i].bytes;
        end = tensor > end ? tensor : end;
    }
    return end;
}

enum status gguf_open(struct gguf **out, const void *image, size_t size, struct fault *fault) {
    return gguf_open_head(out, image, size, size, fault);
}

enum status gguf_open_head(struct gguf **out, const void *head, size_t available, uint64_t size,
                           struct fault *fault) {
    struct reader r = {head, size, available, 0, "gguf_header", "", fault};
    uint64_t n_tensors = 0, n_entries = 0;
    *out = NULL;
    enum status status = read_header(&r, &n_tensors, &n_entries);
    if (status) return status;
    struct gguf *file = calloc(1, sizeof *file);
    if (!file) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_file", "");
    file->size = size;
    status = read_metadata(file, &r, n_entries);
    if (!status) status = read_tensors(file, &r, n_tensors);
    if (status) {
        gguf_close(file);
        return status;
    }
    if (size == GGUF_SIZE_UNKNOWN) file->size = end_of_data(file, r.position);
    *out = file;
    return STATUS_OK;
}

void gguf_close(struct gguf *file) {
    if (!file) return;
    free(file->entries);
    free(file->tensors);
    free(file->by_name);
    free(file);
}

uint64_t gguf_size(const struct gguf *file) {
    return file->size;
}

const struct gguf_value *gguf_find(const struct gguf *file, const char *key) {
    struct gguf_string wanted = {key, strlen(key)};
    size_t low = 0, high = file->n_entries;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_strings(wanted, file->entries[middle].key);
        if (!order) return &file->entries[middle].value;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const struct gguf_tensor *gguf_tensor_find(const struct gguf *file, const char *name) {
    struct gguf_string wanted = {name, strlen(name)};
    size_t low = 0, high = file->n_tensors;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_strings(wanted, file->by_name[middle]->name);
        if (!order) return file->by_name[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

uint64_t gguf_tensor_count(const struct gguf *file) {
    return file->n_tensors;
}

const struct gguf_tensor *gguf_tensor_at(const struct gguf *file, uint64_t index) {
    return &file->tensors[index];
}
