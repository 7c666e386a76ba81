/** The cheapest scenario of every client whose tools are there. The others are thorough. */
import { describe, expect, test } from 'vitest';
import { holdfast, useInstance } from '../support/instance.ts';
import { until } from '../support/until.ts';
import { readyClients } from './clients.ts';
import { Program } from './program.ts';

useInstance();

describe.each(readyClients())('a wait of $name', (client) => {
  test('gets its turn when the one before it ends, also in the same client', async () => {
    const env = { HOLDFAST_URL: holdfast.url, HOLDFAST_KEY: holdfast.key };
    await using program = await Program.start(client, env);
    const first = program.send({ do: 'using', target: 'printer' });
    const { fields } = await first.event('holding');
    const { requester, fencingToken } = fields;
    const options = { wait: '30s' } as const;
    const second = program.send({ do: 'using', target: 'printer', options });
    await until('it waits', async () => (await holdfast.waiting()).body.length === 1);
    await second.event('waiting');
    await program.do({ do: 'finish', of: first.id });
    expect(await first.answer).toEqual({});
    const next = (await second.event('holding')).fields;
    expect(next).toMatchObject({ resources: ['printer'], slots: ['printer'], requester: `${requester}#2` });
    expect(next.fencingToken).toBeGreaterThan(Number(fencingToken));
    expect((await holdfast.active()).body).toMatchObject([{ fencingToken: next.fencingToken }]);
    program.send({ do: 'finish', of: second.id });
    expect(await second.answer).toEqual({});
    expect((await holdfast.active()).body).toEqual([]);
  });
});
