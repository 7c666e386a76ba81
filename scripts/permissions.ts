/**
 * Writes docs/permissions.md: every operation of the OpenAPI document, the right that it needs, and who has it. Part of
 * `npm run generate`; a test fails if the file is not current.
 */
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { RIGHTS } from '../src/domain/rights.ts';
import { DEFAULT_INSTANCE, openapiDocument } from '../src/http/openapi.ts';
import { CALLERS } from '../src/http/reference/callers.ts';

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.tuple([z.string()]),
  'x-right': z.enum([...RIGHTS, 'anybody', 'person', 'administrator']),
});
const Document = z.object({
  tags: z.array(z.object({ name: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

/** Every operation of the document, by tag. */
export function operationsOf(document: object) {
  const { tags, paths } = Document.parse(document);
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([
        method,
        {
          operationId,
          summary,
          tags: [tag],
          'x-right': right,
        },
      ]) => ({
        ...{ method: method.toUpperCase(), path, operationId, summary, tag, right },
      }),
    ),
  );
  return tags.flatMap(({ name }) => all.filter(({ tag }) => tag === name));
}

export type DescribedOperation = ReturnType<typeof operationsOf>[number];

const COLUMNS = ['keys', 'people', 'management tokens'] as const;

const HEAD = `# Who may call what

Made by \`npm run generate\` from what the operations declare. Do not edit. [Rights](specification.md#rights) says what the rights mean.

- Keys: \`full\`, \`reserve\` and \`read\` are permissions of API keys. A key with a prefix changes no names but those that begin with it. A \`derived token\` is what an [end user](guides/end-users.md) has. \`all\` includes it.
- People: the roles of a tenant's members, and administrators of the service, who are viewers of a tenant here.
- Management tokens: their scopes.
- \`anybody\` needs no credential, \`person\` the sign-in session of any member.
- Others get 403, and 401 without a valid credential. All credentials of a suspended tenant get 403.
`;

function rowOf({ method, path, summary, right }: DescribedOperation): string {
  const columns = COLUMNS.map((column) => {
    const there = CALLERS.filter((caller) => caller.column === column);
    const met = there.filter(({ meets }) => meets(right)).map(({ name }) => name);
    return met.length === there.length ? 'all' : met.join(', ') || 'none';
  });
  return `| \`${method} ${path}\` | ${summary} | \`${right}\` | ${columns.join(' | ')} |`;
}

/** The page, as text. */
export function permissionsPage(): string {
  const operations = operationsOf(openapiDocument(DEFAULT_INSTANCE));
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const tables = tags.map((tag) => {
    const rows = operations.filter((one) => one.tag === tag).map(rowOf);
    return `## ${tag}

| call | does | right | ${COLUMNS.join(' | ')} |
| --- | --- | --- | ${COLUMNS.map(() => '---').join(' | ')} |
${rows.join('\n')}
`;
  });
  return [HEAD, ...tables].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(new URL('../docs/permissions.md', import.meta.url), permissionsPage());
}
