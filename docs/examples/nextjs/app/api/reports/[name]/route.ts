/**
 * A route of Next.js, which may run on many machines at once: each report is made by one request at a time.
 * Install the client, and set HOLDFAST_URL and HOLDFAST_KEY: packages/client/README.md explains both.
 */
import { Holdfast, HoldfastError } from '@holdfast/client';

const holdfast = Holdfast.fromEnv();

/** The longest wait and the work fit in. */
export const maxDuration = 30;

export async function POST(request: Request, context: { params: Promise<{ name: string }> }): Promise<Response> {
  const { name } = await context.params;
  try {
    // If the visitor leaves, the wait ends.
    const options = { wait: '10s', ttl: '15s', signal: request.signal } as const;
    return await holdfast.using(`report ${name}`, options, async (hold, signal) => {
      signal.throwIfAborted();
      return Response.json({ report: `The report ${name}`, fencingToken: hold.fencingToken });
    });
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    const isBusy = error.code === 'ALREADY_HELD' || error.code === 'NOT_AVAILABLE';
    return Response.json({ error: error.message, heldBy: error.heldBy }, { status: isBusy ? 409 : 503 });
  }
}
