/**
 * An Express service of which several processes run. Each report is made by one of them at a time, and one of them at a
 * time tidies up. packages/client/README.md explains the client, and how to install it.
 *
 *   npm install express <the client>
 *   HOLDFAST_URL=http://localhost:8080 HOLDFAST_KEY=hf_... PORT=3000 node worker.mjs
 */
import { Holdfast, HoldfastError } from '@holdfast/client';
import express from 'express';
import { saveReport, tidyUp } from './store.mjs';

const holdfast = Holdfast.fromEnv();
const app = express();

app.post('/reports/:name', async ({ params: { name } }, response) => {
  const saved = await holdfast.using(`report ${name}`, { wait: '5s', note: 'POST /reports' }, async (hold, signal) => {
    const text = `The report ${name}`; // Long work here. Pass it the signal, which aborts if the lease is lost.
    signal.throwIfAborted();
    return saveReport(name, text, hold.fencingToken);
  });
  response.json({ saved });
});

app.use((error, _request, response, next) => {
  if (!(error instanceof HoldfastError)) return next(error);
  const isBusy = error.code === 'ALREADY_HELD' || error.code === 'NOT_AVAILABLE';
  response.status(isBusy ? 409 : 503).json({ error: error.message, heldBy: error.heldBy });
});

/**
 * About once a minute, in one process. It does not release: the lease keeps the timers of the other processes out for
 * the rest of the minute. tidyUp has to end within the lease, which nothing renews.
 */
setInterval(async () => {
  try {
    const hold = await holdfast.tryReserve('tidy up', { ttl: '55s' });
    if (hold !== null) await tidyUp();
  } catch (error) {
    console.error(`tidying up: ${error.message}`);
  }
}, 60_000).unref();

export const server = app.listen(process.env.PORT ?? 3000);
