/** `logitscope completion SHELL`: prints a script with which a shell completes commands and flags. */
import { UsageError, flagsOf } from './flags.js';

const SHELLS = ['bash', 'zsh', 'fish'];

/** @param {string} name */
const withDashes = (name) => `--${name.replaceAll('_', '-')}`;
/** Returns a text in single quotes, which all three shells read in the same way. @param {string} text */
const quoteWord = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * @param {Record<string, import('./flags.js').Command>} commands
 * @param {any[]} table
 * @returns {{ name: string, summary: string, flags: import('./flags.js').Flag[] }[]}
 */
function listCommands(commands, table) {
  return Object.entries(commands).map(([name, command]) => ({
    name,
    summary: command.summary,
    flags: flagsOf(command, table),
  }));
}

/** @typedef {ReturnType<typeof listCommands>} Listed */

/** Returns the script for bash; zsh can run it too. @param {Listed} commands */
const bashScript = (commands) => `_logitscope() {
  local word=\${COMP_WORDS[COMP_CWORD]} flags
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoteWord(commands.map(({ name }) => name).join(' '))} -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands
  .map(
    ({ name, flags }) =>
      `    ${name}) flags=${quoteWord(flags.map((flag) => withDashes(flag.name)).join(' '))} ;;`,
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
const fishScript = (commands) =>
  commands
    .flatMap(({ name, summary, flags }) => [
      `complete -c logitscope -n __fish_use_subcommand -a ${name} -d ${quoteWord(summary)}`,
      ...flags.map(
        (flag) =>
          `complete -c logitscope -n '__fish_seen_subcommand_from ${name}' -l ${withDashes(flag.name).slice(2)}${
            flag.kind === 'switch' ? '' : ' -r'
          } -d ${quoteWord(flag.help)}`,
      ),
    ])
    .map((line) => `${line}\n`)
    .join('');

/**
 * Returns the command `completion`, which needs the list of all other commands.
 * @param {() => Promise<Record<string, import('./flags.js').Command>>} commands
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

  async run(_scope, { operands: [shell] }, { stdout }, table) {
    const all = listCommands(await commands(), table);
    const begin = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
    stdout.write(shell === 'fish' ? fishScript(all) : begin + bashScript(all));
  },
});
