/**
 * The look in one place: colours for light and dark by light-dark(), type and spacing. An element
 * follows the color-scheme of the page it stands in; --logit-* custom properties override.
 * Blue against orange carries the meaning, purple and olive the cuts; each also has a pattern and a
 * word, so that nothing hangs on telling colours apart.
 */
import { css } from 'lit';

export const tokens = css`
  :host {
    --paper: var(--logit-paper, light-dark(#f3f4f1, #0b1012));
    --panel: var(--logit-panel, light-dark(#fdfdfb, #11181b));
    --sunken: light-dark(#f0f2ee, #0c1214);
    --line: light-dark(#d9ddd6, #263236);
    --grid: light-dark(#e6e9e3, #1c2629);
    --control-line: light-dark(#7b8680, #71807f);
    --ink: var(--logit-ink, light-dark(#14201d, #e9f0ee));
    --soft: light-dark(#53605b, #a3b1ae);
    --trace: var(--logit-accent, light-dark(#0b67a8, #58c1f5));
    --trace-ink: light-dark(#ffffff, #06222f);
    --trace-wash: light-dark(#e3eff7, #122b38);
    --ghost: light-dark(#bcd3e2, #2c4d5f);
    --ghost-line: light-dark(#86aac2, #4d7c95);
    --mark: light-dark(#b84300, #ff9d4d);
    --mark-ink: light-dark(#ffffff, #2a1200);
    --mark-wash: light-dark(#fdeee3, #33200f);
    --cut-top_k: light-dark(#74409f, #cda3f2);
    --cut-top_p: light-dark(#6b6200, #d9c748);
    --cut-other: light-dark(#5d6663, #a8b3b0);
    --bad: light-dark(#a3220f, #ff9b8a);
    --good: light-dark(#0d6b52, #63d3ae);

    --sans: var(--logit-font, ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans',
      'Liberation Sans', Arial, sans-serif);
    --mono: var(--logit-mono, ui-monospace, 'SF Mono', 'Cascadia Mono', 'Roboto Mono', Menlo, Consolas,
      'Noto Sans Mono', 'DejaVu Sans Mono', 'Liberation Mono', monospace);

    --quick: 140ms cubic-bezier(0.2, 0.7, 0.2, 1);
    --calm: 260ms cubic-bezier(0.2, 0.7, 0.2, 1);
  }

  /* While a knob turns, bars follow it at once. */
  :host([still]) {
    --calm: 0s;
  }

  @media (prefers-reduced-motion: reduce) {
    :host {
      --quick: 0s;
      --calm: 0s;
    }
  }
`;
