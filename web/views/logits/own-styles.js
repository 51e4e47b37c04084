/** The looks of <logit-own>. */
import { css } from 'lit';

export const ownStyles = css`
  .kinds {
    flex-wrap: wrap;
    margin-right: 0.75rem;
  }

  .kinds button {
    padding: 0 clamp(0.5rem, 1.5vw, 0.875rem);
  }

  .room {
    container-type: inline-size;
  }

  .bench,
  .bigram section {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1.25rem 2.5rem;
  }

  .bench {
    margin-top: 0.75rem;
    padding-top: 0.75rem;
    border-top: 1px solid var(--line);
  }

  @container (min-width: 60rem) {
    .bench {
      grid-template-columns: minmax(0, 1fr) minmax(22rem, 27rem);
    }

    .bench section {
      grid-column: 1 / -1;
    }

    .bigram section {
      grid-template-columns: minmax(0, 1fr) minmax(0, 1.4fr);
    }
  }

  /* Numbers, bars and knobs side by side, as on the bench over a model. */
  @container (min-width: 76rem) {
    .bench.pasted {
      grid-template-columns: minmax(15rem, 20%) minmax(0, 1fr) minmax(22rem, 27%);
    }

    .bench.pasted section {
      grid-column: 1;
    }

    .pasted textarea {
      min-height: 24rem;
    }
  }

  textarea {
    display: block;
    width: 100%;
    min-height: 9rem;
    margin-top: 0.25rem;
    padding: 0.5rem 0.625rem;
    font: 0.8125rem/1.5 var(--mono);
    resize: vertical;
  }

  .label {
    display: block;
    margin-top: 0.625rem;
  }

  .tools {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    margin-top: 0.5rem;
  }

  .tools .label {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    margin: 0;
  }

  .tools select {
    color: var(--ink);
    font-weight: 400;
  }

  .charts logit-distribution {
    margin-top: 0.5rem;
  }

  .charts logit-draw,
  logit-own-sampler {
    margin-top: 1.25rem;
    padding-top: 1rem;
    border-top: 1px solid var(--line);
  }

  .shown {
    font-size: 0.9375rem;
  }

  .scroll {
    max-width: 100%;
    overflow-x: auto;
    container-type: inline-size;
  }

  /* Read without scrolling the table below it. */
  caption {
    position: sticky;
    left: 0;
    width: 100cqi;
    text-align: left;
  }

  table {
    border-collapse: separate;
    border-spacing: 2px;
    font-size: 0.75rem;
  }

  thead th {
    min-width: 2rem;
    color: var(--soft);
    font-weight: 550;
    text-align: center;
  }

  tbody th {
    text-align: right;
  }

  tbody th button {
    min-height: 1.75rem;
    padding: 0 0.5rem;
    font-size: 0.8125rem;
  }

  tbody th button[aria-pressed='true'] {
    border-color: var(--trace);
    background: var(--trace-wash);
    font-weight: 650;
  }

  td {
    min-width: 2rem;
    padding: 0.125rem 0.25rem;
    border-radius: 0.1875rem;
    background: color-mix(in oklab, var(--ghost) var(--heat, 0%), var(--sunken));
    text-align: center;
  }

  .written {
    min-height: 4.5rem;
    margin-top: 0.5rem;
    padding: 0.5rem 0.625rem;
    border: 1px solid var(--line);
    border-radius: 0.375rem;
    background: var(--sunken);
    font-family: var(--mono);
    font-size: 0.875rem;
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }

  .error {
    min-height: 1.4em;
    margin-top: 0.25rem;
  }
`;
