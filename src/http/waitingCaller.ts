/**
 * The caller of a request that may wait, as Node's response tells about it.
 */
import { onceEnded } from '../events/onceEnded.ts';
import type { Caller } from '../waiting/caller.ts';
import type { AppEnv } from './env.ts';

export const callerOf = ({ incoming, outgoing }: AppEnv['Bindings']): Caller => ({
  get isGone() {
    return outgoing.destroyed || incoming.socket.destroyed;
  },
  onGone: (callback) => void onceEnded(outgoing, callback),
  onHeld: () => incoming.hold(),
});
