/**
 * What pages say after an action, and to people who may only look (docs/specification.md#dashboard-and-sign-in).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hold, person, useActing } from '../support/acting.ts';

useActing();

type Person = Awaited<ReturnType<typeof person>>;

const plain = (html: string) => html.replace(/<[^>]+>/g, '').replace(/\s+/g, ' ');
const statusOf = (html: string) => plain(/<div class="toast">(.*?)<\/p>/s.exec(html)?.[1] ?? '').trim();
/** The toast of the page that a form leads to. */
const noticeAfter = async (someone: Person, path: string, fields: Record<string, string>) => {
  const { to } = await someone.post(path, fields);
  return statusOf((await someone.get((to ?? '').replace('/dashboard', ''))).text);
};

describe('the toast after an action names the resource', () => {
  test('and when it ends', async () => {
    const ann = await person();
    const resource = randomUUID();
    const until = new RegExp(
      `^${resource} is yours until (\\d{4}-\\d\\d-\\d\\d )?\\d\\d:\\d\\d UTC\\.( It is extended\\.)?$`,
    );
    expect(await noticeAfter(ann, '/reserve', { resource, lease: '1800', back: '/dashboard?free=1' })).toMatch(until);
    const form = { resource, requester: ann.requester };
    expect(await noticeAfter(ann, '/extend', { ...form, lease: '3600' })).toMatch(until);
    expect(await noticeAfter(ann, '/release', form)).toBe(`${resource} is released. Nobody waits for it.`);
  });

  test('unless the address names nothing, or no resource', async () => {
    const ann = await person();
    for (const what of ['', '&what=', `&what=${'x'.repeat(257)}`, '&what=a%0Ab'])
      expect(statusOf((await ann.get(`?done=released${what}`)).text)).toBe('It is released.');
    expect((await ann.get('?done=released&what=%3Cb%3E')).text).not.toContain('<b>');
  });
});

test('a viewer sees the state of a resource at the address that a code leads to, and no form', async () => {
  const resource = randomUUID();
  await hold(resource);
  const vic = await person('viewer');
  const { status, text } = await vic.get(`/reserve?resource=${resource}`);
  expect([status, plain(text)]).toEqual([200, expect.stringContaining(`${resource} is held by ci-42`)]);
  expect(text).toContain('Your role in this tenant may look, but not reserve.');
  expect(text).not.toContain('name="lease"');
});

test('the history is offered as CSV with an ending chosen, too', async () => {
  const { text } = await (await person()).get('/activity?ending=EXPIRED');
  expect(text).toMatch(/<a href="[^"]*ending=EXPIRED[^"]*">All of it as CSV/);
});

test('each button of a live part has an id, and no two elements have the same', async () => {
  const [ann, operator] = [await person(), await person('operator')];
  const [own, waited] = [randomUUID(), randomUUID()];
  await hold(waited);
  await ann.post('/reserve', { resource: own, lease: '1800' });
  await ann.post('/reserve', { resource: waited, lease: '1800', act: 'wait' });
  for (const someone of [ann, operator])
    for (const path of ['', '/reservations', `/resources/one?name=${waited}`, `/reserve?resource=${own}`]) {
      const { text } = await someone.get(path);
      expect([path, text.match(/<button(?![^>]* id=)[^>]*>/g) ?? []]).toEqual([path, []]);
      const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect([path, ids.filter((id, i) => ids.indexOf(id) !== i)]).toEqual([path, []]);
    }
});
