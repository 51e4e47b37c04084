/** What every panel shares: type, buttons, boxes, focus, and text for screen readers only. */
import { css } from 'lit';

export const shared = css`
  :host {
    display: block;
    box-sizing: border-box;
    color: var(--ink);
    font: 400 0.9375rem/1.5 var(--sans);
    font-variant-numeric: tabular-nums;
    text-rendering: optimizeLegibility;
  }

  :host([hidden]) {
    display: none;
  }

  *,
  *::before,
  *::after {
    box-sizing: inherit;
  }

  h2 {
    margin: 0;
    font-size: 1.0625rem;
    font-weight: 650;
    letter-spacing: -0.005em;
    line-height: 1.35;
  }

  p {
    margin: 0;
  }

  .about {
    margin: 0.125rem 0 0;
    max-width: 112ch;
    color: var(--soft);
    font-size: 0.8125rem;
    line-height: 1.45;
    text-wrap: pretty;
  }

  .label {
    color: var(--soft);
    font-size: 0.75rem;
    font-weight: 550;
  }

  button,
  select,
  input,
  textarea {
    margin: 0;
    border: 1px solid var(--control-line);
    border-radius: 0.375rem;
    background: var(--panel);
    color: inherit;
    font: inherit;
    font-variant-numeric: inherit;
  }

  button,
  select {
    min-height: 2.25rem;
    padding: 0 0.875rem;
    font-size: 0.875rem;
    cursor: pointer;
  }

  label,
  select {
    min-width: 0;
    max-width: 100%;
  }

  button {
    transition: background var(--quick), border-color var(--quick);
  }

  button:hover,
  select:hover {
    border-color: var(--ink);
  }

  button:active {
    background: var(--trace-wash);
  }

  button.primary {
    border-color: var(--trace);
    background: var(--trace);
    color: var(--trace-ink);
    font-weight: 600;
  }

  button.primary:hover {
    border-color: var(--ink);
  }

  button[aria-disabled='true'],
  button[aria-disabled='true']:hover {
    border-color: var(--line);
    background: transparent;
    color: var(--soft);
    cursor: default;
  }

  /* A choice of a few, side by side in one frame. */
  .segments {
    display: flex;
    padding: 0.1875rem;
    border: 1px solid var(--line);
    border-radius: 0.5rem;
  }

  .segments button {
    min-height: 1.75rem;
    padding: 0 0.625rem;
    border-color: transparent;
    border-radius: 0.3125rem;
    background: none;
    color: var(--soft);
  }

  .segments [aria-pressed='true'],
  .segments [aria-selected='true'] {
    border-color: var(--ghost-line);
    background: var(--trace-wash);
    color: var(--ink);
    font-weight: 600;
  }

  input[aria-invalid='true'],
  textarea[aria-invalid='true'] {
    border-color: var(--bad);
    box-shadow: inset 0 0 0 1px var(--bad);
  }

  :focus-visible {
    outline: 2px solid var(--trace);
    outline-offset: 2px;
  }

  [hidden] {
    display: none !important;
  }

  .error {
    color: var(--bad);
    font-size: 0.8125rem;
    line-height: 1.4;
  }

  .token {
    font-family: var(--mono);
    font-size: 0.9375em;
    white-space: pre;
  }

  .space {
    color: var(--soft);
  }

  details > summary {
    width: fit-content;
    padding: 0.25rem 0;
    color: var(--soft);
    font-size: 0.8125rem;
    cursor: pointer;
  }

  details > summary:hover {
    color: var(--ink);
  }

  .heard {
    position: absolute;
    width: 1px;
    height: 1px;
    margin: -1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
`;
