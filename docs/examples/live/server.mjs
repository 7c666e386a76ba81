/**
 * Sends what is held to browsers, as server-sent events: one mirror for all of them, so no browser has a key. The page
 * uses useHeld.mjs. packages/client/README.md explains the client, and how to install it.
 *
 *   npm install express <the client>
 *   HOLDFAST_URL=http://localhost:8080 HOLDFAST_KEY=hf_... PORT=3000 node server.mjs
 */
import { Holdfast } from '@holdfast/client';
import express from 'express';

const mirror = await Holdfast.fromEnv().mirror({ waiting: true });
const app = express();

/** Who has a resource, and who is next. Only what the page shows: notes may not be for everybody. */
const stateOf = (name) => ({
  connected: mirror.connected,
  held: mirror.get(name).map(({ requester, expiresAt }) => ({ requester, expiresAt })),
  next: mirror.waiting.filter(({ resources }) => resources.includes(name)).map(({ requester }) => requester),
});

app.get('/live/:name', ({ params: { name } }, response) => {
  response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  let last = '';
  const send = () => {
    const state = JSON.stringify(stateOf(name));
    if (state !== last) response.write(`data: ${state}\n\n`);
    last = state;
  };
  send();
  response.on('close', mirror.subscribe(send));
});

export const server = app.listen(process.env.PORT ?? 3000);
