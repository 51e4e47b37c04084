/* Reads the bytes of an image once and checks every read against the remaining bytes. */
#include "gguf_reader.h"

#include "bytes.h"

enum { NESTING_MAX = 4 };

/* Bytes that are not printable ASCII become '?', so that a sentence can quote the name. */
void gguf_reader_name(struct gguf_reader *reader, const char *subject, struct gguf_string name) {
    size_t n = name.length < GGUF_NAME_SHOWN ? name.length : GGUF_NAME_SHOWN;
    for (size_t i = 0; i < n; i++)
        reader->name[i] = name.data[i] >= 0x20 && name.data[i] < 0x7f ? name.data[i] : '?';
    reader->name[n] = 0;
    reader->subject = subject;
}

void gguf_reader_number(struct gguf_reader *reader, const char *subject, uint64_t number) {
    reader->name[put_decimal(reader->name, number)] = 0;
    reader->subject = subject;
}

/* While the header is read, r->name is empty; the fault then has no name. */
enum status gguf_reader_bad(struct gguf_reader *reader, const char *key, const char *field) {
    return fault_set(reader->fault, STATUS_BAD_FILE, key, "subject:k name:s field:k",
                     reader->subject, *reader->name ? reader->name : NULL, field);
}

enum status gguf_reader_bad_number(struct gguf_reader *reader, const char *key, const char *field,
                                   uint64_t got) {
    return fault_set(reader->fault, STATUS_BAD_FILE, key, "subject:k name:s field:k n:u",
                     reader->subject, *reader->name ? reader->name : NULL, field, got);
}

static enum status take_bytes(struct gguf_reader *reader, const char *field, uint64_t bytes,
                              const uint8_t **out) {
    if (bytes > reader->size - reader->position)
        return gguf_reader_bad_number(reader, "reaches_beyond", field, bytes);
    if (bytes > reader->available - reader->position)
        return fault_set(reader->fault, STATUS_INCOMPLETE, "table_incomplete", "n:u",
                         reader->available);
    *out = reader->image + reader->position;
    reader->position += bytes;
    return STATUS_OK;
}

static enum status take_number(struct gguf_reader *reader, const char *field, uint64_t bytes,
                               const uint8_t **out) {
    if (bytes > reader->size - reader->position) return gguf_reader_bad(reader, "cut_off", field);
    return take_bytes(reader, field, bytes, out);
}

enum status gguf_reader_u32(struct gguf_reader *reader, const char *field, uint32_t *out) {
    const uint8_t *p = NULL;
    enum status status = take_number(reader, field, 4, &p);
    if (!status) *out = load_u32(p);
    return status;
}

enum status gguf_reader_u64(struct gguf_reader *reader, const char *field, uint64_t *out) {
    const uint8_t *p = NULL;
    enum status status = take_number(reader, field, 8, &p);
    if (!status) *out = load_u64(p);
    return status;
}

enum status gguf_reader_string(struct gguf_reader *reader, const char *field,
                               struct gguf_string *out) {
    uint64_t length = 0;
    const uint8_t *p = NULL;
    enum status status = gguf_reader_u64(reader, field, &length);
    if (!status) status = take_bytes(reader, field, length, &p);
    if (status) return status;
    out->data = (const char *)p;
    out->length = (size_t)length;
    return STATUS_OK;
}

/* Returns the size of a value in bytes; 0 for strings and arrays, whose sizes differ. */
static uint64_t type_size(uint32_t type) {
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    return sizes[type];
}

static enum status take_type(struct gguf_reader *reader, const char *field, enum gguf_type *out) {
    uint32_t type = 0;
    enum status status = gguf_reader_u32(reader, field, &type);
    if (status) return status;
    if (type > GGUF_FLOAT64) return gguf_reader_bad_number(reader, "gguf_type", field, type);
    *out = (enum gguf_type)type;
    return STATUS_OK;
}

static enum status check_bools(struct gguf_reader *reader, const uint8_t *values, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (values[i] > 1) return gguf_reader_bad_number(reader, "bool_value", NULL, values[i]);
    return STATUS_OK;
}

/* Checks `count` values of a type and moves past them. */
static enum status take_values(struct gguf_reader *reader, enum gguf_type type, uint64_t count,
                               int depth) {
    enum status status = STATUS_OK;
    const uint8_t *p = NULL;
    uint64_t size = type_size(type), remaining = reader->size - reader->position;
    if (depth > NESTING_MAX) return gguf_reader_bad(reader, "arrays_nested", NULL);
    if (count > remaining / (size ? size : type == GGUF_STRING ? 8 : 12))
        return gguf_reader_bad_number(reader, "value_beyond", NULL, count);
    if (size) {
        status = take_bytes(reader, "field_value", count * size, &p);
        return status || type != GGUF_BOOL ? status : check_bools(reader, p, count);
    }
    for (uint64_t i = 0; !status && i < count; i++) {
        struct gguf_string text;
        enum gguf_type inner = GGUF_UINT8;
        uint64_t n = 0;
        if (type == GGUF_STRING) {
            status = gguf_reader_string(reader, "field_string_length", &text);
            continue;
        }
        status = take_type(reader, "field_element_type", &inner);
        if (!status) status = gguf_reader_u64(reader, "field_array_length", &n);
        if (!status) status = take_values(reader, inner, n, depth + 1);
    }
    return status;
}

enum status gguf_reader_value(struct gguf_reader *reader, struct gguf_value *value) {
    enum status status = take_type(reader, "field_type", &value->type);
    if (status) return status;
    value->element_type = value->type;
    value->count = 1;
    if (value->type == GGUF_ARRAY) {
        status = take_type(reader, "field_element_type", &value->element_type);
        if (!status) status = gguf_reader_u64(reader, "field_array_length", &value->count);
        if (status) return status;
    }
    value->data = reader->image + reader->position;
    return take_values(reader, value->element_type, value->count, 1);
}
