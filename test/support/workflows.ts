/** The workflows of .github, as they are read by GitHub. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export const FOLDER = '.github/workflows';

const Step = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  env: z.record(z.string(), z.string()).default({}),
});
const Permissions = z.record(z.string(), z.enum(['read', 'write']));
const Workflow = z.looseObject({
  name: z.string(),
  on: z.looseObject({}),
  permissions: Permissions,
  jobs: z.record(
    z.string(),
    z.looseObject({
      needs: z.union([z.string().transform((name) => [name]), z.array(z.string())]).default([]),
      if: z.string().optional(),
      environment: z.string().optional(),
      outputs: z.record(z.string(), z.string()).default({}),
      'timeout-minutes': z.number(),
      permissions: Permissions.optional(),
      strategy: z.unknown().optional(),
      services: z.record(z.string(), z.looseObject({ image: z.string() })).default({}),
      steps: z.array(Step),
    }),
  ),
});
export const readWorkflow = (file: string) => Workflow.parse(parse(readFileSync(join(FOLDER, file), 'utf8')));
export const workflows = readdirSync(FOLDER).map((file) => ({ file, ...readWorkflow(file) }));

/**
 * Returns the job with this name, its commands, and what finds the step with an action.
 * @throws Error if there is none
 */
export function jobOf(file: string, name: string) {
  const job = readWorkflow(file).jobs[name];
  if (job === undefined) throw new Error(`${file} has no job ${name}`);
  const runs = job.steps.flatMap(({ run }) => run ?? []);
  const uses = (action: string) => job.steps.find((step) => step.uses?.startsWith(`${action}@`));
  return { ...job, runs, uses };
}
