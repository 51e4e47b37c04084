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

  .tape {
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    align-content: flex-start;
    align-items: flex-start;
    gap: 0.375rem 0;
    min-height: 7.75rem; /* two lines of tokens, so that a sentence moves nothing */
    margin-top: 0.25rem;
    padding: 0.5rem 0.75rem 0.375rem;
    border: 1px solid var(--line);
    border-radius: 0.375rem;
    background: var(--sunken);
    font-size: 1.0625rem;
  }

  .tape ol {
    display: contents;
    list-style: none;
  }

  .given {
    padding: 0.25rem 0.375rem 0.25rem 0;
    color: var(--soft);
    font-family: var(--mono);
    font-size: 1rem;
    line-height: 1.5rem;
  }

  .empty {
    padding: 0.25rem 0.75rem;
    color: var(--soft);
    font-size: 0.875rem;
    line-height: 1.5rem;
  }

  .step {
    display: block;
    animation: arrive var(--calm);
  }

  @keyframes arrive {
    from {
      opacity: 0;
      transform: translateY(0.5rem);
    }
  }

  .step button {
    display: grid;
    min-height: 0;
    padding: 0.25rem 0.375rem 0.125rem;
    border: 0;
    border-radius: 0.25rem;
    background: none;
    font-size: inherit;
    line-height: 1.5rem;
    text-align: left;
    cursor: default;
  }

  .step .token {
    border-bottom: 2px solid color-mix(in srgb, var(--mark) calc(var(--heat) * 100%), var(--ghost-line));
    background: color-mix(in srgb, var(--mark) calc(var(--heat) * 34%), transparent);
    font-size: 1rem;
  }

  .step.end .token {
    border: 1px solid var(--control-line);
    border-radius: 0.75rem;
    padding: 0 0.5rem;
    font-family: var(--sans);
    font-size: 0.75rem;
    line-height: 1.375rem;
  }

  .step .share {
    color: var(--soft);
    font-size: 0.6875rem;
    line-height: 1.125rem;
  }

  .step button:hover,
  .step button:focus-visible {
    background: var(--trace-wash);
  }

  .numbers {
    min-height: 1.375rem;
    margin-top: 0.25rem;
    color: var(--soft);
    font-size: 0.8125rem;
    line-height: 1.375rem;
  }

  .foot {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem 1.5rem;
    min-height: 2.75rem;
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
    .desk {
      grid-template-columns: minmax(0, 1fr);
    }
  }

  @container (max-width: 24rem) {
    .buttons {
      width: 100%;
    }

    .buttons button {
      flex: 1;
      min-width: 0;
      padding: 0 0.5rem;
    }
  }
`;
