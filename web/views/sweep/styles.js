/** The look of <logit-sweep> and of its two charts. */
import { css } from 'lit';

export const sweepStyles = css`
  h3 {
    margin: 0;
    font-size: 0.9375rem;
    font-weight: 650;
  }

  .figures {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem;
    margin: 0.875rem 0 0;
    padding: 0;
    border: 0;
  }

  .chip {
    position: relative;
  }

  .chip input {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    opacity: 0;
    cursor: pointer;
  }

  .chip span {
    display: grid;
    align-items: center;
    min-height: 2.25rem;
    padding: 0.25rem 0.875rem;
    border: 1px solid var(--control-line);
    border-radius: 1.125rem;
    font-size: 0.875rem;
    line-height: 1.25;
  }

  .chip input:hover + span {
    border-color: var(--ink);
  }

  .chip input:checked + span {
    border-color: var(--trace);
    background: var(--trace-wash);
    box-shadow: inset 0 0 0 1px var(--trace);
    font-weight: 600;
  }

  .chip input:focus-visible + span {
    outline: 2px solid var(--trace);
    outline-offset: 2px;
  }

  .explain {
    min-height: 2.9em;
    margin-top: 0.625rem;
    max-width: 88ch;
  }

  .form {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.75rem 1.5rem;
    margin-top: 0.75rem;
    padding: 0.75rem 0.875rem;
    border-radius: 0.5rem;
    background: var(--sunken);
  }

  .group {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.5rem;
  }

  .group[data-off='true'] {
    display: none;
  }

  .what {
    display: grid;
    gap: 0.1875rem;
    min-width: 8rem;
  }

  .what strong {
    font-weight: 600;
    line-height: 2.25rem;
  }

  @media (max-width: 40rem) {
    .what {
      flex: 1 0 100%;
    }

    .what strong {
      line-height: 1.5;
    }
  }

  .box {
    display: grid;
    gap: 0.1875rem;
  }

  .box input {
    width: 4.75rem;
    height: 2.25rem;
    padding: 0 0.5rem;
    font-family: var(--mono);
    font-size: 0.875rem;
    text-align: right;
  }

  .box select {
    max-width: 15rem;
  }

  .keep {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2.25rem;
    font-size: 0.875rem;
    cursor: pointer;
  }

  .keep input {
    flex: none;
    width: 1.125rem;
    height: 1.125rem;
    accent-color: var(--trace);
  }

  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin-top: 0.75rem;
  }

  progress {
    width: 8rem;
    height: 0.5rem;
    accent-color: var(--trace);
  }

  .status {
    flex: 1 1 12rem;
    min-height: 1.5rem;
    color: var(--soft);
    font-size: 0.8125rem;
  }

  .figure {
    margin-top: 1rem;
    padding-top: 1rem;
    border-top: 1px solid var(--line);
  }

  .empty {
    display: grid;
    place-items: center;
    min-height: 20rem;
    color: var(--soft);
    text-align: center;
  }

  .caption {
    overflow-wrap: anywhere;
  }

  .picked {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem 1rem;
    margin-top: 0.5rem;
  }

  .readout {
    flex: 1 1 20rem;
    min-height: 1.5rem;
    font-size: 0.875rem;
  }

  .save {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    margin-top: 0.75rem;
  }

  .save button,
  .picked button {
    min-height: 2rem;
    padding: 0.125rem 0.75rem;
    font-size: 0.8125rem;
  }

  details {
    margin-top: 0.5rem;
  }

  .scroll {
    max-height: 24rem;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: 0.375rem;
  }

  table {
    border-collapse: collapse;
    font-size: 0.8125rem;
  }

  th,
  td {
    padding: 0.25rem 0.625rem;
    border-bottom: 1px solid var(--line);
    text-align: right;
    white-space: nowrap;
  }

  th {
    font-weight: 600;
  }

  thead th {
    position: sticky;
    top: 0;
    background: var(--sunken);
  }

  .texts ul {
    display: grid;
    gap: 0.375rem;
    margin: 0.25rem 0 0;
    padding: 0;
    list-style: none;
    font-size: 0.875rem;
  }

  .texts li {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.625rem;
  }

  .seed {
    color: var(--soft);
  }

  .right {
    color: var(--good);
  }

  .wrong {
    color: var(--bad);
    text-decoration: underline wavy;
    text-decoration-thickness: 1px;
    text-underline-offset: 0.2em;
  }

  .written {
    flex: 1 1 16rem;
    color: var(--soft);
    overflow-wrap: anywhere;
    white-space: pre-wrap;
  }

  .written b {
    color: var(--ink);
    font-weight: 500;
  }
`;
