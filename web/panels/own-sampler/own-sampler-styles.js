/** The look of <logit-own-sampler>. */
import { css } from 'lit';

export const ownSamplerStyles = css`
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.625rem;
    margin-top: 0.875rem;
  }

  .bar label {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    margin-right: auto;
  }

  select {
    max-width: 15rem;
    min-width: 0;
  }

  .halves {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 1rem 1.5rem;
    margin-top: 0.75rem;
  }

  @container (min-width: 60rem) {
    .halves {
      grid-template-columns: minmax(0, 11fr) minmax(0, 9fr);
    }
  }

  .result {
    min-height: 17rem;
  }

  .whole {
    container-type: inline-size;
  }

  textarea {
    display: block;
    width: 100%;
    min-height: 24rem;
    padding: 0.75rem 0.875rem;
    border-color: var(--line);
    background: var(--sunken);
    font: 400 0.8125rem/1.55 var(--mono);
    tab-size: 2;
    white-space: pre;
    overflow: auto;
    resize: vertical;
  }

  .hint {
    margin-top: 0.375rem;
    color: var(--soft);
    font-size: 0.75rem;
  }

  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 0.8125rem;
  }

  caption {
    padding-bottom: 0.5rem;
    color: var(--soft);
    font-size: 0.8125rem;
    text-align: left;
  }

  th {
    padding: 0.25rem 0.5rem 0.25rem 0;
    color: var(--soft);
    font-weight: 550;
    text-align: left;
  }

  td {
    padding: 0.1875rem 0.5rem 0.1875rem 0;
    border-top: 1px solid var(--grid);
  }

  td.share {
    width: 36%;
  }

  .share i {
    display: block;
    width: calc(100% * var(--share));
    height: 0.5rem;
    border-radius: 0 2px 2px 0;
    background: var(--trace);
  }

  .share.theirs i {
    border: 1px solid var(--ghost-line);
    background: repeating-linear-gradient(135deg, var(--ghost) 0 3px, transparent 3px 6px);
  }

  .share span {
    font-family: var(--mono);
    font-size: 0.75rem;
  }

  .other th,
  .other .mine span {
    color: var(--mark);
    font-weight: 600;
  }

  tbody th {
    border-top: 1px solid var(--grid);
    color: var(--ink);
    font-weight: 400;
    white-space: nowrap;
  }

  .sum {
    margin-top: 0.5rem;
    font-size: 0.875rem;
  }

  .report {
    margin-top: 1.25rem;
    padding-top: 1rem;
    border-top: 1px solid var(--line);
  }

  h3 {
    margin: 0;
    font-size: 0.9375rem;
    font-weight: 650;
  }

  .report ul {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr));
    gap: 0.25rem 1.5rem;
    margin: 0.625rem 0 0;
    padding: 0;
    list-style: none;
  }

  .report li {
    display: grid;
    grid-template-columns: 1.375rem minmax(0, 1fr);
    padding: 0.25rem 0;
    font-size: 0.8125rem;
    line-height: 1.45;
  }

  .sign {
    color: var(--good);
    font-weight: 700;
  }

  .fails .sign {
    color: var(--bad);
  }

  .fails {
    grid-column: 1 / -1;
  }

  .fails strong {
    color: var(--bad);
    font-weight: 600;
  }

  dl {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0.125rem 0.625rem;
    margin: 0.25rem 0 0.375rem;
  }

  dt {
    color: var(--soft);
    font-size: 0.75rem;
  }

  dd {
    margin: 0;
    font-family: var(--mono);
    font-size: 0.75rem;
    overflow-wrap: anywhere;
  }
`;
