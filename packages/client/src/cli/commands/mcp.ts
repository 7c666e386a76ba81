/** `holdfast mcp`: the tools for agents over stdio, for clients of the Model Context Protocol that know only that. */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { type Command, REQUESTER_OPTION, URL_OPTION } from '../command.ts';
import { serviceOf } from '../connect.ts';
import { EXIT, usageError } from '../exitCodes.ts';
import { Bridge } from '../mcp/bridge.ts';
import { print } from '../output.ts';

/** Longest time for which calls in flight may still be answered once the client has closed stdin, in ms. */
const LAST_ANSWERS_MS = 2000;

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serves the tools for agents over stdio (Model Context Protocol)',
  synopsis: 'mcp [options]',
  details: `\
A client of the Model Context Protocol starts it: it passes each line on stdin to /mcp of the service, and prints
the answer. Each start is a requester of its own, unless --requester or HOLDFAST_REQUESTER names one.`,
  options: [REQUESTER_OPTION, URL_OPTION],
  examples: ['holdfast mcp', 'holdfast mcp --url https://holdfast.example.com'],
  positionals: { min: 0, max: 0 },
  run: async ({ args, signal }) => {
    const { url, key, requester } = await serviceOf({ args, signal });
    if (requester !== undefined && !/^[\x21-\x7e]+$/.test(requester))
      throw usageError('mcp takes a requester of visible ASCII characters');
    const bridge = new Bridge({ url, key, requester, ownName: `agent-${randomUUID().slice(0, 8)}`, write: print });
    const lines = createInterface({ input: process.stdin });
    signal.addEventListener('abort', () => lines.close());
    for await (const line of lines) bridge.receive(line);
    await bridge.end(signal.aborted ? 0 : LAST_ANSWERS_MS);
    return EXIT.done;
  },
};
