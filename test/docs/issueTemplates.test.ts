/** The forms of .github/ISSUE_TEMPLATE are what GitHub shows: a form with a mistake is not shown at all. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = '.github/ISSUE_TEMPLATE';
/** Labels that a repository has from the start. Others would have to be made by hand. */
const Label = z.enum(['bug', 'enhancement', 'documentation', 'question']);

const described = { label: z.string(), description: z.string().optional() };
const validations = z.strictObject({ required: z.boolean() }).optional();
const Field = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
  z.strictObject({
    type: z.literal('textarea'),
    attributes: z.strictObject({ ...described, render: z.string().optional() }),
    validations,
  }),
  z.strictObject({
    type: z.literal('dropdown'),
    attributes: z.strictObject({ ...described, options: z.array(z.string()).min(2) }),
    validations,
  }),
]);
const Form = z.strictObject({
  name: z.string().min(3),
  description: z.string().min(3),
  labels: z.array(Label),
  body: z.array(Field),
});
const Links = z.strictObject({
  blank_issues_enabled: z.boolean(),
  contact_links: z.array(z.strictObject({ name: z.string(), url: z.url(), about: z.string() })),
});

const read = (file: string): unknown => parse(readFileSync(`${FOLDER}/${file}`, 'utf8'));
const forms = readdirSync(FOLDER).filter((file) => file !== 'config.yml');

test.each(forms)('%s is a form that GitHub shows', (file) => {
  const { body } = Form.parse(read(file));
  const labels = body.flatMap((field) => (field.type === 'markdown' ? [] : field.attributes.label));
  expect(new Set(labels).size).toBe(labels.length);
  expect(labels.length).toBeGreaterThan(0);
});

test('vulnerabilities have a private way', () => {
  expect(Links.parse(read('config.yml')).contact_links.map(({ url }) => url)).toContainEqual(
    expect.stringMatching(/\/security\/advisories\/new$/),
  );
});
