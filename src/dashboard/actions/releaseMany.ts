/**
 * Releases the reservations that a person selected (docs/specification.md#release), and says which were not released,
 * and why.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import type { UnreserveResult } from '../../contract/reservations.ts';
import { HoldfastError } from '../../domain/errors.ts';
import type { DashboardEnv } from '../env.ts';

/** A reservation as a row names it. */
export interface Hold {
  readonly resource: string;
  readonly requester: string;
}

/** Maximum number of reservations that one form releases. */
const MAX_SELECTED = 500;
/** Failures that a message names. */
const MAX_NAMED = 10;

/** The value of the box that selects a reservation. */
export const textOfHold = ({ resource, requester }: Hold): string => JSON.stringify([resource, requester]);

const Selected = z
  .union([z.string().transform((one) => [one]), z.array(z.string())])
  .pipe(
    z
      .array(
        z
          .string()
          .transform(parse)
          .pipe(z.tuple([z.string(), z.string()])),
      )
      .max(MAX_SELECTED),
  )
  .transform((all) => all.map(([resource, requester]): Hold => ({ resource, requester })));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Reads the form of selected reservations. None may be selected. Rows that are free are selected to be reserved.
 * @throws HoldfastError refused if it is malformed
 */
export async function readSelected(c: Context<DashboardEnv>): Promise<Hold[]> {
  const body = await c.req.parseBody({ all: true }).catch(() => null);
  const { data, error } = z
    .object({ one: Selected.default([]), resource: z.unknown().optional(), back: z.unknown().optional() })
    .strict()
    .safeParse(body);
  if (error !== undefined) throw new HoldfastError('refused', 'The form is malformed.');
  return data.one;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['NOT_RESERVED', 'it is free already'],
  ['DOESNT_OWN_RESERVATION', 'somebody else holds it by now'],
  ['INVALID_RELEASE_TOKEN', 'only its holder and operators may release it'],
]);

/** Says how many were released, and which were not, and why; undefined: all were */
export function failureText(results: readonly UnreserveResult[]): string | undefined {
  const failed = results.filter(({ status }) => status !== 'RELINQUISHED');
  if (failed.length === 0) return undefined;
  const named = failed
    .slice(0, MAX_NAMED)
    .map(
      ({ resource, requester, status, explanation }) =>
        `“${resource}” of ${requester}: ${REASONS.get(explanation) ?? REASONS.get(status) ?? explanation}.`,
    );
  const more = failed.length > MAX_NAMED ? [`And ${failed.length - MAX_NAMED} more.`] : [];
  const done = `${results.length - failed.length} of ${results.length} released.`;
  return [done, 'Not released:', ...named, ...more].join(' ');
}
