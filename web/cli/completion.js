/** `logitscope completion SHELL`: prints a script with which a shell completes commands and flags. */
import { UsageError, flagsOf } from './flags.js';

const SHELLS = ['bash', 'zsh', 'fish'];

/** @param {string} name */
const dashed = (name) => `--${name.replaceAll('_', '-')}`;
/** Returns a text in single quotes, which all three shells read in the same way. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * @param {Record<string, import('./flags.js').Command>} commands
 * @param {any[]} table
 * @returns {{ name: string, summary: string, flags: import('./flags.js').Flag[] }[]}
 */
function listed(commands, table) {
  return Object.entries(commands).map(([name, command]) => ({
    name,
    summary: command.summary,
    flags: flagsOf(command, table),
  }));
}

/** @typedef {ReturnType<typeof listed>} Listed */

/** Returns the script for bash; zsh can run it too. @param {Listed} commands */
const bash = (commands) => `_logitscope() {
  local word=\${COMP_WORDS[COMP_CWORD]} flags
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.map(({ name }) => name).join(' '))} -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands
  .map(
    ({ name, flags }) =>
      `    ${name}) flags=${quoted(flags.map((flag) => dashed(flag.name)).join(' '))} ;;`,
  )
  .join('\n')}
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _logitscope logitscope
`;

/** @param {Listed} commands */
const fish = (commands) =>
  commands
    .flatMap(({ name, summary, flags }) => [
      `complete -c logitscope -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...flags.map(
        (flag) =>
          `complete -c logitscope -n '__fish_seen_subcommand_from ${name}' -l ${dashed(flag.name).slice(2)}${
            flag.kind === 'switch' ? '' : ' -r'
          } -d ${quoted(flag.help)}`,
      ),
    ])
    .map((line) => `${line}\n`)
    .join('');

/**
 * Returns the command `completion`, which needs the list of all other commands.
 * @param {() => Record<string, import('./flags.js').Command>} commands
 * @returns {import('./flags.js').Command}
 */
export const completionOf = (commands) => ({
  summary: 'what a shell proposes after Tab: bash, zsh or fish',
  settings: false,
  operands: 'SHELL',
  flags: [],
  modelless: true,
  notes:
    'bash and zsh: eval "$(logitscope completion bash)"; fish: logitscope completion fish | source\n',

  check({ operands }) {
    const [shell, more] = operands;
    if (more !== undefined || !SHELLS.includes(shell))
      throw new UsageError(
        `SHELL must be one of ${SHELLS.join(', ')}, got ${operands.join(' ') || 'none'}`,
      );
  },

  run(_scope, { operands: [shell] }, { stdout }, table) {
    const all = listed(commands(), table);
    const begin = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
    stdout.write(shell === 'fish' ? fish(all) : begin + bash(all));
  },
});
