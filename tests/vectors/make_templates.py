"""Writes templates.json: snippets of the language of chat templates, and the text of each by Jinja2
(jinja_reference.py). A snippet that is refused, by Jinja2 or here alone, has null for its text.

    /usr/bin/python3 tests/vectors/make_templates.py > tests/vectors/templates.json
"""
import json
import sys

import jinja2
from jinja_reference import render

VALUES = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": " hi\n"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"type": "function", "function": {"name": "f", "arguments": {"a": True, "b": None, "c": 0.5, "d": [1, [2.25, "x"]], "e": "it's \"so\""}}}]},
        {"role": "tool", "name": "f", "content": "{\"ok\": true}"},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "description": "<b> & 'c'", "parameters": {
        "type": "object", "properties": {"x": {"type": "number", "items": 3}}, "required": ["x"]}}}],
    "text": "Hello, World",
    "lines": "one\n two\r\n\n  three\n",
    "emoji": "a🦙b👩‍👩‍👧é日本",
    "empty": "",
    "none": None,
    "numbers": [3, 1, 2.5, -4, 0, True],
    "words": ["pear", "Apple", "fig", "apple", "Fig", "éclair"],
    "people": [{"name": "Bo", "age": 31, "tag": {"k": "x"}}, {"name": "al", "age": 25, "tag": {"k": "y"}},
               {"name": "Cy", "age": 31, "tag": {"k": "x"}}],
    "dict": {"b": 2, "A": 1, "c": [1, {"z": None}], "items": 5},
    "flag": False,
    "floats": [0.1, 1.5e-05, 123456789.125, 0.001, -2.5, 0.0001, 1e-10],
    "big": 9007199254740991,
}

PRINTING = r"""
{{ true }} {{ false }} {{ none }} {{ True }} {{ None }}
{{ [true, none, 'a', 1, 1.0, -0.0] }}
{{ {'k': 'v', 1: 2, none: false, 1.5: [], true: 3} }}
{{ (1,) }} {{ () }} {{ (1, 'b') }} {{ 1, 2 }}
{{ 'it\'s' }} {{ ['it\'s'] }} {{ ['"'] }} {{ ['it\'s "x"'] }}
{{ ['\n\t\r\\ \x00\x1f\x7f\xa0\u200b\u2028\ufeff\U0001f999é'] }}
{{ [emoji, lines] }}
{{ 1e16 }} {{ 1e15 }} {{ 1e20 }} {{ 1.5e-5 }} {{ 0.0001 }} {{ 1e-4 }} {{ 123456789012345680.0 }} {{ 1e100 }} {{ 5e-324 }}
{{ 0.1 + 0.2 }} {{ 1.0 }} {{ -0.0 }} {{ 100.0 }} {{ 1e3 }} {{ 2.50 }} {{ 1_000 }} {{ 1_0.5 }}
{{ 0x1F }} {{ 0b101 }} {{ 0o17 }} {{ 00 }} {{ 12345678901234567890123 }}
{{ floats }} {{ floats | tojson }} {{ numbers }}
{{ undefined_name }}|{{ text.nothing }}|{{ dict.nothing }}|{{ [undefined_name] }}|{{ {'a': undefined_name} }}
{{ dict }} {{ messages[2].tool_calls[0].function.arguments }}
{{ range(5) }} {{ range(1, 9, 2) }} {{ range(3)[1] }} {{ range(10)[2:5] }} {{ range(10)[::-1] }} {{ range(5) | list }}
{{ dict.items() }} {{ dict.keys() }} {{ dict.values() }} {{ {}.items() }}
{{ namespace(a=1, b='x') }}
{{ 'a' 'b' "c" }}
{{ "\u00e9\x41\101\q\'" }} {{ '\é' }}
{{ 'a\
b' }}
{{ loop }}|{{ self_name }}
{{ "é".upper() }} {{ 'ß'.upper() }} {{ 'ΑΣ'.lower() }} {{ 'İ'.lower() | length }} {{ 'ŉ'.upper() }}
{{ [1,2,3,] }} {{ {'a':1,} }} {{ (1,2,) }}
{{ {1: 'a', 1.0: 'b', true: 'c'} }}
{{ none | string }}|{{ [1, 'a'] | string }}|{{ 1.0 | string }}|{{ undefined_name | string }}
{{ 'x' | safe }} {{ '<a>' | e }} {{ ['a'|safe] | join }} {{ ('<' | e) ~ '<' }} {{ '<' | safe | length }}
{{ [emoji | upper] }} {{ emoji | length }} {{ emoji | reverse }}
{{ big }} {{ big + 1 }} {{ big * big }} {{ -big }} {{ big | tojson }}
"""

OPERATORS = r"""
{{ 1 + 2 }} {{ 1 + 2.0 }} {{ true + true }} {{ 'a' + 'b' }} {{ [1] + [2] }} {{ (1,) + (2,) }}
{{ 7 / 2 }} {{ 6 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 7 // 2.0 }} {{ -0.5 // 1 }}
{{ 2 ** 10 }} {{ 2 ** 100 }} {{ (-2) ** 3 }} {{ -2 ** 2 }} {{ 2 ** 3 ** 2 }}
{{ 'ab' * 3 }} {{ 3 * 'ab' }} {{ [1, 2] * 2 }} {{ 'a' * 0 }} {{ 'a' * -1 }} {{ (1,) * 2 }} {{ 'x' * true }}
{{ 1 ~ 'a' ~ none ~ true ~ 1.0 ~ [1] }} {{ 1 ~ 2 + 3 }} {{ undefined_name ~ 'x' }}
{{ 1 == 1.0 }} {{ true == 1 }} {{ '1' == 1 }} {{ [1, 2] == [1, 2.0] }} {{ (1,) == [1] }} {{ {'a': 1} == {'a': 1.0} }} {{ none == false }}
{{ 1 < 2 }} {{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 3 > 2 >= 2 != 1 }} {{ 'a' < 'b' }} {{ 'Z' < 'a' }} {{ [1, 2] < [1, 3] }} {{ [1] < [1, 2] }} {{ '\uffff' < '😀' }}
{{ 1 < 'a' }}
{{ none < 1 }}
{{ 'a' in 'abc' }} {{ 'x' not in 'abc' }} {{ 1 in [1, 2] }} {{ 1.0 in [1] }} {{ 'b' in dict }} {{ 2 in dict }} {{ 3 in range(4) }} {{ '' in 'a' }} {{ none in [none] }} {{ 'A' in dict.keys() }} {{ 2 in dict.values() }}
{{ 1 in 'abc' }}
{{ undefined_name in [1] }} {{ undefined_name in 'abc' }}
{{ 'a' in undefined_name }}
{{ 'a' in none }}
{{ not true }} {{ not '' }} {{ not [] }} {{ not 0.0 }} {{ not undefined_name }} {{ not none }} {{ not {} }} {{ not range(0) }}
{{ 1 and 2 }} {{ 0 and 2 }} {{ '' or 'x' }} {{ none or [] }} {{ 1 or undefined_name.x }} {{ false and undefined_name.x }}
{{ 'a' if true }} {{ 'a' if false }}| {{ 'a' if 0 else 'b' if 0 else 'c' }} {{ ('x' if false).y is defined }}
{{ -1 }} {{ +1 }} {{ - 1 }} {{ --1 }} {{ -true }} {{ -'a' }}
{{ 1 - -1 }} {{ 5 - 3 - 1 }} {{ 2 * 3 + 4 }} {{ 2 + 3 * 4 }} {{ (2 + 3) * 4 }} {{ 10 - 2 * 3 % 4 }}
{{ not 1 == 2 }} {{ not 1 in [1] }} {{ 1 not in [2] and 2 in [2] }} {{ 'a' 'b' in 'cab' }}
{{ 1 + 'a' }}
{{ 'a' + 1 }}
{{ 'a' + none }}
{{ 'a' + undefined_name }}
{{ undefined_name + 'a' }}
{{ [1] + (2,) }}
{{ 1 / 0 }}
{{ 1 % 0 }}
{{ 1.5 // 0 }}
{{ -undefined_name }}
{{ undefined_name < 1 }}
{{ undefined_name == undefined_other }} {{ undefined_name == none }} {{ undefined_name != 1 }} {{ undefined_name == '' }}
{{ '%s and %d' % ('a', 5) }} {{ '%s' % 1.0 }} {{ '%r' % 'x' }} {{ '%5.2f|%-5s|%05d|%+d|%x|%X|%o' % (3.14159, 'ab', 42, 7, 255, 255, 8) }} {{ '100%%' % () }} {{ '%(a)s' % {'a': 1} }} {{ '%s' % [1, 2] }} {{ '%.3s' % 'abcdef' }} {{ '%d' % 3.9 }} {{ '%i%%' % 5 }}
{{ '%s %s' % ('a',) }}
{{ '%s' % ('a', 'b') }}
{{ '%d' % 'a' }}
{{ 'x' % [1] }} {{ 'x' % dict }} {{ 'x' % range(3) }} {{ 'x' % undefined_name }} {{ '%s' % undefined_name }}|
{{ 'x' % none }}
{{ 'x' % namespace() }}
{{ 'x' % (words | map('upper')) }}
{{ 'x' % dict.items() }}
{{ '%%' % true }}
{{ 'a' % 1 }}
{{ 1 is odd }} {{ 2 is even }} {{ 6 is divisibleby 3 }} {{ 6 is divisibleby(4) }} {{ true is odd }}
{{ 0.5 + 0.25 }} {{ 3.0 * 2 }} {{ 1e308 * 10 }} {{ -1e308 * 10 }} {{ 1e308 * 10 - 1e308 * 10 }}
{{ 10 // 3 * 3 + 10 % 3 }} {{ 1 == 1 == true }} {{ 2 > 1 == true }}
{{ 123456789012345678901234567890 // 7 }} {{ -123456789012345678901 % 10 }} {{ 99999999999999999999 + 1 }} {{ 99999999999999999999 == 1e20 }}
"""

LOOKUPS = r"""
{{ dict.b }} {{ dict['b'] }} {{ dict['items'] }} {{ dict.get('b') }} {{ dict.get('q') }} {{ dict.get('q', 'd') }} {{ dict.items is callable }} {{ tools[0].function.parameters.properties.x['items'] }}
{{ messages[0]['role'] }} {{ messages[0].role }} {{ messages[-1].role }} {{ messages[99] }}| {{ messages[99] is defined }} {{ messages['length'] }}|
{{ text[0] }} {{ text[-1] }} {{ text[99] }}| {{ text[1:4] }} {{ text[:-2] }} {{ text[::2] }} {{ text[::-1] }} {{ text[5:1] }}| {{ text[-3:] }} {{ text[8:2:-2] }} {{ text[true] }}
{{ emoji[1] }} {{ emoji[1:3] }} {{ emoji[-1] }} {{ emoji[::-1] }} {{ emoji[:2] ~ '|' ~ emoji[2:] }}
{{ numbers[1:3] }} {{ numbers[::-1] }} {{ numbers[-2:] }} {{ numbers[:none] }} {{ numbers[0:100:2] }} {{ (1, 2, 3)[1:] }} {{ numbers[1:][0] }} {{ numbers[3:0:-1] }} {{ numbers[-100:2] }}
{{ numbers[::0] }}
{{ text['a':] }}
{{ none[0] }}| {{ none.x }}| {{ 5 .x }}| {{ 5['x'] }}| {{ text.x }}|
{{ undefined_name.x }}
{{ undefined_name['x'] }}
{{ undefined_name[1:] }}
{{ undefined_name() }}
{{ text() }}
{{ dict.nothing.x }}
{{ dict.b.x }}| {{ dict.b.x is defined }}
{{ numbers.0 }} {{ numbers.1.0 }}| {{ people.0.name }} {{ [[1, 2], [3]].0.1 }}
{{ 'upper' in text }} {{ text['upper']() }} {{ text.upper() }} {{ ''.join(['a', 'b']) }}
{{ dict.keys() | list }} {{ dict.values() | list }} {{ dict.items() | list }} {{ dict.copy() == dict }}
{{ dict.update({'x': 1}) }}
{{ numbers.append(1) }}
{{ dict.pop('b') }}
{{ numbers.append is defined }} {{ dict.update is defined }} {{ numbers.sort }}|
{{ text.__class__ }}| {{ text.__class__ is defined }} {{ ''.__class__.__mro__ is defined }}
{{ text.__class__.__mro__ }}
{{ messages.__len__ is defined }} {{ text['__class__'] is defined }} {{ text._x is defined }}
{{ numbers.index(1) }} {{ numbers.count(1) }} {{ (1, 2).index(2) }} {{ [1, 2].copy() }}
{{ numbers.index(99) }}
{{ [1, 2][1.0] }}| {{ [1, 2]['1'] }}| {{ {1: 'a'}[1.0] }} {{ {'1': 'a'}[1] }}| {{ [1, 2][true] }}
{{ {}[[1]] }}|
{{ {[1]: 2} }}
{% set ns = namespace(a=1) %}{{ ns.a }} {{ ns.b }}| {{ ns['a'] }} {{ ns.b is defined }} {% set ns.b = 2 %}{{ ns.b }} {{ ns.items is defined }}
{% set ns = namespace({'x': 1}, y=2) %}{{ ns.x + ns.y }} {% set ns._p = 1 %}{{ ns._p is defined }}
{% set d = {} %}{% set d.x = 1 %}
{{ messages | map(attribute='role') | list }} {{ messages[2].tool_calls[0].function.name }} {{ messages.1.content }}
{{ people | map(attribute='tag.k') | join(',') }} {{ people | map(attribute='zz', default='-') | join(',') }}
{{ dict(a=1, b=2) }} {{ dict is mapping }}
{{ range.x is defined }} {{ cycler is defined }} {{ lipsum is defined }}
"""

METHODS = r"""
{{ '  a b '.strip() }}| {{ 'xxaxx'.strip('x') }} {{ 'abcba'.strip('ab') }} {{ '  a '.lstrip() }}| {{ '  a '.rstrip() }}| {{ 'xy</a>'.strip('</a>') }} {{ '\n\n    code\n'.lstrip('\n') }}| {{ 'a\x1c\x85\u2003'.strip() }}| {{ '\ufeffa'.strip() | length }} {{ 'aé🦙'.rstrip('🦙é') }}
{{ 'a,b,,c'.split(',') }} {{ ' a  b c '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ ' a  b  c '.split(none, 1) }} {{ 'a--b'.split('--') }} {{ ''.split(',') }} {{ ''.split() }} {{ 'a b'.split(maxsplit=1) }} {{ 'a,b'.split(sep=',') }} {{ ' a '.split(none, 0) }}
{{ 'a,b,c'.rsplit(',', 1) }} {{ ' a  b  c '.rsplit(none, 1) }} {{ 'aXbXc'.rsplit('X') }} {{ 'aaa'.rsplit('aa') }} {{ 'aaa'.split('aa') }} {{ ' a  b '.rsplit() }}
{{ 'a'.split('') }}
{{ lines.splitlines() }} {{ lines.splitlines(true) }} {{ 'a\x0bb\x0cc\x1cd\u2028e'.splitlines() }} {{ ''.splitlines() }}
{{ 'aXbXc'.replace('X', '-') }} {{ 'aaa'.replace('a', 'b', 2) }} {{ 'abc'.replace('', '-') }} {{ '🦙b'.replace('', '.') }} {{ 'a'.replace('b', 'c') }} {{ 'ab'.replace('', '-', 2) }} {{ ''.replace('', 'x') }}
{{ text.find('o') }} {{ text.rfind('o') }} {{ text.find('zz') }} {{ text.find('o', 5) }} {{ text.find('o', 0, 3) }} {{ text.index('W') }} {{ emoji.find('b') }} {{ emoji.find('日') }} {{ 'abc'.find('') }} {{ 'abc'.rfind('') }} {{ 'abc'.find('', 4) }} {{ 'abc'.find('c', -1) }}
{{ text.index('zz') }}
{{ 'banana'.count('a') }} {{ 'banana'.count('an') }} {{ 'banana'.count('') }} {{ 'banana'.count('a', 2) }} {{ 'aaaa'.count('aa') }}
{{ text.startswith('He') }} {{ text.endswith(('x', 'ld')) }} {{ text.startswith('e', 1) }} {{ text.startswith('') }} {{ ''.endswith('') }} {{ text.endswith('World', 3, 12) }} {{ text.startswith(('a', 'H')) }}
{{ text.startswith(['a']) }}
{{ text.startswith(1) }}
{{ 'hello wORLD'.capitalize() }} {{ 'hello wORLD'.title() }} {{ "they're bill's".title() }} {{ 'aBc'.swapcase() }} {{ 'ABC'.lower() }} {{ 'a1b'.upper() }} {{ 'ABC'.casefold() }}
{{ 'ab'.center(7, '*') }} {{ 'abc'.center(6) }}| {{ 'ab'.ljust(5) }}| {{ 'ab'.rjust(5, '.') }} {{ '42'.zfill(5) }} {{ '-42'.zfill(5) }} {{ '🦙'.center(3, '-') }} {{ 'a'.center(4, '-') }} {{ 'ab'.center(5, '-') }}
{{ '1'.isdigit() }} {{ 'a1'.isalnum() }} {{ 'ab'.isalpha() }} {{ ''.isalpha() }} {{ ' \n'.isspace() }} {{ 'Ab'.istitle() }} {{ 'ab'.islower() }} {{ 'AB1'.isupper() }} {{ '1'.islower() }} {{ 'a b'.isidentifier() }} {{ 'é'.isascii() }} {{ '5'.isnumeric() }} {{ '5'.isdecimal() }} {{ 'a\n'.isprintable() }} {{ 'é'.isalpha() }}
{{ '-'.join(['a', 'b']) }} {{ ''.join([]) }} {{ ', '.join(words) }} {{ '-'.join('abc') }} {{ '-'.join({'a': 1, 'b': 2}) }} {{ ','.join(words | map('upper')) }}
{{ '-'.join([1]) }}
{{ 'a=b=c'.partition('=') }} {{ 'a=b=c'.rpartition('=') }} {{ 'abc'.partition('=') }} {{ 'abc'.rpartition('=') }}
{{ 'prefix-x'.removeprefix('prefix-') }} {{ 'x.py'.removesuffix('.py') }} {{ 'x'.removesuffix('') }}
{{ 'a\tb'.expandtabs() }} {{ 'a\tb\n\tc'.expandtabs(4) }}|
{{ '{} {}'.format('a', 1) }} {{ '{1} {0}'.format('a', 'b') }} {{ '{x}'.format(x=5) }} {{ '{{}} {0!r}'.format('q') }} {{ '{:>5}|{:<5}|{:^5}|{:05d}|{:.2f}|{:,}|{:x}|{:*^7}'.format('a', 'b', 'c', 42, 3.14159, 1234567, 255, 'm') }} {{ '{0.name} {0[name]}'.format(people[0]) }} {{ '{a[0]}'.format(a=[7]) }} {{ '{:+d} {: d} {:5}|{:<5}|{:.3}'.format(3, 3, 12, 12, 'abcdef') }} {{ '{}'.format(none) }}
{{ '{:>6}|{:<8}|{:06}|{:+}|{:^9}'.format(2.5, 0.1, 1.5, 2.0, 1e16) }}
{{ '{}'.format() }}
{{ '{} {0}'.format(1) }}
{{ 'A'.lower().upper().strip() * 2 }} {{ 'Hello'[1:].upper() }} {{ ('a' ~ 'b').upper() }}
{{ 'abc'.upper(1) }}
{{ 'abc'.nothing() }}
"""

FILTERS = r"""
{{ ' a ' | trim }}| {{ 'xax' | trim('x') }} {{ 5 | trim }} {{ none | trim }} {{ undefined_name | trim }}|
{{ text | upper }} {{ text | lower }} {{ text | title }} {{ 'heLLo wORld-foo (bar) [baz]' | title }} {{ text | capitalize }} {{ 5 | upper }} {{ true | lower }}
{{ text | length }} {{ numbers | length }} {{ dict | length }} {{ undefined_name | length }} {{ dict.items() | length }} {{ range(4) | count }}
{{ 5 | length }}
{{ none | length }}
{{ numbers | map('string') | length }}
{{ text | replace('l', 'L') }} {{ text | replace('l', 'L', 1) }} {{ 123 | replace(2, 'x') }} {{ none | replace('N', 'n') }}
{{ undefined_name | default('d') }} {{ none | default('d') }} {{ '' | default('d') }}| {{ '' | default('d', true) }} {{ none | d('d', boolean=true) }} {{ undefined_name | default }}| {{ dict.zz | default('q') }} {{ false | default(1) }}
{{ words | join }} {{ words | join(', ') }} {{ numbers | join('-') }} {{ people | join(', ', attribute='name') }} {{ 'abc' | join('.') }} {{ dict | join(',') }} {{ [none, true, undefined_name] | join('|') }} {{ [] | join(',') }}| {{ [1, [2]] | join(1) }}
{{ none | join }}
{{ words | first }} {{ words | last }} {{ 'abc' | first }} {{ 'abc' | last }} {{ [] | first }}| {{ [] | last }}| {{ dict | first }} {{ dict | last }} {{ emoji | last }} {{ range(3) | last }} {{ [] | first is defined }}
{{ words | sort }} {{ words | sort(reverse=true) }} {{ words | sort(case_sensitive=true) }} {{ numbers | sort }} {{ people | sort(attribute='age') | map(attribute='name') | list }} {{ people | sort(attribute='age,name') | map(attribute='name') | list }} {{ people | sort(true, attribute='age') | map(attribute='name') | list }} {{ dict | sort }} {{ 'hello' | sort }}
{{ [1, 'a'] | sort }}
{{ [none, 1] | sort }}
{{ dict | dictsort | map('first') | list }} {{ {'b': 1, 'A': 3, 'c': 2} | dictsort }} {{ {'b': 1, 'A': 3, 'c': 2} | dictsort(true) }} {{ {'b': 1, 'A': 3, 'c': 2} | dictsort(false, 'value') }} {{ {'b': 1, 'A': 3} | dictsort(reverse=true) }}
{{ [] | dictsort }}
{% for g in people | groupby('age') %}{{ g.grouper }}:{{ g.list | map(attribute='name') | join('+') }}:{{ g[0] }} {% endfor %}{% for k, v in people | groupby('tag.k') %}{{ k }}={{ v | length }} {% endfor %}{{ people | groupby('age') | length }}
{% for k, v in people | groupby('zz', default='?') %}{{ k }}={{ v | length }}{% endfor %} {% for k, v in [{'n': 'a'}, {'n': 'A'}, {'n': 'b'}] | groupby('n') %}{{ k }}{{ v | length }}{% endfor %} {{ [{'n': 'a', 'v': 1}, {'n': 'A', 'v': 2}] | groupby('n', case_sensitive=true) }}
{{ words | unique | list }} {{ words | unique(true) | list }} {{ [1, 1.0, true, 2] | unique | list }} {{ people | unique(attribute='age') | map(attribute='name') | list }}
{{ numbers | min }} {{ numbers | max }} {{ words | min }} {{ words | max }} {{ [] | max }}| {{ people | max(attribute='age') }} {{ ['b', 'A'] | min(true) }}
{{ [1, 2, 3] | sum }} {{ [] | sum }} {{ people | sum(attribute='age') }} {{ [1, 2] | sum(start=10) }} {{ [[1], [2]] | sum(start=[]) }} {{ [0.5, 0.25] | sum }}
{{ ['a'] | sum }}
{{ numbers | select('odd') | list }} {{ numbers | reject('odd') | list }} {{ [0, 1, '', 'a', none] | select | list }} {{ [0, 1] | reject | list }} {{ numbers | select('gt', 1) | list }} {{ numbers | select('>', 1) | list }} {{ words | select('in', ['fig']) | list }} {{ numbers | select('equalto', 1) | list }}
{{ people | selectattr('age', 'equalto', 31) | map(attribute='name') | list }} {{ people | rejectattr('age', '==', 31) | map(attribute='name') | list }} {{ messages | selectattr('tool_calls') | list | length }} {{ messages | selectattr('tool_calls', 'defined') | list | length }} {{ messages | selectattr('role', 'in', ['user', 'tool']) | map(attribute='role') | list }} {{ people | selectattr('tag.k', 'eq', 'x') | list | length }}
{{ words | map('upper') | list }} {{ words | map('replace', 'p', 'P') | list }} {{ [1, 2] | map('string') | join }} {{ words | map('length') | sum }} {{ [[3, 1], [2]] | map('sort') | list }} {{ ['a'] | map('default', 'x') | list }} {{ [' a '] | map('trim') | map('upper') | first }}
{{ words | map('nothing') | list }}
{{ words | select('nothing') | list }}
{{ numbers | list }} {{ 'abc' | list }} {{ dict | list }} {{ (1, 2) | list }} {{ undefined_name | list }}
{{ 5 | list }}
{{ 'abc' | reverse }} {{ [1, 2] | reverse | list }} {{ emoji | reverse }} {{ dict | reverse | list }}
{{ 3.7 | int }} {{ '42' | int }} {{ ' 42 ' | int }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ '3.9' | int }} {{ '0x1f' | int(base=16) }} {{ '101' | int(0, 2) }} {{ none | int }} {{ true | int }} {{ -3.7 | int }} {{ '1_000' | int }} {{ '1e3' | int }} {{ [] | int(9) }} {{ '99999999999999999999' | int }} {{ '' | int }}
{{ '3.5' | float }} {{ 3 | float }} {{ 'x' | float }} {{ 'x' | float(1.5) }} {{ '1e3' | float }} {{ ' 2 ' | float }} {{ none | float }} {{ 'inf' | float }} {{ 'nan' | float }} {{ '1_0.5' | float }} {{ '.5' | float }} {{ '5.' | float }} {{ '-0' | float }}
{{ undefined_name | int }}
{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }} {{ 42.55 | round(1, 'floor') }} {{ 42.51 | round(1, 'ceil') }} {{ 42 | round }} {{ 42 | round(1, 'ceil') }} {{ -2.5 | round }} {{ 1.005 | round(2) }} {{ 0.5 | round | int }} {{ 1e20 | round(2) }} {{ -0.4 | round }}
{{ 'a' | round }}
{{ -5 | abs }} {{ 5.5 | abs }} {{ true | abs }} {{ (-5) | abs }} {{ (0 - 2.5) | abs }}
{{ 'a' | abs }}
{{ 'a\nb\n\nc' | indent }}| {{ 'a\nb\n\nc' | indent(2, true) }}| {{ 'a\nb\n\nc' | indent(2, blank=true) }}| {{ 'a\nb' | indent('> ') }} {{ 'a\nb' | indent('> ', first=true) }} {{ 'a\n' | indent }}| {{ '' | indent(first=true) }}|
{{ 'hello big wide world' | truncate(12) }} {{ 'hello big wide world' | truncate(12, true) }} {{ 'hello' | truncate(3, true, '', 0) }} {{ 'hello big wide world' | truncate(12, end='!') }} {{ 'hello world' | truncate(8) }} {{ '🦙🦙🦙🦙🦙🦙🦙🦙🦙🦙🦙🦙' | truncate(6, true, '.') }}
{{ 'hello' | center(9) }}| {{ 'a' | center }}|
{{ 'one two, three-four x_y' | wordcount }} {{ emoji | wordcount }}
{{ '%s=%s' | format('a', 1) }} {{ '%(x)s' | format(x=3) }} {{ '%.1f' | format(2.25) }} {{ '%.0f %.0f %.2f' | format(0.5, 1.5, 1e22) }}
{{ [1, 2, 3, 4, 5] | batch(2) | list }} {{ [1, 2, 3, 4, 5] | batch(2, 0) | list }} {{ [1, 2, 3, 4, 5] | slice(2) | list }} {{ [1, 2, 3, 4, 5] | slice(3, 'x') | list }} {{ [] | batch(2) | list }}
{{ dict | items | list }} {{ undefined_name | items | list }}
{{ [] | items | list }}
{{ text | nothing }}
{% if false %}{{ text | nothing }}{% endif %}ok {{ (text | nothing) if false else 'fine' }}
{% for x in [] %}{{ x | nothing }}{% endfor %}ok
{{ text | attr('upper') is defined }} {{ text | attr('zz') is defined }}
{{ '<a href="x">\'&' | e }} {{ '<' | escape }} {{ 5 | e }} {{ '<' | e | e }} {{ ('<' | e | string) }} {{ '<' | forceescape }}
{{ [3, 1] | sort | first }} {{ [1, 2] | map('string') | map('upper') | join }} {{ text | lower | replace('h', 'j') | upper }} {{ (text | length) + 1 }} {{ text | length + 1 }} {{ -1 | abs }}
{{ "a" | upper ~ "b" }} {{ 1 + 2 | string | length }} {{ not 'a' | upper == 'A' }}
{{ text.split(', ') | map('length') | list }} {{ text.split(', ')[1] | first }} {{ (text | list)[:3] }}
{{ text | filesizeformat }}
"""

JSON = r"""
{{ tools | tojson }}
{{ tools | tojson(indent=2) }}
{{ tools | tojson(indent=4) }} {{ [] | tojson(indent=2) }} {{ {} | tojson(indent=2) }} {{ [[], {}, [1]] | tojson(indent=1) }}
{{ dict | tojson(sort_keys=true) }} {{ dict | tojson(separators=(',', ':')) }} {{ dict | tojson(separators=[', ', '='], indent=0) }} {{ dict | tojson(indent='--') }}
{{ [none, true, 1, 1.0, 'é🦙', '"\\\n\t\r\b\f\x01\x7f/'] | tojson }}
{{ 'é🦙\x7f\u2028' | tojson(ensure_ascii=true) }} {{ 'é' | tojson(true) }}
{{ {1: 'a', none: 2, true: 3, 1.5: 4} | tojson }} {{ (1, 2) | tojson }} {{ 1e20 | tojson }} {{ 1e16 | tojson }} {{ -0.0 | tojson }}
{{ [1e308 * 10, -1e308 * 10] | tojson }} {{ 123456789012345678901 | tojson }} {{ '<>&\'' | tojson }}
{{ undefined_name | tojson }}
{{ range(3) | tojson }}
{{ dict.items() | tojson }}
{{ dict.items() | list | tojson }} {{ words | map('upper') | list | tojson }}
{{ messages[2].tool_calls[0].function.arguments | tojson }} {{ messages[2] | tojson(indent=2, ensure_ascii=true) }}
{{ {1: 1, 'a': 2} | tojson(sort_keys=true) }}
{{ 'a' | tojson | length }} {{ ('a' | tojson) ~ 'b' }} {{ tools | tojson | replace('"', "'") }} {{ none | tojson }} {{ '<' | safe | tojson }}
{{ {'b': 1, 'a': {'d': 1, 'c': 2}} | tojson(indent=2, sort_keys=true) }} {{ {} | tojson }} {{ [[1,[2,[3]]]] | tojson(indent=1) }}
{{ 'a' | tojson(nothing=1) }}
{{ ['\ud83e\udd99'] | tojson(ensure_ascii=true) }}
"""

TESTS = r"""
{{ x is defined }} {{ x is not defined }} {{ x is undefined }} {{ text is defined }} {{ none is defined }} {{ dict.q is defined }} {{ dict['q'] is undefined }}
{{ none is none }} {{ x is none }} {{ text is none }} {{ 0 is none }} {{ none is not none }}
{{ 'a' is string }} {{ 1 is string }} {{ ('a' | safe) is string }} {{ x is string }}
{{ 1 is number }} {{ 1.5 is number }} {{ true is number }} {{ '1' is number }} {{ 1 is integer }} {{ true is integer }} {{ 1.0 is integer }} {{ 1.0 is float }} {{ 1 is float }} {{ true is boolean }} {{ 1 is boolean }} {{ true is true }} {{ 1 is true }} {{ false is false }} {{ 0 is false }}
{{ [] is iterable }} {{ 'a' is iterable }} {{ dict is iterable }} {{ 1 is iterable }} {{ x is iterable }} {{ none is iterable }} {{ range(2) is iterable }} {{ dict.items() is iterable }} {{ (words | map('upper')) is iterable }}
{{ [] is sequence }} {{ 'a' is sequence }} {{ dict is sequence }} {{ 1 is sequence }} {{ x is sequence }} {{ range(2) is sequence }} {{ dict.items() is sequence }} {{ (words | map('upper')) is sequence }} {{ () is sequence }}
{{ dict is mapping }} {{ [] is mapping }} {{ x is mapping }} {{ namespace() is mapping }}
{{ range is callable }} {{ text.upper is callable }} {{ text is callable }} {{ x is callable }} {{ namespace is callable }}
{{ 'abc' is lower }} {{ 'ABC' is upper }} {{ 'aBc' is lower }} {{ 1 is lower }} {{ 'é1' is lower }}
{{ 1 is eq 1 }} {{ 1 is ne 2 }} {{ 1 is lt 2 }} {{ 2 is ge(2) }} {{ none is sameas none }} {{ true is sameas(true) }} {{ 'a' is in 'abc' }} {{ 1 is in [1] }} {{ 3 is not in [1] }} {{ 2 is equalto 2.0 }} {{ 1 is greaterthan 0 }}
{{ ('<' | e) is escaped }} {{ '<' is escaped }}
{{ 1 is nothing }}
{{ 'a' is odd }}
{{ 3 is odd and 2 is even or x is defined }} {{ x is defined and x.y }} {{ not x is defined }} {{ 2 is even is defined }}
{{ (1 is odd) is true }} {{ 4 is divisibleby 2 and true }} {{ [1, 2] is sequence and [1] is not string }}
{{ 'x' if text is string else 'y' }} {{ text is string ~ 'a' }}
{% if messages[0]['role'] == 'system' and messages[0].content is string %}S{% endif %}
{{ messages[2].content is none }} {{ messages[2].tool_calls is iterable }} {{ messages[1].tool_calls is defined }} {{ messages[1].tool_calls is iterable }}
"""

BLOCKS = r"""
{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }} {% endfor %}
{% for m in messages %}{{ loop.previtem.role }}<{{ m.role }}>{{ loop.nextitem.role if not loop.last }} {% endfor %}
{% for m in messages %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }} {% endfor %}
{% for m in messages %}{{ loop.nextitem.role }}{% endfor %}
{% for m in messages if m.role != 'user' %}{{ loop.index }}{{ m.role }}{{ loop.length }}{{ loop.last }} {% endfor %}
{% for x in [] %}a{% else %}empty{% endfor %} {% for x in [1] %}a{% else %}empty{% endfor %} {% for x in undefined_name %}a{% else %}none{% endfor %} {% for x in '' %}{% else %}e{% endfor %}
{% for k, v in dict.items() %}{{ k }}={{ v }};{% endfor %} {% for k in dict %}{{ k }}{% endfor %} {% for k, v in dict | dictsort %}{{ k }}{% endfor %}
{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %} {% for a, b in ['xy'] %}{{ a }}-{{ b }}{% endfor %} {% for a, in [[1]] %}{{ a }}{% endfor %}
{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}
{% for a, b in [1] %}{{ a }}{% endfor %}
{% for c in 'a🦙b' %}[{{ c }}]{% endfor %} {% for i in range(3) %}{{ i }}{% endfor %} {% for i in range(5, 0, -2) %}{{ i }}{% endfor %}
{% for x in 5 %}{% endfor %}
{% for x in none %}{% endfor %}
{% for x in [1, 2, 3] %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}{% endfor %} {% for x in [1, 2, 3] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}
{% for x in [1, 2] %}{% break %}{% else %}E{% endfor %} {% for x in [1] %}{% continue %}{% else %}E{% endfor %} {% for x in [1, 2] %}{% if x == 2 %}{% break %}{% endif %}{% else %}E{% endfor %}
{% for x in [1, 2] %}{% set y %}a{% if x == 1 %}{% continue %}{% endif %}{% endset %}{{ y }}{{ x }}{% endfor %} {% for x in [1, 2] %}{% filter upper %}b{% if x == 2 %}{% break %}{% endif %}{% endfilter %}{% endfor %}
{% break %}
{% macro m() %}{% break %}{% endmacro %}{% for x in [1] %}{{ m() }}{% endfor %}
{% set x = 1 %}{% for m in [1, 2] %}{% set x = x + m %}{{ x }}{% endfor %}{{ x }}
{% for x in [1, 2, 3] %}{% if loop.first %}{% set y = x %}{% endif %}[{{ y }}]{% endfor %}{{ y }}|{{ x }}|
{% set ns = namespace(n=0) %}{% for x in [1, 2] %}{% set ns.n = ns.n + x %}{% endfor %}{{ ns.n }}
{% if false %}{% set q = 1 %}{% endif %}{{ q is defined }} {% if true %}{% set w = 1 %}{% endif %}{{ w }}
{% set a, b = 1, 2 %}{{ a }}{{ b }} {% set (c, d) = [3, 4] %}{{ c + d }} {% set e = 1, 2 %}{{ e }}
{% set x %}a{{ 1 + 1 }}b{% endset %}[{{ x }}] {% set y | upper %}abc{% endset %}{{ y }} {% set z | replace('a', 'b') | upper %}a{% endset %}{{ z }} {% set x2 %}{% set inner = 1 %}{{ inner }}{% endset %}{{ x2 }}{{ inner is defined }}
{% filter upper %}a{{ text }}{% endfilter %} {% filter trim | replace('a', 'o') %}  banana {% endfilter %}| {% filter indent(2) %}a
b{% endfilter %}
{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a is defined }} {% with %}{% set q = 5 %}{{ q }}{% endwith %}{{ q is defined }} {% with a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}{% endwith %}
{% macro m(a, b=2, c=none) %}{{ a }}-{{ b }}-{{ c }}{% endmacro %}{{ m(1) }} {{ m(1, 3) }} {{ m(a=5, c=6) }} {{ m(b=1, a=2) }} {{ m() }} {{ m(*[1, 2]) }} {{ m(**{'a': 7}) }} {{ m(1, *[2], **{'c': 3}) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=2) }}
{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 'a', x=2) }} {% macro k(a) %}{{ a }}{{ kwargs.x }}{% endmacro %}{{ k(1, x=2) }}
{% macro m() %}[{{ caller() }}]{% endmacro %}{% call m() %}in{{ text }}{% endcall %} {% macro l(items) %}{% for i in items %}{{ caller(i) }}{% endfor %}{% endmacro %}{% call(x) l([1, 2]) %}<{{ x }}>{% endcall %} {{ m.name }} {{ l.arguments }} {{ m.caller }}
{% macro m() %}[{{ caller }}]{% endmacro %}{{ m() }} {% macro n() %}{{ caller is defined }}{% endmacro %}{{ n() }}
{% macro m() %}x{% endmacro %}{% call m() %}a{% endcall %}
{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }} {% macro g() %}{{ late }}{% endmacro %}{% set late = 'L' %}{{ g() }}
{% macro m(x) %}{% set x = x + 1 %}{{ x }}{% endmacro %}{% set x = 5 %}{{ m(x) }}{{ x }} {% macro o() %}{{ text }}{% endmacro %}{{ o() }} {% macro p(a, b=a) %}{{ b }}{% endmacro %}{{ p(3) }}
{% macro m() %}  x {% endmacro %}{{ m() | trim }}{{ m() | length }} {{ m() ~ 'y' }}|
{% for x in [[1, [2, 3]], [4]] recursive %}{{ loop.depth }}{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}{% endif %}{% endfor %}
{% for x in [1] %}{{ loop([2]) }}{% endfor %}
{% for x in [3, 4] recursive %}{{ x }}{% if x == 3 %}{{ loop([5, 6]) }}{% endif %}{% else %}E{% endfor %} {% for x in [1, 2, 3] if x != 2 recursive %}{{ x }}{{ loop.length }}{% endfor %}
{% for x in [1, 2, 3, 4] %}{{ loop.cycle('a', 'b', 'c') }}{% endfor %} {% for x in [1, 1, 2, 2, 1] %}{{ loop.changed(x) }} {% endfor %}{% set c = cycler('x', 'y') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{% set j = joiner('|') %}{{ j() }}a{{ j() }}b
{% for a in [1, 2] %}{% for b in [1, 2] %}{{ loop.index }}{{ a }}{% endfor %}{{ loop.index }}{% endfor %} {% for a in [1, 2] %}{% set outer = loop %}{% for b in [1] %}{{ outer.index }}{% endfor %}{% endfor %}
{% for loop in [1] %}{% endfor %}
{% for x in [1] %}{% set loop = 2 %}{% endfor %}
{% if 1 %}a{% elif 2 %}b{% else %}c{% endif %}{% if 0 %}a{% elif 2 %}b{% else %}c{% endif %}{% if 0 %}a{% elif '' %}b{% else %}c{% endif %}{% if undefined_name %}x{% endif %}{% if undefined_name.y %}x{% endif %}
{% if not messages[0].x %}a{% endif %}{% if messages and messages[0].role == 'system' %}b{% endif %}{% if 'x' in text or 'W' in text %}c{% endif %}
{% generation %}a{% set inner = 1 %}{{ text }}{% endgeneration %}{{ inner is defined }} {% for m in [1, 2] %}{% generation %}{{ loop.index }}{{ m }}{% endgeneration %}{% endfor %}
{{ raise_exception('no') }}
{% if false %}{{ raise_exception('no') }}{% endif %}fine
{% print 1, 'a', [2] %}
{% raw %}{{ x }} {% if %}{% endraw %}|{%- raw -%}  a {{ b }} {%- endraw -%}  |
{# comment {{ x }} #}a{#- b -#} c {#
 more #}
d
{% include 'x' %}
{% extends 'x' %}
{% import 'x' as y %}
{% nothing %}
{% endfor %}
{% for x in [1] %}
{% if x %}a{% endfor %}
{{ 'a }}
{{ 1 + }}
{{ (1 }}
{{ 1) }}
{{ [1, 2 }}
{% set x %}a
{{ a b }}
{{ }}
{{ a..b }}
{{ 'a' | }}
{% set true = 1 %}
{{ $x }}
{# never closed
{% raw %}never closed
{% do x %}
{{ x is defined is none }}
{% set undefined_x = undefined_y %}{{ undefined_x is defined }} {% set ns = namespace(list=[]) %}{% set ns.list = ns.list + ['a'] %}{{ ns.list }}
{% for m in messages %}{{ text2 }}{% endfor %}{% set text = 1 %}{% set text2 = 2 %}|{% macro q() %}{{ text }}{% endmacro %}{{ q() }}
{% macro early() %}[{{ words }}]{% endmacro %}{{ early() }}{% set words = 1 %}{{ early() }}
{% for x in [1, 2] %}{{ flag }}{% set flag = x %}{{ flag }}{% endfor %}{{ flag }}
{% for x in [1] %}{% if true %}{% set flag = x %}{% endif %}{{ flag }}{% endfor %}{{ flag }} {% for x in [1] %}{% if false %}{% set flag = x %}{% else %}{% endif %}{{ flag }}{% endfor %}
{% set g = words | map('upper') %}{{ g | first }}{{ g | first }}{{ g | list | length }}{{ g | list }}
{% set ns = namespace(go=true) %}{% for x in [1, 2, 3] if ns.go %}{{ x }}{% set ns.go = x < 2 %}{% endfor %}
{% set ns = namespace(go=true) %}{% for x in [1, 2, 3] if ns.go %}{{ x }}{{ loop.last }}{% set ns.go = x < 2 %}{% endfor %}
{% call(x) undefined_name() %}{% endcall %}
{% macro m(a, a) %}{% endmacro %}
{% macro m(a=1, b) %}{% endmacro %}
{% set x = {'a': 1} %}{% for k in x %}{% set y = k %}{% endfor %}{{ y is defined }} {% for i in [1] %}{% set z = 1 %}{% for j in [1] %}{{ z }}{% set z = 2 %}{{ z }}{% endfor %}{{ z }}{% endfor %}
{% set x = 'a' %}{% if x == 'a' %}{% set x = 'b' %}{% endif %}{{ x }} {% if x == 'b' %}{% for i in [1] %}{% set x = 'c' %}{% endfor %}{% endif %}{{ x }}
"""

# Jinja2 renders these, or prints an address of memory; they are refused here, so they have no text.
UNSUPPORTED = r"""
{{ dict.items }}
{{ words | map('upper') }}
{{ text | reverse | map('upper') }}
{{ [1] | reverse }}
{{ 1.real }}
{{ 1.5.is_integer() }}
{{ 'x'.encode() }}
{{ numbers.pop() }}
{{ people[0] | attr('name') }}
{{ 1 is sameas 1 }}
{{ 'upper' is filter }}
{{ lipsum() }}
{{ text | random }}
{{ text | urlize }}
{{ 2 ** 0.5 }}
{{ 2 ** -1 }}
{{ ('<' | safe) + '<' }}
{{ ('<' | e).upper() }}
{{ [0.1, 0.2, 0.3] | sum }}
{{ {(1, 2): 3} }}
{{ '\u0663' | int }}
{{ '%e' % 1.5 }} {{ '{:e}'.format(1.5) }}
{% block a %}{% endblock %}
{% autoescape false %}{{ '<' }}{% endautoescape %}
{% include 'x' ignore missing %}
"""

# Snippets of several lines: white space, line ends and the sign of a tag.
SPACING = [
    "a\n{% if true %}\n  b\n{% endif %}\nc\n",
    "a\n  {% if true %}  \n  b\n  {% endif %}  x\nc\n\n",
    "a\r\n{% if true %}\r\nb\r\n{% endif %}\r\nc\r\n",
    "a\r{% if true %}\rb\r{% endif %}\rc\r",
    "  {%- if true -%}  \n b \n {%- endif -%} \n c",
    "  {%+ if true +%}  \n b \n {%+ endif +%}\n c",
    "a {{- 1 -}} b {{ 2 }} c {{- 3 }}\n {{ 4 -}}\n d",
    "\n\n{{ 1 }}\n\n",
    "{% set x = 1 %}\n\n{{ x }}\n",
    "x  {# c #}\n  {# d #}\n  y {#- e #}\n",
    "    {# c #}  \nz",
    "{% for i in [1, 2] %}\n    {{ i }}\n{% endfor %}\nend",
    "{% for i in [1, 2] -%}\n    {{ i }}\n{%- endfor %}\nend",
    "{%- for i in [1, 2] %}\n    {%- if i == 1 %}\n        one\n    {%- else %}\n        two\n    {%- endif %}\n{%- endfor %}",
    "\ufeffa {% if true %}\u2003\nb{% endif %}",
    "a \u00a0{%- if true %}b{% endif %}\x1c{%- set x = 1 %}|",
    "{% raw %}\n{{ x }}\n{% endraw %}\nend",
    "  {% raw %}  \n a {% endraw %}  \nend",
    "{%- raw %} a {% endraw -%}   b",
    "a{% raw -%}  b  {%- endraw %}\nc",
    "{{ 'a\r\nb' }}|{{ 'a\\r\\nb' }}",
    "{% if true %}{% endif %}\n\n{% if true %}{% endif %}\n",
    "a\n\t{% set x = 1 %}\nb\n \t {%+ set y = 1 %}\nc",
    "{{ '}}' }} {{ '%}' }} {% set x = '%}' %}{{ x }} {{ {'a': {'b': 1}}['a'] }} {{ {'a': {}}}}",
    "{{\n1\n+\n2\n}}\n{%\nset x\n=\n3\n%}\n{{ x }}",
    "{{ 1 }}{% if true %}\n{{ 2 }}\n{%- endif %}\n\n",
    "text only\n", "", "\n", "\n\n", "   ", "{{ '' }}\n", "a{{ 1 }}\n\n", "{# only #}\n", "{#- x -#}  a",
    "{ { x } } {% if true %}{ %}{% endif %} }} %} #}",
    "a {%- set x = 1 -%} b {%- if x %} c {% endif -%} d",
    "{% macro m() %}\n  x\n{% endmacro %}\n[{{ m() }}]",
    "{% set x %}\n  y\n{% endset %}\n[{{ x }}]",
    "{% generation %}\nx\n{% endgeneration %}\ny",
]

DATES = r"""
{{ strftime_now('%d %B %Y') }} {{ strftime_now('%Y-%m-%d') }} {{ strftime_now('%A %a %b %-d %y %H:%M:%S %I %p') }}
{{ strftime_now('%j %e %x %X %c %F %T %D %Z| %z| %U %W %w %u %G-%V %g %h %f %C %k %l %P %r %R %n %t %%') }}
{{ strftime_now('%-m/%-d %-j %-H %-I %-e') }} {{ strftime_now('') }}| {{ strftime_now('no code') }}
"""


def snippets():
    for kind, text in [("printing", PRINTING), ("operators", OPERATORS), ("lookups", LOOKUPS), ("methods", METHODS),
                       ("filters", FILTERS), ("json", JSON), ("tests", TESTS), ("blocks", BLOCKS), ("dates", DATES)]:
        lines = text.strip("\n").split("\n")
        whole = ""
        for line in lines:
            # A string or a block may cross a line's end.
            whole = f"{whole}\n{line}" if whole else line
            if line.endswith("\\") or line.endswith("{#") or line == "d" or line.endswith("#}") or \
                    line.endswith("indent(2) %}a"):
                if line != "d":
                    continue
            yield kind, whole
            whole = ""
    for text in SPACING:
        yield "spacing", text


# Splits a line into separate snippets, so that most failures concern one snippet.
def parts(text):
    if "{%" in text or "\n" in text:
        return [text]
    pieces, depth = [], 0
    rest = text
    while "{{" in rest:
        at = rest.index("{{")
        end = rest.find("}} ", at)
        if end < 0:
            pieces.append(rest)
            break
        pieces.append(rest[: end + 2])
        rest = rest[end + 3:]
    if any(piece.count("{{") != piece.count("}}") or piece.count("'") % 2 or piece.count('"') % 2 for piece in pieces):
        return [text]
    return pieces


def main():
    cases = []
    seen = set()
    for kind, text in snippets():
        for template in parts(text):
            if template in seen:
                continue
            seen.add(template)
            cases.append([kind, template, render(template, VALUES).get("text")])
    cases += [["unsupported", line, None] for line in UNSUPPORTED.strip("\n").split("\n")]
    out = {"source": f"Jinja2 {jinja2.__version__} as transformers sets it up, by make_templates.py",
           "values": VALUES, "cases": cases}
    head = json.dumps({key: out[key] for key in ("source", "values")}, ensure_ascii=True)[:-1]
    body = ",\n".join(json.dumps(case, ensure_ascii=True) for case in cases)
    sys.stdout.write(f'{head}, "cases": [\n{body}\n]}}\n')


if __name__ == "__main__":
    main()
