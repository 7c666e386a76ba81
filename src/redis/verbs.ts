/** What runs in Redis: the names of the verbs, and what is known of each. */
import type { Library } from './bundle.ts';

export type Verb =
  | 'active'
  | 'activity'
  | 'authenticate'
  | 'available'
  | 'beat'
  | 'beginSession'
  | 'cancel'
  | 'charge'
  | 'chargeReads'
  | 'check'
  | 'closeStreams'
  | 'copyDefinitions'
  | 'definitions'
  | 'delete'
  | 'endSession'
  | 'issueToken'
  | 'keep'
  | 'labelsInUse'
  | 'keepReset'
  | 'leave'
  | 'loadTenant'
  | 'lowerIndex'
  | 'openStream'
  | 'probe'
  | 'raiseIndex'
  | 'readHistory'
  | 'refusals'
  | 'register'
  | 'renew'
  | 'renewSession'
  | 'renewStreams'
  | 'reserve'
  | 'reset'
  | 'resource'
  | 'sessions'
  | 'standings'
  | 'states'
  | 'sweep'
  | 'emitLimitReached'
  | 'transaction'
  | 'tree'
  | 'unregistered'
  | 'unreserve'
  | 'usage'
  | 'waiting';

export interface Script {
  readonly name: string;
  /** The file as it is written. */
  readonly source: string;
  /** @returns the text that runs where functions are forbidden */
  readonly lua: () => string;
  /** @returns the SHA-1 of that text */
  readonly digest: () => string;
  /** The names of its keys, in order. */
  readonly keys: readonly string[];
  /** @returns the library that has the verb as a function */
  readonly library: () => Library;
  /** @returns the name of that function */
  readonly functionName: () => string;
}
