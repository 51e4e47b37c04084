/* Runs llama.cpp's own chain for settings_llama_cpp.js: its parser of flags, its sampler chain.
 * Each case is three lines: flags separated by tabs, ids of the history, logits. For each case
 * prints one line: "id p" of every token that the chain leaves, or "refused".
 *
 * Build, with a source tree of llama.cpp and the libraries of node-llama-cpp at the same version:
 *   g++ -std=c++17 -w -I$SOURCE/common -I$SOURCE/include -I$SOURCE/ggml/include -I$SOURCE/vendor \
 *     tests/bench/settings_llama_cpp.cpp -o chain -L$LIB -l:libllama-common.so \
 *     -l:libllama.v0.5.0.so -l:libggml.v0.5.0.so -l:libggml-base.so -Wl,-rpath,$LIB \
 *     -Wl,--unresolved-symbols=ignore-all
 */
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "arg.h"
#include "common.h"
#include "llama.h"
#include "log.h"
#include "sampling.h"

static std::vector<std::string> split(const std::string &line, char by) {
    std::vector<std::string> words;
    std::stringstream stream(line);
    for (std::string word; std::getline(stream, word, by);) words.push_back(word);
    return words;
}

/* Applies the chain to the logits after the history. */
static void run(llama_model *model, common_params &params, const std::vector<llama_token> &history,
                const std::vector<float> &logits) {
    common_sampler *sampler = common_sampler_init(model, params.sampling);
    for (llama_token id : history) common_sampler_accept(sampler, id, false);
    std::vector<llama_token_data> data;
    for (size_t id = 0; id < logits.size(); id++)
        data.push_back({(llama_token)id, logits[id], 0.0f});
    llama_token_data_array left = {data.data(), data.size(), -1, false};
    llama_sampler_apply(common_sampler_get(sampler), &left);
    for (size_t i = 0; i < left.size; i++)
        if (left.data[i].p > 0 && std::isfinite(left.data[i].logit))
            printf("%d %.9g ", left.data[i].id, (double)left.data[i].p);
    printf("\n");
    common_sampler_free(sampler);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    common_log_set_verbosity_thold(-1);
    llama_log_set([](ggml_log_level, const char *, void *) {}, nullptr);
    llama_model_params model_params = llama_model_default_params();
    model_params.vocab_only = true;
    llama_model *model = llama_model_load_from_file(argv[1], model_params);
    if (!model) return 1;
    fprintf(stderr, "vocabulary %d\n", llama_vocab_n_tokens(llama_model_get_vocab(model)));
    for (std::string flags, ids, values; std::getline(std::cin, flags) &&
                                         std::getline(std::cin, ids) &&
                                         std::getline(std::cin, values);) {
        std::vector<std::string> words = split("chain\t-m\tx.gguf\t" + flags, '\t');
        std::vector<char *> args;
        for (std::string &word : words) args.push_back(word.data());
        common_params params;
        std::vector<llama_token> history;
        std::vector<float> logits;
        for (const std::string &id : split(ids, ' ')) history.push_back(std::stoi(id));
        for (const std::string &value : split(values, ' ')) logits.push_back(std::stof(value));
        if (common_params_parse((int)args.size(), args.data(), params, LLAMA_EXAMPLE_SERVER))
            run(model, params, history, logits);
        else
            printf("refused\n");
        fflush(stdout);
    }
    llama_model_free(model);
    return 0;
}
