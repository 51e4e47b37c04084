/** Tests that contour lines are at their values and that their labels are on the lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { layoutContours } from '../../web/plots/contours.js';

const [COLUMNS, ROWS] = [9, 6];

/** Returns the corners of each closed line of an SVG path. */
const ringsOf = (d) =>
  d
    .split('Z')
    .filter(Boolean)
    .map((ring) =>
      ring
        .slice(1)
        .split('L')
        .map((place) => place.split(',').map(Number)),
    );

/** Returns how often the closed lines go round a point; SVG fills the point if the number is not 0. */
function windings(rings, [x, y]) {
  let count = 0;
  for (const ring of rings)
    for (const [i, [x1, y1]] of ring.entries()) {
      const [x2, y2] = ring[(i + 1) % ring.length];
      if (y1 <= y === y2 <= y) continue;
      const crossing = x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
      if (crossing > x) count += y2 > y1 ? 1 : -1;
    }
  return count;
}

const anyGrid = fc.record({
  values: fc.array(fc.double({ min: 1.01, max: 900, noNaN: true }), {
    minLength: COLUMNS * ROWS,
    maxLength: COLUMNS * ROWS,
  }),
  counts: fc.boolean(),
});

test('values inside a line reach its level, and values outside are lower', () => {
  fc.assert(
    fc.property(anyGrid, ({ values, counts }) => {
      const found = layoutContours({ columns: COLUMNS, rows: ROWS, values, counts });
      assert.ok(found.length > 0 && found.length < 20);
      for (const { value, d } of found) {
        const rings = ringsOf(d);
        for (const [at, height] of values.entries()) {
          if (Math.abs(height / value - 1) < 1e-6) continue; // the point is on the line
          const x = Math.floor(at / ROWS) / (COLUMNS - 1);
          const y = 1 - (at % ROWS) / (ROWS - 1);
          assert.equal(windings(rings, [x, y]) !== 0, height > value, `${height} and ${value}`);
        }
      }
    }),
    { numRuns: 40, seed: 1 },
  );
});

test('each number lies on its line, and no number covers another', () => {
  // A plane that rises to the right: each line must be vertical.
  const values = Array.from({ length: COLUMNS * ROWS }, (_, at) => Math.floor(at / ROWS));
  const grid = { columns: COLUMNS, rows: ROWS, values };
  const lines = layoutContours({ ...grid, counts: false });
  assert.deepEqual(
    lines.map(({ value }) => value),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  const labels = lines.flatMap(({ value, label }) => (label ? [{ value, ...label }] : []));
  assert.ok(labels.length >= 5);
  for (const { value, x } of labels) assert.ok(Math.abs(x - value / 8) < 1e-9);
  for (const [i, one] of labels.entries())
    for (const other of labels.slice(0, i))
      assert.ok(Math.abs(one.x - other.x) > 0.15 || Math.abs(one.y - other.y) > 0.2);
  const byTens = layoutContours({ ...grid, values: values.map((n) => 4 ** n), counts: true });
  assert.deepEqual(
    byTens.map(({ value }) => value),
    [10, 100, 1000, 10000],
  );
});

test('unknown values have no height, and an unknown map has no lines', () => {
  const values = Array.from({ length: COLUMNS * ROWS }, (_, at) => (at < ROWS * 3 ? at : null));
  const grid = { columns: COLUMNS, rows: ROWS, counts: false };
  for (const { d } of layoutContours({ ...grid, values }))
    for (const [x] of ringsOf(d).flat()) assert.ok(x <= 3 / (COLUMNS - 1) && !Number.isNaN(x));
  assert.deepEqual(layoutContours({ ...grid, values: values.map(() => null) }), []);
});
