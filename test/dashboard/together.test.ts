/**
 * Several things together, all of them or none, by hand (docs/specification.md#reserving-by-hand).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { active, hold, holdfast, person, useActing } from '../support/acting.ts';
import { ask } from '../support/ask.ts';

useActing();

const registered = async (count: number) => {
  const names = Array.from({ length: count }, () => randomUUID());
  await holdfast.request(
    'POST',
    '/api/v1/Resource/register',
    names.map((name) => ({ name })),
  );
  return names;
};
const queryOf = (names: readonly string[], more: Record<string, string> = {}) =>
  new URLSearchParams([...names.map((name) => ['resource', name] as [string, string]), ...Object.entries(more)]);
const send = ({ headers }: Awaited<ReturnType<typeof person>>, names: readonly string[]) =>
  ask(`${holdfast.url}/dashboard/reserve/together`, {
    headers,
    method: 'POST',
    body: queryOf([...names, ' '], { lease: '1800', note: 'a pair', back: '/dashboard?view=table' }),
  });

describe('things that are reserved together', () => {
  test('are all taken, with one end and note, and the toast names them', async () => {
    const ann = await person();
    const [one = '', other = ''] = await registered(2);
    const form = await ann.get(`/reserve?${queryOf([one, other])}`);
    expect(form.text).toContain('Reserve both');
    expect(form.text).toContain(`value="${other}"`);
    const done = await send(ann, [one, other]);
    const to = new URL(done.to ?? '', 'http://own').searchParams;
    expect([to.get('view'), to.get('done'), to.get('what')]).toEqual(['table', 'reservedMany', `${one} and ${other}`]);
    for (const name of [one, other])
      expect(await active(name)).toMatchObject([
        { requester: ann.requester, note: 'a pair', expiresAt: to.get('until') },
      ]);
    expect((await ann.get(`?${to}`)).text).toContain(`${one} and ${other} are yours`);
  });

  test('are none of them taken if one is in the way: the page says which, whose and until when', async () => {
    const ann = await person();
    const [one = '', other = '', third = ''] = await registered(3);
    const { expiresAt } = await hold(other);
    const refused = await send(ann, [one, other, third]);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain(
      `Nothing was reserved. “${other}” is held by ci-42 until ${expiresAt?.slice(11, 16)} UTC.`,
    );
    expect(refused.text).toContain('Reserve all 3');
    expect([await active(one), await active(third)]).toEqual([[], []]);
  });

  test('are at least two, and registered: a name that is mistyped takes nothing', async () => {
    const ann = await person();
    const [one = ''] = await registered(1);
    expect((await send(ann, [one])).text).toContain('Name at least two.');
    const refused = await send(ann, [one, 'pixel-9O']);
    expect([refused.status, refused.text.includes('Nothing is registered as “pixel-9O”.')]).toEqual([400, true]);
    expect(await active(one)).toEqual([]);
  });

  test('are found from the form for one, and by the boxes of free rows', async () => {
    const ann = await person();
    const [one = '', other = ''] = await registered(2);
    await hold(other);
    expect((await ann.get(`/reserve?resource=${one}`)).text).toContain(`resource=${one}&amp;resource=&amp;back=`);
    const table = (await ann.get(`?view=table&q=${one}`)).text;
    expect(table).toMatch(new RegExp(`<input[^>]*name="resource" value="${one}"`));
    expect((await ann.get(`?view=table&q=${other}`)).text).not.toMatch(/<input[^>]*name="resource"/);
  });
});

test('the form asks how many of pools only, and what for only if it is to be cleaned after use', async () => {
  const ann = await person();
  const [plain, pool, cleaned] = [randomUUID(), randomUUID(), randomUUID()];
  await holdfast.request('POST', '/api/v1/Resource/register', [
    { name: plain },
    { name: pool, capacity: 3 },
    { name: cleaned, afterUse: 'dirty' },
  ]);
  const asks = async (name: string) => {
    const { text } = await ann.get(`/reserve?resource=${name}`);
    return [text.includes('name="count"'), text.includes('name="condition"')];
  };
  expect(await Promise.all([plain, pool, cleaned].map(asks))).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ]);
});
