/** Answers that are none of the service: each is an error, and none makes the client hang, loop or fill the memory. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../../../packages/client/src/http/createApi.ts';
import { Holdfast } from '../../../packages/client/src/index.ts';

/** The stranger's answers, and the number of requests to it. */
let answer: (response: ServerResponse) => void = () => {};
let asked = 0;
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    asked++;
    request.resume().on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const answerWith = (body: string) => {
  answer = (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
};
const UNEXPECTED = { code: 'UNEXPECTED_RESPONSE', message: expect.stringContaining('is this Holdfast?') };
const key = { resource: 'x', requester: 'ann', releaseToken: 't' };

describe('200 with something else is UNEXPECTED_RESPONSE', () => {
  const calls: [string, (client: Holdfast) => Promise<unknown>][] = [
    ['reserve', (client) => client.reserve('x')],
    ['reserve that waits', (client) => client.reserve('x', { wait: '5s' })],
    ['reserve of two', (client) => client.reserve(['x', 'y'])],
    ['release', (client) => client.release(key)],
    ['renew', (client) => client.renew(key)],
    ['check', (client) => client.check('x')],
    ['cancel', (client) => client.cancel('x')],
    ['session', (client) => client.session()],
    [
      'transaction',
      (client) => client.transaction({ method: 'FIRST', requests: [{ ...key, requestType: 'UNRESERVE' }] }),
    ],
    ['active', (client) => client.active()],
    ['tree', (client) => client.tree()],
    ['register', (client) => client.register([])],
    ['unregister', (client) => client.unregister('x')],
    ['reset', (client) => client.reset()],
    ['mirror', (client) => client.mirror()],
  ];
  it.each(calls)('%s', async (name, call) => {
    const client = new Holdfast({ url, key: 'k' });
    for (const body of ['<h1>Sign in</h1>', '{}', '"ok"', 'null', '[1]', '[null]', '{"data":[]}']) {
      if (body.startsWith('[') && /^(active|tree|register)$/.test(name)) continue;
      answerWith(body);
      await expect(call(client), body).rejects.toMatchObject(UNEXPECTED);
    }
  });

  it('a reservation without a release token', async () => {
    answerWith('[{"status":"ACQUIRED","explanation":"ACQUIRED"}]');
    await expect(new Holdfast({ url, key: 'k' }).reserve('x')).rejects.toMatchObject(UNEXPECTED);
  });

  it('WAITING for an item that did not ask to wait', async () => {
    answerWith('[{"status":"WAITING","explanation":"WAITING"}]');
    asked = 0;
    await expect(new Holdfast({ url, key: 'k' }).reserve('x')).rejects.toMatchObject(UNEXPECTED);
    expect(asked).toBe(1);
  });
});

it('a service that does not hold its responses is not asked without a pause', async () => {
  answerWith('[{"status":"WAITING","explanation":"WAITING"}]');
  asked = 0;
  const signal = AbortSignal.timeout(500);
  await expect(new Holdfast({ url, key: 'k' }).reserve('x', { wait: '5s', signal })).rejects.toThrow();
  expect(asked).toBeLessThan(20);
});

describe('a body', () => {
  /** As fast as the connection takes it, until it closes. */
  const pour = (response: ServerResponse) => {
    const part = Buffer.alloc(1024 * 1024, ' ');
    const more = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', more);
    more();
  };

  it('of more than 64 MiB is UNEXPECTED_RESPONSE', async () => {
    answer = (response) => pour(response.writeHead(200));
    await expect(createApi({ url, key: 'k' }).check({ resource: 'x' })).rejects.toMatchObject(UNEXPECTED);
  });

  it('that does not end is given up when the time of the attempt is over, also while bytes arrive', async () => {
    let gone = false;
    answer = (response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.writeHead(200).on('close', () => {
        clearInterval(timer);
        gone = true;
      });
    };
    const calling = createApi({ url, key: 'k' }).check({ resource: 'x' }, { deadline: 0 });
    await expect(calling).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining('within 1 s'),
    });
    await expect.poll(() => gone).toBe(true);
  });

  it('of a list may take longer, while bytes arrive', async () => {
    answer = (response) => {
      let left = 30;
      const timer = setInterval(() => {
        if (left-- > 0) return response.write(' ');
        clearInterval(timer);
        return response.end('[]');
      }, 50);
      response.writeHead(200);
    };
    const call = { method: 'GET', path: '/Session', deadline: 0 } as const;
    expect((await createApi({ url, key: 'k' }).request(call)).result).toEqual([]);
  });
});
