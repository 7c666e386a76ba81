/**
 * The tools that only look: `check`, `list_reservations`, `who_is_waiting` and `list_resources`
 * (docs/specification.md#tools).
 */
import { z } from 'zod';
import { CheckResult } from '../../contract/check.ts';
import { Definition } from '../../contract/definitions.ts';
import { item, must, requesterName, resourceName } from '../../contract/fields.ts';
import { ActiveReservation } from '../../contract/reservations.ts';
import { WaitingRequest } from '../../contract/waiting.ts';
import type { Condition } from '../../domain/conditions.ts';
import { LABEL, PATH_DELIMITER } from '../../domain/names.ts';
import { detailsOf, notReadyOf } from '../../engine/definitions/codec.ts';
import type { TreeRow } from '../../engine/definitions/list.ts';
import { listReservations, listTree, listWaiting } from '../../operations/lists.ts';
import { check as carryOut } from '../../operations/reservations.ts';
import { counted, firstRows, limit, more } from '../rows.ts';
import { tool } from '../tool.ts';
import { holderText, lines, noteText, quoted, reasonText, requester, timeText, untilText } from '../words.ts';

const PURPOSES: Readonly<Record<Condition, string>> = { ready: '', dirty: ' to clean it', out: ' to repair it' };
const purposeText = (condition: Condition = 'ready') => PURPOSES[condition];

const countText = (count = 1) => (count > 1 ? `${count} of ` : '');

const resource = resourceName.optional().meta({ description: 'Only for this resource.', example: 'port-3000' });
const byRequester = requesterName.optional().meta({ description: 'Only of this requester.' });

export const check = tool({
  name: 'check',
  title: 'See who holds a resource',
  description:
    'See whether resources are free, who holds them, until when, and how many wait. Changes nothing. What is free now may be taken a moment later: to use a resource, reserve it.',
  right: 'read',
  isDestructive: null,
  input: item({
    resources: z
      .array(resourceName, { error: must('an array of 1 to 50 names') })
      .min(1, 'must be an array of 1 to 50 names')
      .max(50, 'must be an array of 1 to 50 names')
      .meta({ description: 'The names of the resources.', example: ['port-3000'] }),
    requester,
  }),
  output: z.object({ resources: z.array(CheckResult) }),
  run: async ({ deps, credential, requester }, input) => {
    const who = requester.find(input.requester);
    const items = input.resources.map((resource) => ({ resource, requester: who }));
    const { result, quota } = await carryOut(deps, credential, items);
    return { message: result.map(checkText).join('\n'), fields: { resources: result }, quota };
  },
});

function checkText(one: CheckResult): string {
  const { resource, reserved, heldByRequester, reservable, waiting, expiresAt, note, reason, condition } = one;
  const queue = waiting === 0 ? '' : `; ${waiting} waiting`;
  if (heldByRequester === true)
    return `${quoted(resource)}: held by you ${untilText(expiresAt)}${noteText(note)}${queue}`;
  if (one.mode === 'SHARED') return `${quoted(resource)}: held SHARED by ${one.holders ?? 'several'}${queue}`;
  const isHeld = one.requester !== null;
  if (condition !== undefined && !isHeld) return `${quoted(resource)}: ${conditionText(one)}${queue}`;
  const why = reason === undefined ? '' : `: ${reasonText(reason)}`;
  const [holder] = reason?.holders ?? [];
  const isPlain = holder !== undefined && holder.requester === one.requester;
  const held = isPlain ? holderText({ ...holder, expiresAt: holder.until }) : `nothing is free${why}`;
  if (reserved) return `${quoted(resource)}: ${held}${queue}`;
  const kept = reservable === false ? `, but you cannot have it now${why}` : '';
  const booked = one.bookedFrom === undefined ? '' : `, booked from ${timeText(one.bookedFrom)}`;
  return `${quoted(resource)}: free${kept}${booked}${queue}`;
}

const conditionText = ({ condition, conditionReason }: CheckResult): string =>
  `${condition === 'out' ? 'out of service' : 'needs cleaning'}${conditionReason === undefined ? '' : `: ${conditionReason}`}`;

export const listReservationsTool = tool({
  name: 'list_reservations',
  title: 'List reservations',
  description:
    'List what is reserved now, by whom, until when and what for. Changes nothing. Release tokens are never shown: to get yours again, call reserve with the same resource and requester.',
  right: 'read',
  isDestructive: null,
  input: item({ requester: byRequester, resource, limit }),
  output: z.object({ reservations: z.array(ActiveReservation), more }),
  run: async ({ deps, credential }, { limit, ...filter }) => {
    const list = await listReservations(deps, credential, filter);
    const { rows, more } = await firstRows(list, limit);
    const texts = rows.map((row) => `${quoted(row.resource)}: ${holderText({ ...row, since: row.reservedAt })}`);
    const message = lines(counted(rows, more, 'Nothing is reserved.', ['reservation', 'reservations']), texts);
    return { message, fields: { reservations: rows, more }, quota: list.quota };
  },
});

export const whoIsWaiting = tool({
  name: 'who_is_waiting',
  title: 'See who is waiting',
  description: 'List who waits for resources, first in the queue first, since when and until when. Changes nothing.',
  right: 'read',
  isDestructive: null,
  input: item({ resource, requester: byRequester, limit }),
  output: z.object({ waiting: z.array(WaitingRequest), more }),
  run: async ({ deps, credential }, { limit, ...filter }) => {
    const list = await listWaiting(deps, credential, filter);
    const { rows, more } = await firstRows(list, limit);
    const texts = rows.map(
      ({ requester, waitsFor, resources, counts, conditions, since, until, note }) =>
        `"${requester}" waits for ${countText(counts[resources.indexOf(waitsFor)])}${quoted(waitsFor)}${purposeText(conditions?.[resources.indexOf(waitsFor)])} since ${since}, ${untilText(until)}${noteText(note)}`,
    );
    const message = lines(
      counted(rows, more, 'Nobody is waiting.', ['waiting', 'waiting, in the order of the queue']),
      texts,
    );
    return { message, fields: { waiting: rows, more }, quota: list.quota };
  },
});

const Resource = Definition.omit({ blocks: true, treePath: true }).extend({
  path: z.string().meta({ description: 'From the root down, its own name included.' }),
  available: z.int().nullable().meta({ description: 'Slots that are free and ready; null for a group.' }),
  waiting: z.int().meta({ description: 'The number of requests that wait for it.' }),
});

export const listResources = tool({
  name: 'list_resources',
  title: 'List resources',
  description:
    'List the resources that are registered, with their slots, free slots, labels and how many wait. Changes nothing. Look here for the right name before you reserve. Unless the team requires registration, names that are not listed can be reserved too.',
  right: 'definitions',
  isDestructive: null,
  input: item({
    label: z.string().regex(LABEL, 'must be <key>=<value>').optional().meta({
      description: 'Only those with this label: <key>=<value>.',
      example: 'os=android',
    }),
    limit,
  }),
  output: z.object({ resources: z.array(Resource), more }),
  run: async ({ deps, credential }, { label, limit }) => {
    const list = await listTree(deps, credential);
    const withPath = pathsOf();
    const paged = { ...list, pages: mapPages(list.pages, withPath) };
    const { rows, more } = await firstRows(paged, limit, (row) => label === undefined || hasLabel(row, label));
    const message = lines(
      counted(rows, more, 'No such resource is registered.', ['resource', 'resources']),
      rows.map(resourceText),
    );
    return { message, fields: { resources: rows, more }, quota: list.quota };
  },
});

type Resource = z.output<typeof Resource>;

const hasLabel = ({ labels = {} }: Resource, label: string): boolean =>
  Object.entries(labels).some(([key, value]) => `${key}=${value}` === label);

function resourceText(resource: Resource): string {
  const { path, capacity, available, waiting, labels, bookable = false, outOfService = 0, dirty = 0 } = resource;
  const free = capacity === null ? 'group' : `${available} of ${capacity} free${bookable ? ', bookable' : ''}`;
  const notReady = `${outOfService > 0 ? `, ${outOfService} out of service` : ''}${dirty > 0 ? `, ${dirty} dirty` : ''}`;
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return `${quoted(path)}: ${free}${notReady}${waiting > 0 ? `, ${waiting} waiting` : ''}${pairs.length > 0 ? `, ${pairs.join(' ')}` : ''}`;
}

/** Gives each row its path. Rows come from the roots down. */
function pathsOf(): (row: TreeRow) => Resource {
  const path: string[] = [];
  return ({ name, depth, capacity, available, waiting, labels, isBookable, outOfService, dirty }) => {
    path.length = depth;
    path.push(name);
    const details = detailsOf(capacity === null, labels);
    return {
      name,
      path: path.join(PATH_DELIMITER),
      capacity,
      available,
      waiting,
      ...details,
      ...(isBookable && { bookable: true }),
      ...notReadyOf({ outOfService, dirty }),
    };
  };
}

async function* mapPages<Row, Result>(
  pages: AsyncIterable<readonly Row[]>,
  change: (row: Row) => Result,
): AsyncGenerator<readonly Result[]> {
  for await (const page of pages) yield page.map(change);
}
