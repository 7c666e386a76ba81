/**
 * The state of a resource as a shape. Its word stands beside it, so screen readers skip the shape.
 */

/** A ring; full: held; dashed: not available; struck through: out of service; half full: needs cleaning. */
export type DotShape = 'free' | 'busy' | 'mine' | 'shut' | 'group' | 'out' | 'dirty';

export const Dot = ({ of }: { of: DotShape }) => (
  <svg class={`dot ${of}`} viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
    <circle cx="7" cy="7" r="5" />
    {of === 'out' && <path d="M3.5 10.5l7-7" />}
    {of === 'dirty' && <path d="M7 2a5 5 0 0 0 0 10z" />}
  </svg>
);
