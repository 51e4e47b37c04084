/** The look of <logit-curve>. */
import { css } from 'lit';

export const curveStyles = css`
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.25rem;
    color: var(--soft);
    font-size: 0.8125rem;
  }

  .legend span::before {
    content: '';
    display: inline-block;
    width: 1.5rem;
    margin-right: 0.5rem;
    border-top: 3px solid var(--ghost-line);
    vertical-align: middle;
  }

  .legend .entering::before {
    border-top: 2px dashed var(--soft);
  }

  .legend .final::before {
    border-color: var(--trace);
  }

  .chart {
    position: relative;
  }

  svg {
    overflow: visible;
  }

  path {
    stroke-linejoin: round;
  }

  path.raw {
    stroke: var(--ghost-line);
    stroke-width: 3;
  }

  path.entering {
    stroke: var(--soft);
    stroke-width: 1.5;
    stroke-dasharray: 5 3;
  }

  path.final {
    stroke: var(--trace);
    stroke-width: 2.5;
  }

  .dot {
    fill: var(--trace);
  }

  .cross {
    stroke: var(--mark);
    stroke-width: 1.5;
  }

  .cutline text {
    stroke: var(--sunken);
  }

  .readout {
    min-height: 1.375rem;
    font-size: 0.8125rem;
    line-height: 1.375rem;
  }
`;
