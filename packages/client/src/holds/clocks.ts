/**
 * The two clocks that leases are measured with. The monotonic one is never set; on some systems it stands still while
 * the machine sleeps. The wall clock goes on then.
 */
export interface Clocks {
  /** ms, from any beginning. */
  monotonic(): number;
  /** ms since 1970. */
  wall(): number;
  /**
   * Runs a function after some ms of the monotonic clock.
   * @returns stops it
   */
  timer(run: () => void, ms: number): () => void;
}

export const CLOCKS: Clocks = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  timer(run, ms) {
    const timer = startTimer(run, ms);
    return () => clearTimeout(timer);
  },
};

/** By how many ms the wall clock is ahead of the monotonic one. Sleep makes it greater. */
export const offsetOf = (clocks: Clocks): number => clocks.wall() - clocks.monotonic();

/** Starts a timer that does not keep a process alive. The longest time is 24.8 days; longer ones end then. */
export function startTimer(run: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, Math.min(Math.max(ms, 0), 2 ** 31 - 1));
  // A number in browsers, an object elsewhere.
  if (typeof timer === 'object' && 'unref' in timer) Reflect.apply(Reflect.get(timer, 'unref'), timer, []);
  return timer;
}
