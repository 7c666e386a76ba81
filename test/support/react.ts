/**
 * Uses a store as React does (useSyncExternalStore): compares snapshots by Object.is, reads each twice, and
 * renders again for as long as they differ.
 */
export interface Mounted<Snapshot> {
  /** Called with each snapshot that is rendered after the first. */
  render: (snapshot: Snapshot) => void;
  unmount(): void;
}

/** @throws as React does, if two looks in a row differ */
export function useSyncExternalStore<Snapshot>(
  subscribe: (onStoreChange: () => void) => () => void,
  getSnapshot: () => Snapshot,
): Mounted<Snapshot> {
  const look = (): Snapshot => {
    const snapshot = getSnapshot();
    if (Object.is(snapshot, getSnapshot())) return snapshot;
    throw new Error('The result of getSnapshot should be cached to avoid an infinite loop');
  };
  let rendered = look();
  const mounted: Mounted<Snapshot> = { render: () => {}, unmount: subscribe(check) };
  function check(): void {
    const next = look();
    if (Object.is(next, rendered)) return;
    rendered = next;
    mounted.render(next);
  }
  check(); // It may have changed between the first render and the subscription.
  return mounted;
}
