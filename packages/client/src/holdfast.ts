/** The client of a service. */
import { Client } from './client.ts';
import { serviceOfProcess } from './environment.ts';
import { refuseUnknown } from './errors.ts';
import { Requesters } from './holds/requesters.ts';
import { Reserver } from './holds/reserver.ts';
import { createApi } from './http/createApi.ts';
import type { HoldfastOptions } from './types.ts';

export class Holdfast extends Client {
  /** @throws HoldfastError INVALID_OPTION */
  constructor(options: HoldfastOptions) {
    const { url, key, requester, retryFor, onRetry, ...rest } = { ...options };
    refuseUnknown(rest);
    const api = createApi({ url, key, retryFor, onRetry });
    const requesters = new Requesters(requester);
    super(api, requesters, new Reserver(api, requesters));
  }

  /**
   * Makes a client of HOLDFAST_URL and HOLDFAST_KEY, or HOLDFAST_KEY_FILE, which is read for each request.
   * @throws HoldfastError INVALID_OPTION: it names the variable
   */
  static fromEnv(options: Omit<HoldfastOptions, 'url' | 'key'> = {}): Holdfast {
    return new Holdfast({ ...options, ...serviceOfProcess() });
  }
}
