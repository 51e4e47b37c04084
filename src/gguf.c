/* Opens a GGUF image in place. gguf_reader.c walks the bytes once and checks them; later accesses
 * rely on that walk and check no bounds. */
#include "gguf.h"

#include "format.h"

#include <stdlib.h>
#include <string.h>

#include "gguf_reader.h"
#include "sort.h"

/* The fewest bytes of a metadata entry (length, one byte of key, type, one byte of value) and of a
 * tensor entry (length, one byte of name, one dimension, type, offset). A larger count than fits
 * into the remaining bytes is refused before a table is allocated. */
enum { ENTRY_MIN = 8 + 1 + 4 + 1, TENSOR_MIN = 8 + 1 + 4 + 8 + 4 + 8 };

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

static enum status refuse_duplicate(struct gguf_reader *reader, const char *key,
                                    struct gguf_string name) {
    gguf_reader_name(reader, NULL, name);
    return fault_set(reader->fault, STATUS_BAD_FILE, key, "name:s", reader->name);
}

/* Allocates count + 1 zeroed elements of `size` bytes; NULL on overflow or if memory is short. */
static void *allocate_table(uint64_t count, size_t size) {
    if (count >= SIZE_MAX / size) return NULL;
    return calloc((size_t)count + 1, size);
}

static enum status read_metadata(struct gguf *file, struct gguf_reader *reader, uint64_t count) {
    file->entries = allocate_table(count, sizeof *file->entries);
    if (!file->entries)
        return fault_set(reader->fault, STATUS_OUT_OF_MEMORY, "no_memory_keys", "n:u", count);
    for (uint64_t i = 0; i < count; i++) {
        struct entry *entry = &file->entries[i];
        gguf_reader_number(reader, "named_metadata", i);
        enum status status = gguf_reader_string(reader, "field_key_length", &entry->key);
        if (status) return status;
        if (!entry->key.length) return gguf_reader_bad(reader, "field_empty", "field_key");
        gguf_reader_name(reader, "named_key", entry->key);
        status = gguf_reader_value(reader, &entry->value);
        if (status) return status;
    }
    file->n_entries = (size_t)count;
    sort(file->entries, file->n_entries, sizeof *file->entries, compare_entries);
    for (size_t i = 1; i < file->n_entries; i++)
        if (!compare_entries(&file->entries[i - 1], &file->entries[i]))
            return refuse_duplicate(reader, "key_twice", file->entries[i].key);
    return STATUS_OK;
}

/* Refuses a type that this engine does not run. `name` is NULL for an unknown type. */
static enum status unsupported_type(struct gguf_reader *reader, uint32_t type, const char *name) {
    if (name)
        return fault_set(reader->fault, STATUS_UNSUPPORTED, "tensor_type", "name:s type:s",
                         reader->name, name);
    return fault_set(reader->fault, STATUS_UNSUPPORTED, "tensor_type", "name:s type:u",
                     reader->name, (uint64_t)type);
}

static enum status read_shape(struct gguf_tensor *tensor, struct gguf_reader *reader,
                              uint64_t *elements) {
    enum status status = gguf_reader_u32(reader, "field_n_dimensions", &tensor->n_dimensions);
    if (status) return status;
    if (tensor->n_dimensions < 1 || tensor->n_dimensions > 4)
        return gguf_reader_bad_number(reader, "n_dimensions", NULL, tensor->n_dimensions);
    *elements = 1;
    for (uint32_t i = 0; i < 4; i++) {
        tensor->shape[i] = 1;
        if (i >= tensor->n_dimensions) continue;
        status = gguf_reader_u64(reader, "field_shape", &tensor->shape[i]);
        if (status) return status;
        if (!tensor->shape[i]) return gguf_reader_bad(reader, "shape_zero", NULL);
        if (tensor->shape[i] > INT64_MAX / *elements)
            return gguf_reader_bad_number(reader, "shape_many", NULL, tensor->shape[i]);
        *elements *= tensor->shape[i];
    }
    return STATUS_OK;
}

/* Reads a tensor's type and sets its size. `elements` is at most INT64_MAX. A tensor larger than
 * the file is refused before a product can overflow. */
static enum status read_type(struct gguf_tensor *tensor, struct gguf_reader *reader,
                             uint64_t elements) {
    uint32_t type = 0;
    enum status status = gguf_reader_u32(reader, "field_type", &type);
    if (status) return status;
    const struct format *f = type < FORMAT_COUNT ? format_of(type) : NULL;
    if (!f || !f->values) return unsupported_type(reader, type, f ? f->name : NULL);
    tensor->type = (enum gguf_tensor_type)type;
    if (tensor->shape[0] % f->values)
        return fault_set(reader->fault, STATUS_BAD_FILE, "tensor_block",
                         "name:s value:u of:u type:s", reader->name, tensor->shape[0],
                         (uint64_t)f->values, f->name);
    if (elements / FORMAT_GROUP > reader->size)
        return gguf_reader_bad_number(reader, "shape_larger", NULL, elements);
    tensor->bytes = gguf_bytes(tensor->type, elements);
    return STATUS_OK;
}

/* Reads an entry of the tensor table. place_tensor sets `data` later, when its start is known. */
static enum status read_tensor(struct gguf_tensor *tensor, struct gguf_reader *reader,
                               uint64_t index, uint64_t *offset) {
    uint64_t elements = 0;
    gguf_reader_number(reader, "named_tensor", index);
    enum status status = gguf_reader_string(reader, "field_name_length", &tensor->name);
    if (status) return status;
    if (!tensor->name.length) return gguf_reader_bad(reader, "field_empty", "field_name");
    gguf_reader_name(reader, "named_tensor", tensor->name);
    status = read_shape(tensor, reader, &elements);
    if (!status) status = read_type(tensor, reader, elements);
    if (!status) status = gguf_reader_u64(reader, "field_offset", offset);
    return status;
}

static enum status place_tensor(struct gguf_tensor *tensor, struct gguf_reader *reader,
                                uint64_t offset, uint64_t start, uint32_t alignment) {
    gguf_reader_name(reader, "named_tensor", tensor->name);
    if (offset % alignment) return gguf_reader_bad_number(reader, "offset_unaligned", NULL, offset);
    if (start > reader->size || offset > reader->size - start)
        return gguf_reader_bad_number(reader, "offset_beyond", NULL, offset);
    if (tensor->bytes > reader->size - start - offset)
        return gguf_reader_bad_number(reader, "data_beyond", NULL, tensor->bytes);
    tensor->offset = start + offset;
    /* adds integers, because a 32-bit pointer may not move by more than 2 GB */
    tensor->data = (const uint8_t *)((uintptr_t)reader->image + (uintptr_t)tensor->offset);
    return STATUS_OK;
}

static enum status sort_tensors(struct gguf *file, struct gguf_reader *reader) {
    file->by_name = allocate_table(file->n_tensors, sizeof *file->by_name);
    if (!file->by_name)
        return fault_set(reader->fault, STATUS_OUT_OF_MEMORY, "no_memory_tensors", "n:u",
                         (uint64_t)file->n_tensors);
    for (size_t i = 0; i < file->n_tensors; i++) file->by_name[i] = &file->tensors[i];
    sort(file->by_name, file->n_tensors, sizeof *file->by_name, compare_tensors);
    for (size_t i = 1; i < file->n_tensors; i++)
        if (!compare_tensors(&file->by_name[i - 1], &file->by_name[i]))
            return refuse_duplicate(reader, "tensor_twice", file->by_name[i]->name);
    return STATUS_OK;
}

/* Reads the tensor table, then sets the data of each tensor. The data starts after the table, at
 * the next multiple of the alignment. */
static enum status read_tensors(struct gguf *file, struct gguf_reader *reader, uint64_t count) {
    uint32_t alignment = 0;
    enum status status = gguf_u32(file, "general.alignment", 32, &alignment, reader->fault);
    if (status) return status;
    if (!alignment || alignment & (alignment - 1))
        return fault_set(reader->fault, STATUS_BAD_FILE, "alignment", "value:u",
                         (uint64_t)alignment);
    uint64_t *offsets = allocate_table(count, sizeof *offsets);
    file->tensors = allocate_table(count, sizeof *file->tensors);
    if (!offsets || !file->tensors)
        status = fault_set(reader->fault, STATUS_OUT_OF_MEMORY, "no_memory_tensors", "n:u", count);
    for (uint64_t i = 0; !status && i < count; i++)
        status = read_tensor(&file->tensors[i], reader, i, &offsets[i]);
    uint64_t start = (reader->position + alignment - 1) / alignment * alignment;
    for (uint64_t i = 0; !status && i < count; i++)
        status = place_tensor(&file->tensors[i], reader, offsets[i], start, alignment);
    free(offsets);
    if (status) return status;
    file->n_tensors = (size_t)count;
    return sort_tensors(file, reader);
}

/* Returns 1 if the image begins as a checkpoint of PyTorch (ZIP or pickle), safetensors or NumPy.
 * safetensors: the length of a header below 4 GiB as 64 bits, then JSON. */
static int is_checkpoint(const struct gguf_reader *reader) {
    const unsigned char *p = reader->image;
    return memcmp(p, "PK\3\4", 4) == 0 || memcmp(p, "\x93NUM", 4) == 0 ||
           (p[0] == 0x80 && p[1] >= 2 && p[1] <= 5) ||
           (reader->available > 8 && memcmp(p + 4, "\0\0\0\0{", 5) == 0);
}

static enum status read_header(struct gguf_reader *reader, uint64_t *n_tensors,
                               uint64_t *n_entries) {
    uint32_t version = 0;
    if (reader->available < 4 && reader->available < reader->size)
        return fault_set(reader->fault, STATUS_INCOMPLETE, "header_incomplete", "n:u",
                         reader->available);
    if (reader->available >= 4 && is_checkpoint(reader))
        return fault_set(reader->fault, STATUS_BAD_FILE, "not_gguf_checkpoint", "");
    if (reader->available < 4 || memcmp(reader->image, "GGUF", 4) != 0)
        return fault_set(reader->fault, STATUS_BAD_FILE, "not_gguf", "");
    reader->position = 4;
    enum status status = gguf_reader_u32(reader, "field_version", &version);
    if (status) return status;
    if (version != 2 && version != 3)
        return fault_set(reader->fault, STATUS_UNSUPPORTED, "gguf_version", "version:u",
                         (uint64_t)version);
    status = gguf_reader_u64(reader, "field_tensor_count", n_tensors);
    if (!status) status = gguf_reader_u64(reader, "field_metadata_kv_count", n_entries);
    if (status) return status;
    uint64_t remaining = reader->size - reader->position,
             shown = reader->available - reader->position;
    if (reader->available < reader->size &&
        (*n_entries > shown / ENTRY_MIN || *n_tensors > shown / TENSOR_MIN))
        return fault_set(reader->fault, STATUS_INCOMPLETE, "table_incomplete", "n:u",
                         reader->available);
    if (*n_entries > remaining / ENTRY_MIN)
        return gguf_reader_bad_number(reader, "more_than_file", "field_metadata_kv_count",
                                      *n_entries);
    if (*n_tensors > (remaining - *n_entries * ENTRY_MIN) / TENSOR_MIN)
        return gguf_reader_bad_number(reader, "more_than_file", "field_tensor_count", *n_tensors);
    return STATUS_OK;
}

/* Returns the end of the last tensor, or of the tables if there is no tensor. */
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
    struct gguf_reader reader = {head, size, available, 0, "gguf_header", "", fault};
    uint64_t n_tensors = 0, n_entries = 0;
    *out = NULL;
    enum status status = read_header(&reader, &n_tensors, &n_entries);
    if (status) return status;
    struct gguf *file = calloc(1, sizeof *file);
    if (!file) return fault_set(fault, STATUS_OUT_OF_MEMORY, "no_memory_file", "");
    file->size = size;
    status = read_metadata(file, &reader, n_entries);
    if (!status) status = read_tensors(file, &reader, n_tensors);
    if (status) {
        gguf_close(file);
        return status;
    }
    if (size == GGUF_SIZE_UNKNOWN) file->size = end_of_data(file, reader.position);
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

uint64_t gguf_size(const struct gguf *file) { return file->size; }

const struct gguf_value *gguf_find(const struct gguf *file, const char *key) {
    struct entry wanted = {.key = {key, strlen(key)}};
    const struct entry *found =
        bsearch(&wanted, file->entries, file->n_entries, sizeof wanted, compare_entries);
    return found ? &found->value : NULL;
}

const struct gguf_tensor *gguf_tensor_find(const struct gguf *file, const char *name) {
    const struct gguf_tensor wanted = {.name = {name, strlen(name)}}, *key = &wanted;
    const struct gguf_tensor *const *found =
        bsearch(&key, file->by_name, file->n_tensors, sizeof key, compare_tensors);
    return found ? *found : NULL;
}

uint64_t gguf_tensor_count(const struct gguf *file) { return file->n_tensors; }

const struct gguf_tensor *gguf_tensor_at(const struct gguf *file, uint64_t index) {
    return &file->tensors[index];
}

enum status gguf_u32(const struct gguf *file, const char *key, uint32_t fallback, uint32_t *out,
                     struct fault *fault) {
    return gguf_value_u32(gguf_find(file, key), key, fallback, out, fault);
}

enum status gguf_f64(const struct gguf *file, const char *key, double fallback, double *out,
                     struct fault *fault) {
    return gguf_value_f64(gguf_find(file, key), key, fallback, out, fault);
}

enum status gguf_bool(const struct gguf *file, const char *key, bool fallback, bool *out,
                      struct fault *fault) {
    return gguf_value_bool(gguf_find(file, key), key, fallback, out, fault);
}

enum status gguf_text(const struct gguf *file, const char *key, struct gguf_string *out,
                      struct fault *fault) {
    return gguf_value_text(gguf_find(file, key), key, out, fault);
}

enum status gguf_check_whole(const struct gguf *file, struct fault *fault) {
    uint32_t shard = 0, shards = 0;
    enum status status = gguf_u32(file, "split.no", 0, &shard, fault);
    if (!status) status = gguf_u32(file, "split.count", 1, &shards, fault);
    if (status || shards <= 1) return status;
    return fault_set(fault, STATUS_UNSUPPORTED, "model_shard", "n:u limit:u", (uint64_t)shard + 1,
                     (uint64_t)shards);
}

uint32_t gguf_file_type(const struct gguf *file) {
    uint64_t bytes[FORMAT_COUNT] = {0};
    uint32_t best = GGUF_F32;
    if (gguf_find(file, "general.file_type") &&
        gguf_u32(file, "general.file_type", 0, &best, NULL) == STATUS_OK)
        return best;
    best = GGUF_F32;
    for (uint64_t i = 0; i < gguf_tensor_count(file); i++) {
        const struct gguf_tensor *tensor = gguf_tensor_at(file, i);
        bytes[tensor->type] += tensor->bytes;
    }
    for (uint32_t type = 0; type < FORMAT_COUNT; type++)
        if (bytes[type] > bytes[best]) best = type;
    return format_of(best)->file_type;
}
