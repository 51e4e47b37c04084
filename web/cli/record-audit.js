/** The audit of a recorded answer as text. */
import { columns, quoted } from './terminal.js';

/** At most so many proofs are printed. */
const PROOFS = 10;
const LEVEL = 0.01;

/** @param {number} p */
const shown = (p) => (p > 0 && p < 0.0001 ? '< 0.0001' : p.toFixed(4));

/** @param {import('../sources/audit.js').Audit} audit */
function verdictOf({ proofs, p_value, pit, temperature, tighter }) {
  if (proofs.length > 0)
    return `audit: no. ${proofs.length} of the tokens ${proofs.length === 1 ? 'is' : 'are'} impossible with these settings`;
  if (pit.n === 0) return 'audit: the listed tokens decide nothing';
  if (p_value > LEVEL) return `audit: nothing speaks against these settings, p = ${shown(p_value)}`;
  const looks =
    tighter.p_value < temperature.p_value && tighter.as_if
      ? `, as if ${tighter.as_if.name} were ${tighter.as_if.value}`
      : temperature.p_value <= LEVEL && temperature.estimate !== null
        ? `, as if the temperature were near ${temperature.estimate.toFixed(2)}`
        : '';
  return `audit: hardly these settings, p = ${shown(p_value)}${looks}`;
}

/**
 * @param {import('../sources/audit.js').Audit} audit
 * @param {import('../import/logprobs.js').LogprobRecord} record
 * @param {NodeJS.WriteStream} stdout
 */
export function printAudit(audit, { raw, positions }, stdout) {
  const { proofs, pit, temperature, tighter, used, power } = audit;
  stdout.write(`\n${verdictOf(audit)}\n`);
  if (raw === 'warped')
    stdout.write('The recorded numbers are compared with themselves, without the settings.\n');
  for (const { position, stage } of proofs.slice(0, PROOFS))
    stdout.write(`  token ${position + 1} ${quoted(positions[position].token.text)}: ${stage}\n`);
  if (proofs.length > PROOFS) stdout.write(`  and ${proofs.length - PROOFS} more\n`);
  if (pit.n > 0) {
    const rows = [
      ['places of the tokens (Kolmogorov, Smirnov)', shown(pit.p_value)],
      ['another temperature', shown(temperature.p_value)],
      ['a tighter cut', shown(tighter.p_value)],
    ];
    stdout.write(`${columns([['test', 'p'], ...rows], [1])}\n`);
    const found = power.temperature.map(
      ({ off, power: share }) => `${off}: ${(100 * share).toFixed(0)} %`,
    );
    stdout.write(`power at 1 % for a temperature that was higher by ${found.join(', ')}\n`);
    if (power.cut)
      stdout.write(`a cut as tight as top_p ${power.cut.value} is found for certain\n`);
  }
  stdout.write(
    `${used.whole} tokens compared with the whole distribution, ${used.listed} with the listed tokens, ${used.unused + used.hidden} left out\n`,
  );
}
