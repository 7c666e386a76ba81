/**
 * Number of responses that the service may hold for a page. Browsers open six connections to a host under HTTP/1.1,
 * and releases and renewals need one. Further waits ask again and again instead.
 */
const MAX_HELD = 3;
const isPage = 'document' in globalThis || 'importScripts' in globalThis;

let held = 0;

/** @param call gets true if the service may hold its response */
export function withConnection<T>(call: (mayPoll: boolean) => Promise<T>): Promise<T> {
  if (!isPage) return call(true);
  if (held === MAX_HELD) return call(false);
  held++;
  return call(true).finally(() => {
    held--;
  });
}
