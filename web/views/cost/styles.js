/** The look of <logit-cost>. */
import { css } from 'lit';

export const costStyles = css`
  section {
    margin-top: 1.5rem;
  }

  h3 {
    margin: 0;
    font-size: 0.9375rem;
    font-weight: 650;
  }

  .formula {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 2.5rem;
    margin-top: 0.5rem;
    font-family: var(--mono);
    font-size: 0.875rem;
  }

  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin: 0.75rem 0;
  }

  .soft {
    color: var(--soft);
    font-size: 0.8125rem;
  }

  .place {
    min-height: 16.25rem;
  }

  .empty {
    display: grid;
    min-height: 16.25rem;
    place-items: center;
    border-radius: 0.375rem;
    background: var(--sunken);
    color: var(--soft);
    font-size: 0.875rem;
  }

  .told {
    min-height: 2.9em;
    margin-top: 0.375rem;
    max-width: 96ch;
    font-size: 0.9375rem;
    line-height: 1.45;
  }

  .scroll {
    margin-top: 0.5rem;
    overflow-x: auto;
  }

  table {
    border-collapse: collapse;
    font-size: 0.8125rem;
  }

  th,
  td {
    padding: 0.3125rem 1.25rem 0.3125rem 0;
    border-bottom: 1px solid var(--line);
    text-align: right;
  }

  th:first-child {
    text-align: left;
  }

  thead th {
    color: var(--soft);
    font-weight: 550;
    vertical-align: bottom;
  }

  tbody th {
    font-weight: 550;
  }

  .speeds {
    display: grid;
    gap: 0.5rem;
    max-width: 44rem;
    margin: 0;
  }

  .speeds div {
    display: grid;
    grid-template-columns: minmax(6rem, 9rem) minmax(0, 1fr);
    align-items: center;
    gap: 0.75rem;
    font-size: 0.875rem;
  }

  .speeds dd {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(min-content, 9rem);
    align-items: center;
    gap: 0.75rem;
    margin: 0;
  }

  .speeds i {
    height: 0.875rem;
    border-radius: 0.125rem;
    background: var(--trace);
    transform: scaleX(var(--share, 0));
    transform-origin: left;
    transition: transform var(--calm);
  }
`;
