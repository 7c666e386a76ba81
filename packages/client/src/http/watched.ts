/** Tells the command line of the requests of its process, so that it can say when the service cannot be reached. */

/** Is told of each request as it is sent. `path` is below `/api/v1`, with its query. */
type Watch = (path: string, response: Promise<{ readonly status: number }>) => void;
let watch: Watch | undefined;

/** Has the requests of this process watched. The package does not export it. */
export function watchRequests(by: Watch): void {
  watch = by;
}

/** Tells of a request. Returns its response. */
export function watched<Got extends { readonly status: number }>(path: string, response: Promise<Got>): Promise<Got> {
  watch?.(path, response);
  return response;
}
