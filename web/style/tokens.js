/**
 * The look in one place: colours for light and dark by light-dark(), type and spacing. An element
 * follows the color-scheme of the page it stands in; --logit-* custom properties override.
 * Blue against orange carries the meaning, purple and olive the cuts; each also has a pattern and a
 * word, so that nothing hangs on telling colours apart.
 *
 * For a reader who wants more contrast --logit-more is defined (and empty): a --more-* colour is
 * then valid and stands before the plain one; where it is undefined, so is each of them.
 */
import { css } from 'lit';

export const tokens = css`
  :host {
    --more-paper: var(--logit-more) light-dark(#ffffff, #000000);
    --more-panel: var(--logit-more) light-dark(#ffffff, #000000);
    --more-sunken: var(--logit-more) light-dark(#ffffff, #000000);
    --more-line: var(--logit-more) light-dark(#5c6461, #8c9895);
    --more-grid: var(--logit-more) light-dark(#b4bbb6, #4a5557);
    --more-control-line: var(--logit-more) light-dark(#14201d, #e9f0ee);
    --more-ink: var(--logit-more) light-dark(#000000, #ffffff);
    --more-soft: var(--logit-more) light-dark(#2b3633, #d3dcda);
    --more-trace: var(--logit-more) light-dark(#053f6b, #8fd8ff);
    --more-trace-wash: var(--logit-more) light-dark(#e3eff7, #0c2531);
    --more-ghost: var(--logit-more) light-dark(#a3c3d8, #36627a);
    --more-ghost-line: var(--logit-more) light-dark(#3c6380, #9cc4da);
    --more-mark: var(--logit-more) light-dark(#7a2c00, #ffc08a);
    --more-mark-wash: var(--logit-more) light-dark(#fdeee3, #2a1a0b);
    --more-cut-top_k: var(--logit-more) light-dark(#502375, #e2c8fb);
    --more-cut-top_p: var(--logit-more) light-dark(#443e00, #f0e27c);
    --more-cut-other: var(--logit-more) light-dark(#3b4340, #ccd5d2);
    --more-bad: var(--logit-more) light-dark(#7d1405, #ffc2b6);
    --more-good: var(--logit-more) light-dark(#06432f, #9be9cd);

    --paper: var(--logit-paper, var(--more-paper, light-dark(#f3f4f1, #0b1012)));
    --panel: var(--logit-panel, var(--more-panel, light-dark(#fdfdfb, #11181b)));
    --sunken: var(--more-sunken, light-dark(#f0f2ee, #0c1214));
    --line: var(--more-line, light-dark(#d9ddd6, #263236));
    --grid: var(--more-grid, light-dark(#e6e9e3, #1c2629));
    --control-line: var(--more-control-line, light-dark(#7b8680, #71807f));
    --ink: var(--logit-ink, var(--more-ink, light-dark(#14201d, #e9f0ee)));
    --soft: var(--more-soft, light-dark(#53605b, #a3b1ae));
    --trace: var(--logit-accent, var(--more-trace, light-dark(#0b67a8, #58c1f5)));
    --trace-ink: light-dark(#ffffff, #06222f);
    --trace-wash: var(--more-trace-wash, light-dark(#e3eff7, #122b38));
    --ghost: var(--more-ghost, light-dark(#bcd3e2, #2c4d5f));
    --ghost-line: var(--more-ghost-line, light-dark(#86aac2, #4d7c95));
    --mark: var(--more-mark, light-dark(#b84300, #ff9d4d));
    --mark-ink: light-dark(#ffffff, #2a1200);
    --mark-wash: var(--more-mark-wash, light-dark(#fdeee3, #33200f));
    --cut-top_k: var(--more-cut-top_k, light-dark(#74409f, #cda3f2));
    --cut-top_p: var(--more-cut-top_p, light-dark(#6b6200, #d9c748));
    --cut-other: var(--more-cut-other, light-dark(#5d6663, #a8b3b0));
    --bad: var(--more-bad, light-dark(#a3220f, #ff9b8a));
    --good: var(--more-good, light-dark(#0d6b52, #63d3ae));

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

  @media (prefers-contrast: more) {
    :host {
      --logit-more: ;
    }
  }

  /* The reader's own few colours in the place of all of ours, in charts too. */
  @media (forced-colors: active) {
    :host {
      forced-color-adjust: none;
      --paper: Canvas;
      --panel: Canvas;
      --sunken: Canvas;
      --line: color-mix(in srgb, CanvasText 55%, Canvas);
      --grid: color-mix(in srgb, CanvasText 25%, Canvas);
      --control-line: CanvasText;
      --ink: CanvasText;
      --soft: CanvasText;
      --trace: CanvasText;
      --trace-ink: Canvas;
      --trace-wash: color-mix(in srgb, CanvasText 18%, Canvas);
      --ghost: color-mix(in srgb, CanvasText 40%, Canvas);
      --ghost-line: CanvasText;
      --mark: LinkText;
      --mark-ink: Canvas;
      --mark-wash: color-mix(in srgb, LinkText 18%, Canvas);
      --cut-top_k: CanvasText;
      --cut-top_p: CanvasText;
      --cut-other: CanvasText;
      --bad: CanvasText;
      --good: CanvasText;
    }
  }

  @media (prefers-reduced-motion: reduce) {
    :host {
      --quick: 0s;
      --calm: 0s;
    }
  }
`;
