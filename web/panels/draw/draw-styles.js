/** The look of <logit-draw>. */
import { css } from 'lit';

export const drawStyles = css`
  .top {
    display: flex;
    align-items: baseline;
    justify-content: space-between;
    gap: 1rem;
  }

  .seed {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    margin-top: 0.75rem;
  }

  .seed input {
    flex: 1;
    width: 7rem;
    height: 2.25rem;
    padding: 0 0.625rem;
    font-family: var(--mono);
    font-size: 0.875rem;
  }

  .seed button {
    padding: 0 0.75rem;
  }

  .counter {
    white-space: nowrap;
  }

  .counter b {
    color: var(--ink);
    font-family: var(--mono);
    font-size: 0.9375rem;
    font-weight: 600;
  }

  .strip {
    margin-top: 0.75rem;
  }

  svg {
    display: block;
    width: 100%;
    overflow: visible;
  }

  .segment rect {
    fill: var(--trace-wash);
    stroke: var(--ghost-line);
    stroke-width: 1;
    vector-effect: non-scaling-stroke;
    transform-origin: 0 0;
    transition: transform var(--calm), fill var(--quick);
  }

  .segment,
  .needle {
    transition: transform var(--calm);
  }

  .segment.hit rect {
    fill: var(--mark-wash);
    stroke: var(--mark);
  }

  .segment text {
    fill: var(--ink);
    font-family: var(--mono);
    text-anchor: middle;
  }

  .segment.hit text {
    font-weight: 700;
  }

  .segment .space {
    fill: var(--soft);
  }

  .needle path,
  .needle text {
    fill: var(--mark);
    font-weight: 700;
  }

  .needle line {
    stroke: var(--mark);
    stroke-width: 2;
  }

  .axis text {
    fill: var(--soft);
    text-anchor: middle;
  }

  .axis text:first-of-type {
    text-anchor: start;
  }

  .axis text:last-of-type {
    text-anchor: end;
  }

  .axis line {
    stroke: var(--control-line);
  }

  .lands {
    min-height: 3.9375rem; /* three lines, so that nothing below moves */
    font-size: 0.875rem;
    text-wrap: pretty;
  }

  .space {
    color: inherit;
    opacity: 0.7;
  }

  .strip {
    border-radius: 0.25rem;
    cursor: ew-resize;
    touch-action: pan-y;
    user-select: none;
  }

  .strip[aria-disabled='true'] {
    cursor: default;
  }

  .strip.if .needle path,
  .strip.if .needle text {
    fill: var(--trace);
  }

  .strip.if .needle line {
    stroke: var(--trace);
    stroke-dasharray: 4 2;
  }

  .needle .seeded {
    fill: none;
    stroke: var(--mark);
    stroke-width: 1.5;
  }

  .asked {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    align-items: center;
    gap: 0.75rem;
    min-height: 3.5625rem;
    color: var(--soft);
    font-size: 0.8125rem;
    line-height: 1.1875rem;
  }

  .asked button,
  .method button {
    min-height: 2rem;
    padding: 0 0.75rem;
    font-size: 0.8125rem;
  }

  .asked.if p {
    color: var(--trace);
  }

  .method {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    margin-top: 0.625rem;
  }

  .method .segments button {
    min-height: 1.75rem;
    padding: 0 0.5rem;
  }

  .method .many {
    flex: 1;
    min-width: 8rem;
    min-height: 2.25rem;
  }

  .result {
    min-height: 3.5625rem; /* three lines, so that counting moves nothing */
    margin-top: 0.5rem;
    font-size: 0.8125rem;
    line-height: 1.1875rem;
    text-wrap: pretty;
  }

  .result.hint {
    color: var(--soft);
  }
`;
