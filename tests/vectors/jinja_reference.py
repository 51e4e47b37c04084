"""Renders templates with Jinja2 as transformers sets it up (`chat_template_utils.py`, 4.57): the reference of
the tests of chat templates. Reads a line of JSON `{"template", "values"}`, writes one `{"text"}` or `{"error"}`."""
import datetime
import json
import sys

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

DATE = datetime.datetime(2024, 7, 26)


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_call"), [], [], body).set_lineno(line)

    @jinja2.pass_eval_context
    def _call(self, context, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = DATE.strftime
    return env


def render(template, values):
    try:
        return {"text": environment().from_string(template).render(**values)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}


if __name__ == "__main__":
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps(render(case["template"], case["values"])), flush=True)
