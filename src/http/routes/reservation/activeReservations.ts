/**
 * GET /api/v1/Reservation/activeReservations: the tenant's reservations in force, as a stream of one JSON array
 * (decisions, section 6).
 */
import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { ActiveReservation as Reservation } from '../../../domain/reservations.ts';
import { active } from '../../../engine/active.ts';
import type { AppEnv, HttpDeps } from '../../env.ts';
import { requesterName, resourceName, time } from '../../fields.ts';
import { answer, parameterOperation } from '../../responses.ts';

const ActiveReservation = z
  .object({
    resource: z.string(),
    requester: z.string(),
    resourceType: z.string(),
    reservedAt: time,
    expiresAt: time.nullable(),
    acquiredSlots: z.record(z.string(), z.string()).nullable(),
    acquiredBlockers: z.array(z.string()).nullable(),
    reservedAtPath: z.string().nullable(),
    fencingToken: z.int(),
    apiKeyLabel: z.string().nullable(),
  })
  .openapi('ActiveReservation');

export const activeReservationsRoute = ({ engine, reads, sizes }: HttpDeps) => {
  // Of the wider type that lets the handler answer with a stream.
  const responses: RouteConfig['responses'] = {
    200: answer('The reservations.', z.array(ActiveReservation)),
    ...parameterOperation,
  };

  const route = createRoute({
    method: 'get',
    path: '/api/v1/Reservation/activeReservations',
    operationId: 'activeReservations',
    tags: ['Reservation'],
    summary: "List the tenant's active reservations",
    description:
      'In no order. Holds every reservation that was there from the start of the call to its end exactly once, however many there are. An answer that breaks off before its closing bracket is incomplete.',
    request: {
      query: z.object({ requester: requesterName(sizes).optional(), resource: resourceName(sizes).optional() }),
    },
    responses,
  });

  return new OpenAPIHono<AppEnv>().openapi(route, async (c) => {
    const { requester, resource } = c.req.valid('query');
    const wanted = (reservation: Reservation) =>
      (requester === undefined || reservation.requester === requester) &&
      (resource === undefined || reservation.resource === resource);
    await reads.charge(c.get('credential'));
    const pages = active(engine, c.get('credential'));
    // The first page is awaited here, so that a fault up to then still has its own status.
    const first = await pages.next();
    const text = arrayText(first, pages, wanted);
    c.header('Content-Type', 'application/json');
    return c.body(ReadableStream.from(text));
  });
};

/** The text of one JSON array, a page at a time. */
async function* arrayText(
  first: IteratorResult<Reservation[]>,
  rest: AsyncGenerator<Reservation[]>,
  wanted: (reservation: Reservation) => boolean,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let text = '[';
  let separator = '';
  for (let page = first; !page.done; page = await rest.next()) {
    for (const reservation of page.value) {
      if (!wanted(reservation)) continue;
      text += separator + JSON.stringify(reservation);
      separator = ',';
    }
    if (text !== '') yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(`${text}]`);
}
