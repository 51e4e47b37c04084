/** The ground of every chart with axes: its box, its screen and grid, the text along its frame. */
import { css } from 'lit';

export const frameStyles = css`
  .chart {
    min-height: 18rem;
    margin-top: 0.5rem;
  }

  svg {
    display: block;
    width: 100%;
    font-variant-numeric: tabular-nums;
    user-select: none;
  }

  .walk {
    border-radius: 0.375rem;
    touch-action: pan-y;
  }

  .screen {
    fill: var(--sunken);
  }

  .grid {
    stroke: var(--grid);
  }

  .frame text {
    fill: var(--soft);
  }

  path {
    fill: none;
  }
`;
