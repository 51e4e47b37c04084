/** What <logit-scope> looks like: its tabs, the places of the panels beside each other, its foot. */
import { css } from 'lit';

export const scopeStyles = css`
  .room {
    container-type: inline-size;
  }

  .bench {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 0.75rem;
  }

  .top {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    justify-content: space-between;
    gap: 0.5rem 2rem;
    margin: 0 0 0.75rem;
    border-bottom: 1px solid var(--line);
  }

  .top logit-model {
    padding-bottom: 0.5rem;
  }

  [role='tablist'] {
    display: flex;
    flex-wrap: wrap;
    gap: clamp(0.125rem, 0.5vw, 0.25rem);
    margin-bottom: -1px;
  }

  [role='tab'] {
    min-height: 2.5rem;
    padding: 0 clamp(0.25rem, 1.6vw, 0.875rem);
    border: 0;
    border-bottom: 0.1875rem solid transparent;
    border-radius: 0;
    background: none;
    color: var(--soft);
    font-size: clamp(0.78rem, 3.6vw, 0.875rem);
    font-weight: 550;
  }

  [role='tab'][aria-selected='true'] {
    border-bottom-color: var(--trace);
    color: var(--ink);
  }

  [role='tab']:focus-visible {
    outline-offset: -2px;
  }

  .panel.said {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem 1rem;
    margin-bottom: 0.75rem;
    border-color: var(--mark);
    background: var(--mark-wash);
  }

  .panel {
    padding: 1rem clamp(0.75rem, 1.2vw, 1.5rem) 1.125rem;
    border: 1px solid var(--line);
    border-radius: 0.625rem;
    background: var(--panel);
  }

  /* Beside a longer chain the chart stays in sight of the knob that is turned; of one that is taller
     than the window the end. */
  @container (min-width: 60rem) {
    .bench {
      grid-template-columns: minmax(0, 1fr) minmax(23rem, 27rem);
      grid-auto-flow: dense;
      gap: 1rem;
    }

    .distribution {
      grid-column: 1;
      position: sticky;
      top: min(1rem, 100vh - var(--tall, 0px) - 1rem);
      align-self: start;
    }

    .chain {
      grid-column: 2;
      align-self: start;
    }

    .text,
    .draw,
    .bench:not(:has(> .chain:not([hidden]))) .distribution,
    .bench:not(:has(> .distribution:not([hidden]))) .chain {
      grid-column: 1 / -1;
    }
  }

  @container (min-width: 70rem) {
    .bench.whole {
      grid-template: auto 1fr / minmax(17rem, 24%) minmax(0, 1fr) minmax(22rem, min(30%, 34rem));
    }

    .whole .text {
      grid-column: 1;
    }

    .whole .distribution {
      grid-area: 1 / 2 / span 2;
    }

    .whole .chain {
      grid-area: 1 / 3 / span 2;
    }

    .whole .draw {
      grid-area: 2 / 1;
      align-self: start;
    }
  }

  /* A view on its way. */
  .panel:not(:defined) {
    display: none;
  }

  /* A lesson's one panel has the whole width. */
  .bench.alone {
    display: block;
  }

  [data-guided] {
    outline: 0.1875rem solid var(--trace);
    outline-offset: 0.125rem;
    scroll-margin: 9rem 1rem 1rem;
  }

  .notice {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.75rem 1.25rem;
    min-height: 20rem;
    justify-content: center;
  }

  progress {
    width: min(20rem, 60vw);
    height: 0.5rem;
    accent-color: var(--trace);
  }

  .pending {
    min-height: 34rem;
  }

  .trouble {
    margin-bottom: 0.75rem;
  }

  footer {
    display: grid;
    gap: 0.75rem 3rem;
    margin-top: 1.5rem;
    color: var(--soft);
    font-size: 0.8125rem;
  }

  @media (min-width: 64rem) {
    footer {
      grid-template-columns: minmax(0, 1fr) minmax(0, 2fr);
    }
  }

  footer p {
    max-width: 72ch;
  }

  footer dl {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.5rem;
    margin: 0;
  }

  footer div div {
    display: flex;
    gap: 0.375rem;
  }

  .plain {
    min-height: 1.5625rem;
    margin-top: 0.375rem;
    padding: 0.125rem 0;
    border: 0;
    background: none;
    color: var(--trace);
    font-size: 0.8125rem;
    text-decoration: underline;
    text-underline-offset: 0.2em;
  }

  .glossary {
    grid-column: 1 / -1;
  }

  .glossary dl {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr));
    gap: 0.75rem 3rem;
    padding: 0.5rem 0;
  }

  .glossary dl div {
    display: block;
  }

  .glossary dt {
    color: var(--ink);
    font-weight: 600;
  }

  .glossary dd {
    color: var(--soft);
  }

  dd {
    margin: 0;
    color: var(--ink);
  }
`;
