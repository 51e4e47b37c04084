/** The look of <logit-text>. */
import { css } from 'lit';

export const textStyles = css`
  :host {
    container-type: inline-size;
  }

  :host {
    display: flex;
    flex-direction: column;
  }

  .desk {
    display: grid;
    flex: 1;
    grid-template-columns: minmax(15rem, 22rem) minmax(0, 1fr);
    gap: 1rem 2rem;
    margin-top: 0.75rem;
  }

  textarea {
    display: block;
    width: 100%;
    min-height: 3rem;
    margin-top: 0.25rem;
    padding: 0.6875rem 0.75rem;
    font-size: 1.0625rem;
    line-height: 1.5;
    field-sizing: content;
    resize: vertical;
  }

  .examples {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem;
    margin-top: 0.5rem;
  }

  .examples button {
    min-height: 1.75rem;
    padding: 0 0.625rem;
    border-color: var(--line);
    border-radius: 1rem;
    font-size: 0.8125rem;
  }

  .examples button[aria-pressed='true'] {
    border-color: var(--ghost-line);
    background: var(--trace-wash);
  }

  .examples .label {
    margin-right: 0.25rem;
  }

  .output {
    display: flex;
    flex-direction: column;
  }

  .row {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 1rem;
  }

  .legend {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    font-weight: 400;
  }

  .legend i {
    width: 5rem;
    height: 0.5rem;
    border-radius: 0.25rem;
    background: linear-gradient(to right, transparent, var(--mark));
    box-shadow: inset 0 0 0 1px var(--line);
    opacity: 0.6;
  }

  .measures {
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 0.375rem 0.75rem;
    margin: 0.25rem 0 0.5rem;
  }

  .measures div {
    padding-left: 0.625rem;
    border-left: 2px solid var(--line);
  }

  .measures dd {
    margin: 0;
    font-family: var(--mono);
    font-size: 0.9375rem;
    font-weight: 600;
    line-height: 1.375rem;
    white-space: nowrap;
  }

  .measures dd.note {
    color: var(--soft);
    font: 400 0.6875rem/1.125rem var(--sans);
    white-space: normal;
  }

  .from {
    color: var(--soft);
    font-weight: 400;
  }

  .options {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem 1.25rem;
    margin-top: 0.5rem;
  }

  .more {
    margin-top: 0.75rem;
    border-top: 1px solid var(--line);
    padding-top: 0.375rem;
  }

  .shelf {
    display: grid;
    grid-template-columns: minmax(15rem, 22rem) minmax(0, 1fr);
    gap: 0.5rem 2rem;
    margin-top: 0.25rem;
  }

  .speed {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
  }

  .options label {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2rem;
  }

  .options select {
    min-height: 2rem;
    padding: 0 0.5rem;
    font-size: 0.8125rem;
  }

  .speed input {
    width: 5.5rem;
    height: 1.5rem;
    accent-color: var(--trace);
  }

  .options input[type='checkbox'] {
    width: 1rem;
    height: 1rem;
    accent-color: var(--trace);
  }

  .foot {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem 1.5rem;
    margin-bottom: 0.625rem;
  }

  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }

  .buttons button {
    min-height: 2.5rem;
    min-width: 4.5rem;
    padding: 0 1rem;
  }

  .verdict {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.875rem;
    font-size: 0.8125rem;
  }

  .waiting {
    color: var(--soft);
  }

  .yes::before,
  .no::before {
    margin-right: 0.3em;
    font-weight: 700;
  }

  .yes {
    color: var(--good);
  }

  .yes::before {
    content: '✓' / '';
  }

  .no {
    color: var(--bad);
  }

  .no::before {
    content: '✗' / '';
  }

  @container (max-width: 44rem) {
    .desk,
    .shelf {
      grid-template-columns: minmax(0, 1fr);
    }
  }

  @container (max-width: 24rem) {
    .buttons {
      width: 100%;
    }

    .buttons button {
      flex: 1 1 auto;
      min-width: 0;
      padding: 0 0.375rem;
    }
  }
`;
