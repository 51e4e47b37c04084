/** Conversations for chat templates: many combinations of roles, tools, content types and unusual texts. */

const user = (content) => ({ role: 'user', content });
const assistant = (content, more = {}) => ({ role: 'assistant', content, ...more });
const system = (content) => ({ role: 'system', content });

const ARGUMENTS = {
  place: 'Paris',
  units: null,
  detail: true,
  days: 3,
  ratio: 0.25,
  list: [1, [2.5, 'x', [false, null]], { k: 'it\'s "so" <b>&' }],
  nested: { a: { b: [] }, é: '日本🦙\n' },
};
const call = (args, more = {}) => ({
  id: 'call00001',
  type: 'function',
  function: { name: 'get_weather', arguments: args },
  ...more,
});
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      description: 'The weather, "now" & <soon>.',
      parameters: {
        type: 'object',
        properties: {
          place: { type: 'string', description: 'A city' },
          units: { type: ['string', 'null'], enum: ['C', 'F'], default: null },
          days: { type: 'integer', minimum: 1, maximum: 7.5 },
          list: { type: 'array', items: { type: 'object', properties: { k: { type: 'string' } } } },
        },
        required: ['place'],
        additionalProperties: false,
      },
    },
  },
  {
    type: 'function',
    function: { name: 'noop', description: '', parameters: { type: 'object', properties: {} } },
  },
];

const OWN_ROLES = {
  developer: [{ role: 'developer', content: 'Be exact.' }, user('Hi')],
  ipython: [
    user('Run'),
    assistant('', { tool_calls: [call(ARGUMENTS)] }),
    { role: 'ipython', content: '3' },
  ],
  observation: [user('See'), assistant('ok'), { role: 'observation', content: 'a "thing"' }],
  function: [user('See'), assistant('ok'), { role: 'function', name: 'f', content: '{"a": 1}' }],
  critic: [user('See'), { role: 'critic', content: 'no' }],
};

/** Conversations by name, each with the variables of its template. */
export const SHAPES = Object.entries({
  one: { messages: [user('Hello')] },
  closed: { messages: [user('Hello'), assistant('Hi.')], add_generation_prompt: false },
  turns: {
    messages: [user('One'), assistant('Two'), user('Three'), assistant('Four'), user('Five')],
  },
  system: { messages: [system('Be brief.'), user('Hello'), assistant('Hi.'), user('More?')] },
  spaces: {
    messages: [
      system(' \n be '),
      user('  \n indented\n\tcode  \n\n'),
      assistant('\n\n  a\n'),
      user(' '),
    ],
  },
  empty: { messages: [system(''), user(''), assistant(''), user('x')] },
  emoji: {
    messages: [user('🦙 café 👩‍👩‍👧 日本\u2028 \ufeff'), assistant('naïve 😀'), user('¿?')],
  },
  crlf: {
    messages: [system('a\r\nb'), user('one\r\ntwo\rthree\n'), assistant('x\r\n'), user('y')],
  },
  quotes: { messages: [user(`it's "so" \\n <b>&amp; {{ x }} {% y %}`), assistant("'"), user('`')] },
  tools: { messages: [user('Weather?')], tools: TOOLS },
  tools_system: { messages: [system('Use tools.'), user('Weather?')], tools: TOOLS },
  calls: {
    messages: [
      user('Weather?'),
      assistant('', { tool_calls: [call(ARGUMENTS)] }),
      { role: 'tool', name: 'get_weather', tool_call_id: 'call00001', content: '{"t": 21.5}' },
      assistant('Warm.'),
      user('Thanks'),
    ],
    tools: TOOLS,
  },
  calls_open: {
    messages: [
      system('s'),
      user('Weather?'),
      assistant(null, { tool_calls: [call(ARGUMENTS), call({}, { id: 'call00002' })] }),
      { role: 'tool', name: 'get_weather', tool_call_id: 'call00001', content: '21.5' },
      { role: 'tool', name: 'get_weather', tool_call_id: 'call00002', content: 'null' },
    ],
    tools: TOOLS,
  },
  calls_text: {
    messages: [
      user('Weather?'),
      assistant('Let me see.', { tool_calls: [call('{"place": "Paris", "n": 1.0}')] }),
      { role: 'tool', tool_call_id: 'call00001', content: 'ok' },
      user('And?'),
    ],
    tools: TOOLS,
  },
  calls_bare: {
    messages: [
      user('Weather?'),
      assistant('x', { tool_calls: [{ name: 'get_weather', arguments: ARGUMENTS }] }),
      { role: 'tool', content: [{ type: 'text', text: '21' }] },
    ],
  },
  thoughts: {
    messages: [
      user('2+2?'),
      assistant('<think>\nhm, 4\n</think>\n\n  Four.'),
      user('3+3?'),
      assistant('Six.', { reasoning_content: '\n so six \n', thinking: 'six', reasoning: 'r' }),
      user('4+4?'),
    ],
  },
  thoughts_calls: {
    messages: [
      user('2+2?'),
      assistant('', { reasoning_content: 'use it', tool_calls: [call(ARGUMENTS)] }),
      { role: 'tool', tool_call_id: 'call00001', content: '4' },
      assistant('<think>done</think>4', { reasoning_content: 'done' }),
    ],
    tools: TOOLS,
    enable_thinking: true,
  },
  thinking_off: {
    messages: [system('/no_think'), user('Hi /no_think')],
    enable_thinking: false,
    thinking: false,
  },
  effort: {
    messages: [user('Hi')],
    reasoning_effort: 'high',
    enable_thinking: true,
    thinking: true,
  },
  parts: {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'image' }, { type: 'text', text: ' What? ' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'A llama.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
  },
  documents: {
    messages: [user('Say')],
    documents: [
      { title: 'T', text: 'body', doc_id: 1, score: 0.5 },
      { title: 'é', text: '' },
    ],
  },
  no_tools: { messages: [user('Hello')], tools: [] },
  odd_order: {
    messages: [assistant('First'), user('a'), user('b'), assistant('c'), assistant('d')],
  },
  two_systems: { messages: [system('a'), system('b'), user('c'), system('d')] },
  long: {
    messages: Array.from({ length: 41 }, (_, i) => (i % 2 ? assistant(`a${i}`) : user(`u${i}`))),
  },
  none: { messages: [user(null), assistant(null), user('x')] },
  ...Object.fromEntries(
    Object.entries(OWN_ROLES).map(([role, messages]) => [`role_${role}`, { messages }]),
  ),
}).map(([name, values]) => ({
  name,
  values: {
    tools: null,
    documents: null,
    add_generation_prompt: true,
    bos_token: '<s>',
    eos_token: '</s>',
    ...values,
  },
}));
