"""Sentences of a grammar file with their exact probabilities, as web/engine/grammar.js reads it."""

import hashlib
import json
import re
from collections import defaultdict


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _shares(entries):
    """Yields (entry, probability): an entry's weight divided by the sum of all weights."""
    total = sum(entry["weight"] for entry in entries)
    return [(entry, entry["weight"] / total) for entry in entries]


def verb_phrase(pattern, verb, person):
    """The verb phrase of a tense: its pattern, filled in for a verb and a person."""
    forms = dict(verb["forms"])
    forms.update({key: person[key] for key in ("be", "was", "have")})
    forms["present"] = verb["forms"][person["present"]]
    return re.sub(r"\{(\w+)\}", lambda match: forms[match.group(1)], pattern)


def complements(grammar, verb):
    """Yields (words, probability) for each complement of a verb; no complement is ''."""
    for shape, share in _shares(grammar["shapes"][verb["shapes"]]):
        partial = [("", share)]
        for slot in shape["slots"]:
            phrases = _shares(grammar["phrases"][verb["slots"][slot]])
            partial = [
                (f"{text} {phrase['text']}", p * q) for text, p in partial for phrase, q in phrases
            ]
        yield from partial


def sentences(grammar):
    """{sentence: probability} of the whole grammar. If a sentence has several derivations, their
    probabilities add up."""
    result = defaultdict(float)
    verbs = [
        (verb, share, list(complements(grammar, verb))) for verb, share in _shares(grammar["verbs"])
    ]
    for time, p_time in _shares(grammar["times"]):
        tenses = [(grammar["tenses"][name], weight) for name, weight in time["tenses"].items()]
        total = sum(weight for _, weight in tenses)
        for subject, p_subject in _shares(grammar["subjects"]):
            person = grammar["persons"][subject["person"]]
            for tense, weight in tenses:
                for verb, p_verb, tails in verbs:
                    phrase = verb_phrase(tense["pattern"], verb, person)
                    head = f"{time['text']} {subject['text']} {phrase}"
                    p_head = p_time * p_subject * weight / total * p_verb
                    for tail, p_tail in tails:
                        result[head + tail] += p_head * p_tail
    return dict(result)


def pieces(text):
    """Cuts a text before every space: "Tomorrow she" -> ["Tomorrow", " she"]."""
    return re.findall(r"^[^ ]+| [^ ]*", text)


class PrefixTable:
    """For every prefix of every sentence: the prefix's probability and the exact distribution of the
    next token."""

    def __init__(self, grammar):
        eos = grammar["specials"]["eos"]
        self.sentences = sentences(grammar)
        self.probability = defaultdict(float)  # prefix -> probability of sentences that begin with it
        self.following = defaultdict(
            lambda: defaultdict(float)
        )  # prefix -> {token: joint probability}
        for sentence, p in self.sentences.items():
            prefix = ""
            for piece in pieces(sentence) + [eos]:
                self.probability[prefix] += p
                self.following[prefix][piece] += p
                prefix += piece

    def distribution(self, prefix):
        total = self.probability[prefix]
        return {token: p / total for token, p in self.following[prefix].items()}


class HeldOut:
    """Selects sentences that training does not see (held out), so that they can test the model.

    If a prefix is rarer than `rare`, it is selected with probability `share`; a hash of its text
    decides. A sentence is held out if one of its prefixes is selected. So no training sentence begins
    with a selected prefix, and common prefixes keep all of their continuations.
    """

    def __init__(self, table, seed, share, rare):
        self.table, self.seed, self.share, self.rare = table, seed, share, rare

    def _is_cut(self, prefix):
        if self.table.probability[prefix] >= self.rare:
            return False
        digest = hashlib.sha256(f"{self.seed}|{prefix}".encode()).digest()
        return int.from_bytes(digest[:4], "big") < self.share * 2**32

    def prompts(self, sentence):
        """The prefixes of a sentence (and the sentence itself) with which no training sentence begins."""
        found, prefix, below = [], "", False
        for piece in pieces(sentence):
            prefix += piece
            below = below or self._is_cut(prefix)
            if below:
                found.append(prefix)
        return found
