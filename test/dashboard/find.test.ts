/**
 * The palette as a page: what it finds, and for whom (docs/specification.md#dashboard-and-sign-in).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hold, holdfast, person, useActing } from '../support/acting.ts';

useActing();

type Person = Awaited<ReturnType<typeof person>>;

/** Each option as `<text> → <address>`. */
async function find(someone: Person, q: string, part = '&part=1'): Promise<string[]> {
  const { text } = await someone.get(`/find?${new URLSearchParams({ q })}${part}`);
  const found = part === '' ? text.slice(text.indexOf('class="found"'), text.indexOf('</main>')) : text;
  return [...found.matchAll(/<a href="(\/dashboard[^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, to = '', content = '']) => {
    const words = content
      .replace(/<svg.*?<\/svg>/gs, '')
      .replace(/<[^>]+>/g, '')
      .replace(/\s+/g, ' ')
      .replace(/(\d{4}-\d\d-\d\d )?\d\d:\d\d UTC/, '…')
      .trim();
    return `${words} → ${to.replaceAll('&amp;', '&').replace(/%40\d+/, '%40…')}`;
  });
}

describe('the palette finds', () => {
  test('resources with their state, what to do with them, their history and those who have them', async () => {
    const ann = await person();
    const id = randomUUID().slice(0, 8);
    await holdfast.register({ name: `${id}-eu` }, { name: `${id}-us`, labels: { site: 'oslo' } });
    await hold(`${id}-eu`, `ci-${id}`);
    for (const part of ['&part=1', ''])
      expect(await find(ann, id, part)).toEqual([
        `${id}-eu ci-${id} until … → /dashboard/resources/one?name=${id}-eu`,
        `${id}-us free → /dashboard/resources/one?name=${id}-us`,
        `ci-${id} has 1 thing → /dashboard?view=table&q=ci-${id}`,
        `Join the queue for ${id}-eu → /dashboard/reserve?resource=${id}-eu`,
        `Reserve ${id}-us until … → /dashboard/reserve?resource=${id}-us&lease=%40…`,
        `History of ${id}-eu → /dashboard/activity?resource=%22${id}-eu%22`,
        `Search the Board for “${id}” → /dashboard?q=${id}`,
      ]);
    expect((await find(ann, `reserve ${id}-us`))[0]).toMatch(/free →/);
  });

  test('names that are held without being registered, and labels; the nearest names first, and six at most', async () => {
    const ann = await person();
    const id = randomUUID().slice(0, 8);
    await holdfast.register(
      ...Array.from({ length: 9 }, (_, i) => ({ name: `a${i}-${id}` })),
      { name: `${id}z` },
      { name: 'labelled', labels: { id: `x${id}` } },
    );
    await hold(id);
    const names = (await find(ann, id)).flatMap((line) => /one\?name=(.*)/.exec(line)?.[1] ?? []);
    expect(names).toEqual([id, `${id}z`, `a0-${id}`, `a1-${id}`, `a2-${id}`, `a3-${id}`]);
    expect((await find(ann, `id=x${id}`))[0]).toMatch(/^labelled free/);
  });

  test('pages that the person may open, and no actions that they may not do', async () => {
    const [vic, operator] = [await person('viewer'), await person('operator')];
    const resource = randomUUID();
    await holdfast.register({ name: resource });
    expect(await find(vic, 'access')).toEqual(['Search the Board for “access” → /dashboard?q=access']);
    expect((await find(vic, resource)).filter((line) => /reserve/i.test(line))).toEqual([]);
    expect(await find(vic, '')).not.toContain('Register a resource → /dashboard/resources/register');
    expect(await find(operator, 'regis')).toContain('Register a resource → /dashboard/resources/register');
    expect(await find(operator, '')).toContain('Board → /dashboard');
  });
});
