/** The handles at the cut lines of top-k and top-p between the bars. Dragging a handle changes the setting. */
import { nothing } from 'lit';
import { rowsAbove } from '../../plots/bars.js';
import { enteringShares, findHandles, valueFor } from '../../plots/cuts.js';
import { renderHandle } from '../../base/handles.js';

/**
 * @param {import('../../plots/trace.js').Trace} trace
 * @param {import('../../plots/bars.js').Layout} layout
 * @param {import('../../base/element.js').LogitElement & { fixed: boolean }} host asks with "logit-set"
 */
export function renderBarHandles(trace, layout, host) {
  const { length } = layout.rows;
  return findHandles(trace).map((handle) => {
    const cut = layout.cuts.find(({ stage }) => stage.name === handle.name);
    if (!cut) return nothing;
    const shares = enteringShares(trace, handle.name);
    const all = trace.rest.count > 0 ? length : handle.before;
    /** @param {number} n */
    const keep = (n) => valueFor(handle, n >= all ? handle.before : n, shares);
    const kept = handle.cuts ? handle.kept : Math.min(handle.before, length);
    /** @param {number} steps */
    const more = (steps) => {
      const n = kept + steps;
      if (handle.name === 'top_k') return valueFor(handle, n, shares);
      if (n <= shares.length || steps === Infinity) return keep(Math.max(1, n));
      return Math.min(1, Math.round(handle.value * 100 + steps) / 100);
    };
    return renderHandle(
      {
        handle,
        across: true,
        at: cut.y,
        from: 0,
        length: layout.width,
        valueAt: (_, y) => keep(rowsAbove(layout, y)),
        more,
        downIsMore: true,
      },
      host,
    );
  });
}
