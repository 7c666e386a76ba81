/** Who observes the scripts of a request: for metrics, and for traces. */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Called when a script is sent. Returns a callback for its reply or error. */
export type ScriptObserver = (script: string) => (error?: unknown) => void;

/**
 * The observer of the scripts of the request that is being served, if there is one. A script that waits in line is
 * sent out of the reply to another one: the request's observer goes with it (src/engine/line.ts).
 */
export const requestObserver = new AsyncLocalStorage<ScriptObserver>();
