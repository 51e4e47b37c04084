/** The look of <logit-tape>. */
import { css } from 'lit';

export const tapeStyles = css`
  :host {
    position: relative;
    display: flex;
    flex: 1;
    flex-direction: column;
  }

  .tape {
    display: flex;
    flex: 1 1 0px;
    flex-wrap: wrap;
    align-content: flex-start;
    align-items: flex-start;
    gap: 0.375rem 0;
    min-height: 7.75rem; /* two lines of tokens; more are scrolled to, so that nothing moves */
    overflow-y: auto;
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

  .given button {
    display: inline;
    min-height: 0;
    padding: 0.125rem 0;
    border: 0;
    border-radius: 0.125rem;
    background: none;
    font-size: inherit;
    line-height: inherit;
    cursor: default;
  }

  .given button:hover,
  .given button:focus-visible {
    background: var(--trace-wash);
    color: var(--ink);
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
    position: relative;
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
    min-height: 2.75rem; /* two lines, so that nothing moves */
    margin-top: 0.25rem;
    color: var(--soft);
    font-size: 0.8125rem;
    line-height: 1.375rem;
  }

  .numbers.loop {
    color: var(--cut-top_k);
  }

  .step.forced .token {
    outline: 1.5px dashed var(--trace);
    outline-offset: 1px;
    border-radius: 0.125rem;
  }

  .given .unseen,
  .step.unseen .token {
    background: none;
    color: var(--soft);
    text-decoration: line-through dotted 1px;
  }

  .edge {
    box-shadow: -2px 0 var(--trace);
  }

  .step.looped {
    background: repeating-linear-gradient(to right, var(--cut-top_k) 0 4px, transparent 4px 7px) bottom /
      100% 2px no-repeat;
  }

  .step.again .token::before {
    content: '↻' / '';
    position: absolute;
    top: -0.625rem;
    left: -0.0625rem;
    color: var(--cut-top_k);
    font-size: 0.75rem;
    font-weight: 700;
  }

  @container (max-width: 30rem) {
    .tape {
      min-height: 11.25rem;
    }
  }

  @container (max-width: 26rem) {
    .numbers {
      min-height: 4.125rem;
    }
  }
`;
