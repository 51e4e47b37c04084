/** The lines where a warper cuts, and the handles on them, on every chart that has them. */
import { css } from 'lit';

export const handleStyles = css`
  .handle {
    position: absolute;
    top: 0;
    left: 0;
    border-radius: 0.25rem;
    touch-action: none;
    user-select: none;
  }

  .handle.across {
    height: 1.5rem;
    margin-top: -0.125rem;
    cursor: row-resize;
  }

  .handle.upright {
    width: 1.5rem;
    margin-left: -0.125rem;
    cursor: col-resize;
  }

  .grip {
    position: absolute;
    border: 1.5px solid var(--panel);
    border-radius: 0.5rem;
    background: var(--cut-other);
    transition: background var(--quick), transform var(--quick);
  }

  .by-top_k > .grip {
    background: var(--cut-top_k);
  }

  .by-top_p > .grip {
    background: var(--cut-top_p);
  }

  .across > .grip {
    top: 0.375rem;
    right: 0;
    width: 2.25rem;
    height: 0.75rem;
  }

  .upright > .grip {
    top: 0.375rem;
    left: 0.375rem;
    width: 0.75rem;
    height: 2.25rem;
  }

  .upright.by-top_p > .grip {
    top: 3.25rem;
  }

  .grip::before {
    content: '';
    position: absolute;
    inset: 0;
    margin: auto;
    border: solid var(--panel);
  }

  .across > .grip::before {
    width: 0.875rem;
    height: 0.1875rem;
    border-width: 1px 0;
  }

  .upright > .grip::before {
    width: 0.1875rem;
    height: 0.875rem;
    border-width: 0 1px;
  }

  .handle:hover > .grip,
  .handle:active > .grip {
    transform: scale(1.15);
  }

  .handle:focus-visible {
    outline-offset: -1px;
  }

  .cutline line {
    stroke: var(--cut-other);
    stroke-dasharray: 6 4;
  }

  .cutline.by-top_k line {
    stroke: var(--cut-top_k);
    stroke-dasharray: 8 3;
  }

  .cutline.by-top_p line {
    stroke: var(--cut-top_p);
    stroke-dasharray: 2 3;
  }

  .cutline.by-top_k text {
    fill: var(--cut-top_k);
  }

  .cutline.by-top_p text {
    fill: var(--cut-top_p);
  }

  .cutline text {
    paint-order: stroke;
    stroke: var(--panel);
    stroke-width: 5;
    stroke-linejoin: round;
    font-weight: 600;
  }

  .cutline.idle text {
    font-weight: 400;
  }

  .cutline.idle line {
    opacity: 0.45;
  }
`;
