/** The look of <logit-chain>. */
import { css } from 'lit';

export const chainStyles = css`
  .top {
    display: flex;
    align-items: center;
    justify-content: space-between;
    gap: 0.25rem 1rem;
  }

  .preset {
    display: flex;
    flex: 0 1 17rem;
    align-items: center;
    gap: 0.5rem;
    min-width: 0;
  }

  .preset select {
    flex: 1;
    min-width: 0;
  }

  ol {
    position: relative;
    margin: 0.625rem 0 0;
    padding: 0 0 0 1.75rem;
    list-style: none;
  }

  /* The wire that the logits run along, from card to card. */
  ol::before {
    content: '';
    position: absolute;
    inset: 0.5rem auto 0.5rem 0.3125rem;
    width: 2px;
    background: var(--line);
  }

  .end {
    position: relative;
    color: var(--soft);
    font-size: 0.75rem;
    line-height: 1rem;
  }

  .end::before {
    content: '';
    position: absolute;
    top: 0.25rem;
    left: -1.625rem;
    width: 0.5rem;
    height: 0.5rem;
    border-radius: 50%;
    background: var(--line);
  }

  .card {
    position: relative;
    padding: 0.625rem 0 0.5rem;
  }

  .gate {
    min-height: 6.25rem;
    padding: 0.375rem 0;
  }

  .gate + .card,
  .card + .card {
    border-top: 1px solid var(--line);
  }

  /* The plug of a card on the wire: its handle. */
  .plug {
    position: absolute;
    top: 0.5rem;
    left: -2.125rem;
    width: 1.5rem;
    min-height: 2.25rem;
    padding: 0;
    border: 0;
    background: none;
    cursor: grab;
    touch-action: none;
  }

  .plug::before {
    content: '';
    position: absolute;
    inset: 0.25rem auto auto 0.3125rem;
    width: 0.875rem;
    height: 1.75rem;
    border: 2px solid var(--control-line);
    border-radius: 0.4375rem;
    background:
      repeating-linear-gradient(var(--dots) 0 1.5px, transparent 1.5px 4px) center / 0.3125rem 9.5px
        no-repeat,
      var(--plug);
    --plug: var(--panel);
    --dots: var(--control-line);
    transition: background var(--quick), border-color var(--quick), transform var(--quick);
  }

  .works .plug::before {
    --plug: var(--trace);
    --dots: var(--trace-ink);
    border-color: var(--trace);
  }

  .plug:hover::before {
    transform: scale(1.12);
  }

  .grabbed {
    z-index: 1;
    border-radius: 0.375rem;
    background: var(--panel);
    box-shadow: 0 0 0 0.375rem var(--panel), 0 0 0 calc(0.375rem + 2px) var(--trace),
      0 0.75rem 1.5rem light-dark(#14201d33, #000000b3);
  }

  .grabbed .plug,
  .grabbing {
    cursor: grabbing;
  }

  .bias {
    padding-bottom: 0.75rem;
  }

  .bias .name {
    font-size: 0.9375rem;
    font-weight: 600;
    line-height: 1.25rem;
  }

  .bias .row {
    display: grid;
    align-items: end;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0.875rem;
  }

  .remove {
    display: grid;
    place-items: center;
    width: 1.75rem;
    min-height: 1.75rem;
    padding: 0;
    border-color: transparent;
    background: none;
    color: var(--soft);
  }

  .remove svg {
    width: 0.875rem;
    height: 0.875rem;
    stroke: currentColor;
    stroke-width: 1.75;
    stroke-linecap: round;
  }

  .parts {
    display: grid;
    gap: 0.25rem;
    margin-top: 0.25rem;
    padding-left: 0.75rem;
    border-left: 2px solid var(--line);
  }

  .texts {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    align-items: center;
    gap: 0 0.5rem;
  }

  details .texts {
    margin-top: 0.625rem;
  }

  .texts .name {
    font-size: 0.8125rem;
    font-weight: 600;
  }

  .texts input {
    width: 8rem;
    height: 1.75rem;
    padding: 0 0.5rem;
    font-family: var(--mono);
    font-size: 0.8125rem;
  }

  .texts select {
    min-height: 1.75rem;
    font-size: 0.8125rem;
  }

  .texts .about {
    grid-column: 1 / -1;
  }

  .order {
    display: grid;
    justify-items: start;
    gap: 0.5rem;
    margin-top: 0.75rem;
    font-size: 0.8125rem;
    line-height: 1.1875rem;
  }

  .order p {
    min-height: 3.5625rem; /* three lines, so that nothing moves */
    text-wrap: pretty;
  }

  .order .plain {
    color: var(--soft);
  }

  .order button {
    min-height: 2rem;
    padding: 0 0.75rem;
    font-size: 0.8125rem;
  }

  .did {
    /* Two lines always: the cards below never jump. */
    min-height: 2.375rem;
    font-size: 0.8125rem;
    line-height: 1.1875rem;
    text-wrap: pretty;
  }

  @media (max-width: 26rem) {
    .did {
      min-height: 3.5625rem;
    }
  }

  .did.idle {
    color: var(--soft);
  }

  .spark {
    display: block;
    width: 4.5rem;
    height: 2.125rem;
    overflow: visible;
  }

  .spark .before {
    fill: var(--ghost);
  }

  .spark .after {
    fill: var(--trace);
    fill-opacity: 0.82;
  }

  .spark line {
    stroke: var(--control-line);
    stroke-width: 1;
  }

  details {
    margin-top: 0.5rem;
    border-top: 1px solid var(--line);
    padding-top: 0.5rem;
  }

  details logit-knob {
    margin-top: 0.625rem;
  }
`;
