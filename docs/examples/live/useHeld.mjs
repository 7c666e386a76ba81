/**
 * Hooks for React. useLive follows server.mjs. useHeld follows a mirror in the page itself, if its users have tokens of
 * their own (docs/guides/end-users.md).
 *
 *   const { connected, held, next } = useLive('printer');
 *   const reservations = useHeld(mirror, 'printer');
 */
import { useEffect, useState, useSyncExternalStore } from 'react';

const NOTHING = { connected: false, held: [], next: [] };

/** What server.mjs says of a resource. EventSource connects again by itself. */
export function useLive(name) {
  const [state, setState] = useState(NOTHING);
  useEffect(() => {
    const source = new EventSource(`/live/${encodeURIComponent(name)}`);
    source.onmessage = ({ data }) => setState(JSON.parse(data));
    source.onerror = () => setState((last) => ({ ...last, connected: false }));
    return () => source.close();
  }, [name]);
  return state;
}

/** The reservations of a resource. It renders when they change, and not for others. */
export const useHeld = (mirror, name) => useSyncExternalStore(mirror.subscribe, () => mirror.get(name));

/** Whether the mirror follows the service: a page should say if it does not. */
export const useConnected = (mirror) => useSyncExternalStore(mirror.subscribe, () => mirror.connected);
