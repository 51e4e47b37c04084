"""Named settings: the defaults of other systems, and the nine strategies of the lessons.

A test compares them with `web/engine/presets.js`.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from .errors import DATA

#: The nine strategies of the lessons: greedy, three temperatures, top-k, top-p, and top-p with a
#: penalty.
strategies: List[Dict[str, Any]] = [
    {"name": "greedy", "settings": {"temperature": 0}},
    {"name": "temperature 0.5", "settings": {"temperature": 0.5}},
    {"name": "temperature 1", "settings": {"temperature": 1}},
    {"name": "temperature 1.5", "settings": {"temperature": 1.5}},
    {"name": "top-k 10", "settings": {"top_k": 10}},
    {"name": "top-k 50", "settings": {"top_k": 50}},
    {"name": "top-p 0.9", "settings": {"top_p": 0.9}},
    {"name": "top-p 0.95", "settings": {"top_p": 0.95}},
    {"name": "top-p 0.9, penalty 1.2", "settings": {"top_p": 0.9, "repetition_penalty": 1.2}},
]

#: The rules of other programs (order, ties, boundaries, windows) without their default values.
conventions: Dict[str, Dict[str, Any]] = {
    "transformers": {"convention": "transformers", "repetition_window": 0},
    "llama.cpp": {
        "convention": "llama.cpp",
        "order": DATA["order"],
        "repetition_window": 64,
        "dry_penalty_last_n": 64,
        "dry_sequence_breakers": ["\n", ":", '"', "*"],
    },
    "llama2.c": {"convention": "llama2.c", "repetition_window": 0},
}

#: Names for the setting `preset`, each with its settings.
presets: Dict[str, Dict[str, Any]] = {
    "transformers": {},
    "llama.cpp": {
        **conventions["llama.cpp"],
        "temperature": 0.8,
        "top_k": 40,
        "top_p": 0.95,
        "min_p": 0.05,
    },
    "llama2.c": {"convention": "llama2.c", "temperature": 1, "top_p": 0.9},
    "balanced": {"temperature": 0.7, "top_p": 0.9, "repetition_penalty": 1.1},
    **{strategy["name"]: strategy["settings"] for strategy in strategies},
}


def carried(values: Dict[str, Any]) -> Optional[str]:
    """Returns the name of the setting that carries a state from one draw to the next; None if there
    is none."""
    if values["mirostat"]:
        return "mirostat_mu"
    return "adaptive_mean" if values["adaptive_target"] else None


def reads_second(values: Dict[str, Any]) -> bool:
    """Returns true if the settings need a second distribution."""
    return values["guidance_scale"] != 1 or values["contrastive_beta"] != 0
