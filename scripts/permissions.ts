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

Every call, the right that it needs, and which keys, people and management tokens have this right. Example: a key with
the permission \`read\` may call \`GET /api/v1/events\`, but not \`POST /api/v1/Reservation/reserve\`.

| column | lists |
| --- | --- |
| right | what the call needs: [Rights](specification.md#rights). \`anybody\`: no credential. \`person\`: any member who has signed in |
| keys | the permissions of API keys: \`full\`, \`reserve\`, \`read\`. \`full with a prefix\` may only change names with its prefix. A \`derived token\` is the one of an [end user](guides/end-users.md) |
| people | the roles of members: viewer, member, operator, owner. An \`administrator\` of the service counts as a viewer here |
| management tokens | the [scopes](specification.md#management-tokens) of which a token needs one |

\`all\` means each one that the column can list. A caller without the right gets a 403, a caller without a valid credential
a 401. A suspended tenant gets a 403 for everything.

The program makes this page from the declarations of the calls (\`npm run generate\`): do not edit it.
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
