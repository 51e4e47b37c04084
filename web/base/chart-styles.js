/** The look of a map and of a trend: cells, lines, bands, marks. */
import { css } from 'lit';

export const chartStyles = css`
  :host {
    background: var(--panel);
  }

  .map {
    margin-top: 0.375rem;
    border-radius: 0.25rem;
    cursor: pointer;
  }

  path.line {
    stroke-linejoin: round;
    stroke-width: 2.5;
  }

  path.line.s0 {
    stroke: var(--trace);
  }

  path.line.s1 {
    stroke: var(--mark);
    stroke-dasharray: 7 4;
  }

  .band.s0 {
    fill: var(--trace);
    fill-opacity: 0.2;
  }

  .band.s1 {
    fill: var(--mark);
    fill-opacity: 0.2;
  }

  .dot.s0 {
    fill: var(--trace);
  }

  .dot.s1 {
    fill: var(--mark);
  }

  .name {
    fill: var(--ink);
  }

  .cross {
    stroke: var(--ink);
    stroke-dasharray: 2 3;
    opacity: 0.6;
  }

  line.limit {
    stroke: var(--cut-top_k);
    stroke-width: 1.5;
    stroke-dasharray: 8 4;
  }

  text.limit {
    fill: var(--cut-top_k);
    font-weight: 600;
  }

  line.now {
    stroke: var(--cut-top_p);
    stroke-width: 1.5;
    stroke-dasharray: 2 3;
  }

  text.now {
    fill: var(--cut-top_p);
    font-weight: 600;
  }

  text.limit,
  text.now,
  text.name {
    paint-order: stroke;
    stroke: var(--sunken);
    stroke-width: 4;
    stroke-linejoin: round;
  }

  .cell.open rect {
    stroke: var(--line);
    stroke-dasharray: 2 3;
  }

  .cell text {
    pointer-events: none;
  }

  .at {
    fill: none;
    stroke: #000000;
    stroke-width: 2;
    pointer-events: none;
  }

  .at.inner {
    stroke: #ffffff;
  }
`;
