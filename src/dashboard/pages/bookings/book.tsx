/**
 * Books a resource, or any with some labels, for a time ahead, once or repeated. If the time is taken, the page says by
 * whom, and offers the next one that fits.
 */
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { BookBody, type BookResult } from '../../../contract/bookings.ts';
import { PATH_DELIMITER } from '../../../domain/names.ts';
import type { Terms } from '../../../domain/tenants.ts';
import { readTerms } from '../../../engine/tenant/record.ts';
import { requesterOf } from '../../../engine/tenant/signIns.ts';
import { book, cancelBookings } from '../../../operations/bookings.ts';
import { readLab } from '../../board/lab.ts';
import { type Already, textOfWarned, warningOf } from '../../bookings/already.ts';
import { BookForm, itemOf, MAX_MS, suggestedTimes, timesOf, typedTimes, wantedOf } from '../../bookings/form.ts';
import { askedFor, namesText, type Offer, offerOf } from '../../bookings/offer.ts';
import { BOOK } from '../../bookings/paths.ts';
import { likeOf, nextTime } from '../../bookings/read.ts';
import { AlreadyNotice } from '../../components/alreadyNotice.tsx';
import {
  ClaimField,
  NoteField,
  OfferFields,
  RepeatFields,
  RequesterField,
  TimeFields,
  WantedFields,
} from '../../components/bookingFields.tsx';
import { showFailure } from '../../components/failurePage.tsx';
import { Buttons, FormPage } from '../../components/formPage.tsx';
import { HiddenFields } from '../../components/hiddenFields.tsx';
import { NowOrLater } from '../../components/nowOrLater.tsx';
import type { DashboardDeps, DashboardEnv, Viewer } from '../../env.ts';
import { attempt, check, type Failed, readForm, readQuery } from '../../form.ts';
import { backTo, ownPath } from '../../paths.ts';
import { type Colleague, colleagues, isOwnOf, type NameOf, namesOf } from '../../people.ts';
import { may, needs } from '../../viewer.ts';
import { withKeys } from '../../words/labels.ts';
import { rangeText } from '../../words/moments.ts';
import { whyNotBooked } from '../../words/refusalWords.ts';
import { zoneOf } from '../../zone.ts';

const moment = z.coerce.number().int().min(0).lt(MAX_MS).optional().catch(undefined);

const Query = z.object({
  resource: z.string().default(''),
  match: z.string().default(''),
  /** A start and an end, in ms since 1970 UTC. */
  from: moment,
  to: moment,
  note: z.string().optional(),
  requester: z.string().default(''),
  instead: z.string().default(''),
  insteadOf: z.string().default(''),
  back: z.string().optional(),
});

/** A time that fits instead, and how long it is. */
interface Suggestion {
  readonly startMs: number;
  readonly endMs: number;
}

export const bookRoutes = (deps: DashboardDeps) => {
  const show = async (c: Context<DashboardEnv>, typed: BookForm, said: Said = {}) => {
    const { viewer } = c.var;
    const terms = await readTerms(deps.engine, viewer.credential);
    const people = may(viewer, 'force') ? await colleagues(deps, viewer) : [];
    const groups = typed.resource === '' ? await groupsOf(deps, viewer) : [];
    const props = { viewer, typed, terms, people, groups, zone: zoneOf(c), ...said };
    return c.html(<BookPage {...props} />, said.failed?.status ?? 200);
  };

  const finish = async (c: Context<DashboardEnv>, form: BookForm, result: BookResult) => {
    const { viewer } = c.var;
    const { status, bookings } = result;
    const zone = zoneOf(c);
    const booked = bookings.filter((one) => one.status === 'BOOKED');
    const failed = bookings.filter((one) => one.status === 'CONFLICT' || one.status === 'NOT_VALID');
    const nameOf = await namesOf(deps, viewer, [
      ...failed.flatMap(({ conflict }) => conflict?.requester ?? []),
      ...booked.slice(0, 1).map(({ requester }) => requester),
    ]);
    const lines = linesOf(failed, nameOf, zone);
    const [first] = booked;
    if (status !== 'BOOKED' || first === undefined) {
      const one = form.every === '' && lines[0] !== undefined ? lines[0].why : '';
      const fault = one || `${lines.length} of ${bookings.length} times cannot be booked. ${textOf(lines)}`;
      // The message says why it was not booked, also if no other time can be found.
      const other = status === 'CONFLICT' ? await suggest(deps, viewer, form).catch(() => null) : null;
      return show(c, { ...form, at: undefined }, { failed: { status: 409, fault }, other });
    }
    if (lines.length > 0) return c.html(<LeftOutPage {...{ viewer, form, lines, zone, booked: booked.length }} />);
    const { resource, requester, start, end } = first;
    if (form.instead !== '') {
      const before = { booking: form.instead };
      const tried = await attempt(deps, c, () => cancelBookings(deps, viewer.credential, before));
      if (!tried.ok) return showFailure(c, `${resource} is booked; ${form.insteadOf} still is, too`, form.back, tried);
    }
    const done = form.instead !== '' ? 'replaced' : isOwnOf(viewer)(requester) ? 'booked' : 'bookedFor';
    const said =
      form.every === ''
        ? { done, start, until: end }
        : { done: 'bookedMany', start, until: booked.at(-1)?.end, count: String(booked.length) };
    return c.redirect(backTo(form.back, { ...said, what: resource, whom: nameOf(requester) }), 303);
  };

  return new Hono<DashboardEnv>()
    .use(BOOK, needs('reserve'))
    .get(BOOK, async (c) => show(c, await linkedForm(deps, c.var.viewer, readQuery(c, Query))))
    .post(BOOK, async (c) => {
      const typed = await readForm(c, BookForm, true);
      const { viewer } = c.var;
      const form = await withWholeLabels(deps, viewer, typed);
      const bodyOf = bodyFor(viewer, zoneOf(c));
      const tried = await attempt(deps, c, async () => {
        const found = await offerOf(deps, viewer, form, bodyOf);
        if ('names' in found) return found;
        const already = await warningOf(deps.engine, viewer.credential, form, found.bookings[0]);
        return already ?? (await book(deps, viewer.credential, found)).result;
      });
      if (!tried.ok) return show(c, form, { failed: tried });
      const { result } = tried;
      if ('bookings' in result) return finish(c, form, result);
      // The times of a suggestion that was taken are those of the form from now on.
      const again = { ...form, ...typedTimes(timesOf(form, form.at)), at: undefined };
      if ('isHeld' in result) return show(c, { ...again, despite: textOfWarned(again) }, { already: result });
      const seen = { shown: namesText(result.names), shownFor: askedFor(form) };
      return show(c, { ...again, ...seen }, { offer: result });
    });
};

/** The form as a link fills it in. */
async function linkedForm({ engine }: DashboardDeps, { credential }: Viewer, query: z.output<typeof Query>) {
  const { from, to, ...fields } = query;
  const { startMs, endMs } = suggestedTimes(from ?? null, Date.now());
  const like = fields.insteadOf === '' ? {} : await likeOf(engine, credential, fields.insteadOf);
  return BookForm.parse({ ...fields, ...like, ...typedTimes({ startMs, endMs: to ?? endMs }) });
}

/** Makes the request that a form asks for. */
const bodyFor =
  ({ user }: Viewer, zone: string) =>
  (form: BookForm): BookBody => ({
    bookings: check(BookBody.shape.bookings, [itemOf(form, requesterOf(user), zone)]),
    skipConflicts: form.skip !== undefined,
  });

/** The next time that fits; null: none is known, or the form asks for a series. */
async function suggest({ engine }: DashboardDeps, viewer: Viewer, form: BookForm): Promise<Suggestion | null> {
  if (form.every !== '') return null;
  const times = timesOf(form, form.at);
  const startMs = await nextTime(
    engine,
    viewer,
    { ...wantedOf(form), group: form.group, insteadOf: form.insteadOf },
    times,
  );
  return startMs === null ? null : { startMs, endMs: startMs + times.endMs - times.startMs };
}

/** Adds the keys of labels that the person left out, and takes a group that they named among them as the group. */
async function withWholeLabels(deps: DashboardDeps, viewer: Viewer, typed: BookForm): Promise<BookForm> {
  if (typed.match === '') return typed;
  const { labels } = await readLab(deps.engine, viewer.credential);
  const parts = withKeys(typed.match, labels).split(', ');
  const nameOf = (path: string) => path.slice(path.lastIndexOf(PATH_DELIMITER) + 1);
  const isNamed = (path: string) => (part: string) => part.toLowerCase() === nameOf(path).toLowerCase();
  const named = (await groupsOf(deps, viewer)).find((path) => parts.some(isNamed(path)));
  if (named === undefined) return { ...typed, match: parts.join(', ') };
  const rest = parts.filter((part) => !isNamed(named)(part));
  return { ...typed, group: typed.group || named, match: rest.join(', ') };
}

/** The groups that have something to book, by their paths. */
async function groupsOf({ engine }: DashboardDeps, { credential }: Viewer): Promise<string[]> {
  const { nodes } = await readLab(engine, credential);
  const all = new Set(nodes.filter(({ isBookable }) => isBookable).map(({ group }) => group));
  return [...all].filter((group) => group !== '');
}

interface Line {
  readonly when: string;
  readonly why: string;
}

const linesOf = (all: BookResult['bookings'], nameOf: NameOf, zone: string): Line[] =>
  all.map((one) => ({
    when: rangeText(Date.parse(one.start), Date.parse(one.end), zone),
    why: whyNotBooked(one, nameOf, zone, Date.now()),
  }));

/** Times of a series that a message lists. */
const MAX_LISTED = 5;

const textOf = (lines: readonly Line[]): string =>
  [
    ...lines.slice(0, MAX_LISTED).map(({ when, why }) => `${when}: ${why}`),
    ...(lines.length > MAX_LISTED ? [`And ${lines.length - MAX_LISTED} more.`] : []),
    'Leave out the times that are taken, or choose others.',
  ].join(' ');

/** What the page says beside the form. */
interface Said {
  readonly failed?: Failed;
  /** A time that fits instead; null: none is known */
  readonly other?: Suggestion | null;
  /** What is booked at the next press. */
  readonly offer?: Offer;
  /** Warns that the requester has, or has booked, the same at that time. */
  readonly already?: Already;
}

interface BookPageProps extends Said {
  readonly viewer: Viewer;
  readonly typed: BookForm;
  readonly terms: Terms;
  /** Whom a booking can be for, as far as they are known. */
  readonly people: readonly Colleague[];
  readonly groups: readonly string[];
  readonly zone: string;
}

const BookPage = (props: BookPageProps) => {
  const { viewer, typed, terms, people, groups, failed, other = null, offer, already, zone } = props;
  const { resource, requester, shown, shownFor, pick, despite, instead, insteadOf } = typed;
  const back = ownPath(typed.back);
  const title = instead === '' ? `Book ${resource}`.trim() : `Book another instead of ${insteadOf}`;
  return (
    <FormPage title={title} viewer={viewer} failed={failed}>
      {resource !== '' && <NowOrLater resource={resource} back={back} at="later" />}
      <form class="stack" method="post" action={BOOK}>
        <HiddenFields
          fields={{
            ...(resource === '' ? {} : { resource }),
            ...(instead === '' ? {} : { instead, insteadOf, requester }),
            ...(offer === undefined ? {} : { shown, shownFor }),
            ...(already === undefined ? {} : { shown, shownFor, pick, despite }),
            back,
          }}
        />
        {other !== null && (
          <button type="submit" id="suggested" name="at" value={String(other.startMs)}>
            Book {rangeText(other.startMs, other.endMs, zone)} instead
          </button>
        )}
        {resource === '' && (
          <WantedFields typed={typed} groups={groups} isFirst={offer === undefined} failed={failed} />
        )}
        <TimeFields
          typed={typed}
          failed={failed}
          isAside={resource === '' || offer !== undefined || already !== undefined}
        />
        {instead === '' && may(viewer, 'force') && <RequesterField typed={typed} failed={failed} people={people} />}
        <NoteField typed={typed} failed={failed} isRequired={terms.requireNote} />
        {instead === '' && <RepeatFields typed={typed} failed={failed} />}
        <ClaimField typed={typed} failed={failed} />
        {offer !== undefined && <OfferFields offer={offer} startMs={timesOf(typed).startMs} />}
        {already !== undefined && <AlreadyNotice already={already} isOwn={requester === ''} zone={zone} />}
        <Buttons back={back}>
          <button
            type="submit"
            class="primary"
            id="book"
            {...(offer !== undefined && { autofocus: true, 'aria-describedby': 'offer' })}
            {...(already !== undefined && { autofocus: true, 'aria-describedby': 'already' })}
          >
            {/* The labels may be changed after the offer: its fields name what they get, the button does not. */}
            {already !== undefined ? 'Book it all the same' : offer === undefined ? 'Book it' : 'Book'}
            {instead === '' ? '' : `, and cancel ${insteadOf}`}
          </button>
        </Buttons>
      </form>
    </FormPage>
  );
};

interface LeftOutPageProps {
  readonly viewer: Viewer;
  readonly form: BookForm;
  readonly lines: readonly Line[];
  readonly zone: string;
  readonly booked: number;
}

/** After a series of which some times were taken. */
const LeftOutPage = ({ viewer, form, lines, booked }: LeftOutPageProps) => (
  <FormPage title={`${booked} booked, ${lines.length} left out`} viewer={viewer}>
    <ul>
      {lines.map(({ when, why }) => (
        <li>
          <strong>{when}</strong> {why}
        </li>
      ))}
    </ul>
    <p class="form-buttons">
      <a class="button primary" href={ownPath(form.back)}>
        Back to the page
      </a>
    </p>
  </FormPage>
);
