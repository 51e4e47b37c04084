/** The look of <logit-compare>. */
import { css } from 'lit';

export const compareStyles = css`
  :host {
    container-type: inline-size;
  }

  logit-compare-controls {
    margin-top: 0.75rem;
  }

  .run {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
    margin-top: 0.25rem;
  }

  .run + .run {
    margin-top: 0.75rem;
  }

  .run button {
    min-width: 5.5rem;
  }

  .run [aria-pressed='true'] {
    border-color: var(--trace);
    background: var(--trace-wash);
    font-weight: 600;
  }

  .progress {
    display: flex;
    flex: 1 1 12rem;
    align-items: center;
    gap: 0.625rem;
    color: var(--soft);
    font-size: 0.8125rem;
  }

  progress {
    width: min(12rem, 40cqw);
    height: 0.5rem;
    accent-color: var(--trace);
  }

  .colour {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
  }

  .colour select {
    font-weight: 400;
  }

  .note {
    margin-top: 0.75rem;
    color: var(--soft);
    font-size: 0.8125rem;
    text-wrap: pretty;
  }

  .columns {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 23rem), 1fr));
    gap: 0.75rem;
    margin: 0.75rem 0 0;
    padding: 0;
    list-style: none;
  }

  .column {
    display: flex;
    flex-direction: column;
    gap: 0.5rem;
    min-width: 0;
    padding: 0.75rem;
    border: 1px solid var(--line);
    border-radius: 0.5rem;
  }

  .column.first {
    border-color: var(--trace);
  }

  .column logit-passage {
    flex: 1;
  }

  .add {
    display: grid;
    place-content: center;
    justify-items: center;
    gap: 1.25rem;
    border-style: dashed;
    text-align: center;
  }

  .add p {
    display: grid;
    justify-items: center;
    gap: 0.375rem;
  }

  .adding {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem 2rem;
    margin-top: 0.75rem;
  }

  .add span,
  .adding span {
    color: var(--soft);
    font-size: 0.8125rem;
  }

  .figures {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 10.5rem), 1fr));
    gap: 0 1.5rem;
    margin: 0;
    padding-top: 0.375rem;
    border-top: 1px solid var(--line);
    font-size: 0.75rem;
    line-height: 1.375rem;
  }

  .figures div {
    display: flex;
    justify-content: space-between;
    gap: 0.5rem;
  }

  .figures dt {
    color: var(--soft);
  }

  .figures dd {
    margin: 0;
    white-space: nowrap;
    font-family: var(--mono);
    text-align: right;
  }

  .from {
    color: var(--soft);
  }

  .scroll {
    margin-top: 0.75rem;
    overflow-x: auto;
  }

  table {
    width: 100%;
    min-width: 56rem;
    border-collapse: collapse;
    font-size: 0.8125rem;
  }

  thead th {
    padding: 0.375rem 0.5rem;
    border-bottom: 2px solid var(--line);
    color: var(--soft);
    font-weight: 550;
    line-height: 1.125rem;
    text-align: right;
    vertical-align: bottom;
  }

  thead th:first-child,
  tbody th {
    padding-left: 0;
    text-align: left;
  }

  tbody th,
  td {
    padding: 0.5rem;
    font-weight: 400;
    text-align: right;
    vertical-align: top;
  }

  tbody th {
    min-width: 19rem; /* the buttons of a strategy stand in one line */
  }

  td.number {
    font-family: var(--mono);
    line-height: 1.375rem;
    white-space: nowrap;
  }

  .bar {
    display: block;
    width: 4.5rem;
    height: 0.25rem;
    margin: 0.25rem 0 0 auto;
    border-radius: 0.125rem;
    background: linear-gradient(
      to right,
      var(--trace) calc(var(--share) * 100%),
      var(--grid) 0
    );
  }

  .unfold td {
    padding: 0 0 0.625rem;
    border-bottom: 1px solid var(--line);
    text-align: left;
  }

  .unfold details {
    position: sticky; /* texts stay in sight while a narrow page scrolls the table */
    left: 0;
    max-width: 100cqw;
  }

  @container (max-width: 48rem) {
    table {
      min-width: 52rem;
    }

    tbody th {
      min-width: 13rem;
    }
  }

  .texts {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr));
    gap: 0.5rem 1rem;
    margin: 0.25rem 0 0;
    padding: 0;
    list-style: none;
  }

  .gaps {
    margin-top: 1rem;
    padding: 0.75rem;
    border: 1px solid var(--line);
    border-radius: 0.5rem;
  }

  .gaps h3 {
    margin: 0;
    font-size: 0.9375rem;
  }

  .gaps p,
  .gaps ul {
    max-width: 96ch;
    margin: 0.25rem 0 0;
    font-size: 0.875rem;
  }

  .gaps ul {
    max-height: 12rem;
    padding-left: 1.25rem;
    overflow-y: auto;
  }
`;
