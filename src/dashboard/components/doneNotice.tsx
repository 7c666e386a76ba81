/**
 * The toast about a form that was carried out: what was done, to what, and until when; and Undo for a release.
 */
import { MAX_NAME_LENGTH } from '../../domain/maxSizes.ts';
import { nameFault } from '../../domain/names.ts';
import type { Released } from '../actions/undoable.ts';
import type { Viewer } from '../env.ts';
import { ordinal } from '../words/numbers.ts';
import { Icon } from './icon.tsx';
import { resourcePath } from './resourceTree.tsx';
import { Clock } from './when.tsx';

/**
 * The notice about a form that was carried out, by the `done` of the address that it leads to; and what is said
 * besides, smaller. `{}` is the name that it was done to, `{whom}` the person, `{start}` the begin, `{until}` the end,
 * `{n}` a number, `{was}` the number before, `{place}` a place in a queue. With a begin, the name leads to the
 * resource's days around it.
 */
const DONE: ReadonlyMap<string, readonly [string, string?]> = new Map(
  Object.entries({
    created: ['The key is created.'],
    rotated: ['The key has a new value.', 'The old one no longer works.'],
    deleted: ['{} is deleted.'],
    revoked: ['It is revoked.', 'It no longer works.'],
    booked: ['{} is booked for you{start}{until}.'],
    bookedFor: ['{} is booked for {whom}{start}{until}.'],
    bookedMany: ['{} is booked {n} times{start}{until}.'],
    replaced: ['{} is booked{start}{until}.', 'The booking before is cancelled.'],
    moved: ['{} is booked{start}{until}.', 'The booking is changed.'],
    unbooked: ['The booking of {} is cancelled.'],
    unbookedMany: ['{n} bookings of {} are cancelled.'],
    here: ['{} is yours{until}.'],
    reserved: ['{} is yours{until}.'],
    reservedMany: ['{} are yours{until}.'],
    extended: ['{} is yours{until}.', 'It is extended.'],
    released: ['{} is released.'],
    undone: ['{} is yours again{until}.'],
    releasedMany: ['The selected reservations are released.'],
    out: ['{} is out of service.', 'Nobody gets it until it is back.'],
    back: ['{} is back in service.'],
    clean: ['{} is marked as clean.'],
    broken: ['{} is released, and out of service.', 'Nobody gets it until it is back.'],
    soiled: ['{} is released.', 'Nobody gets it until it is marked as clean.'],
    readied: ['{} is released, and ready to use.'],
    asBefore: ['{} is as it was before.'],
    taken: [
      '{} is taken away.',
      'A program learns it when it next renews or releases, a person on these pages or by their notices.',
    ],
    waiting: ['You are {place}in the queue for {}.'],
    left: ['You have left the queue.'],
    cancelled: ['The wait has ended.'],
    reset: ['All reservations are released.'],
    registered: ['{} is registered.'],
    changed: ['{} is changed.'],
    resized: ['{} has {n} instead of {was} slots.'],
    demo: ['{n} demo resources are added.', 'One click on Resources removes them again.'],
    demoRemoved: ['The demo data is removed.'],
    demoKept: ['The demo data is removed, except for {n}.', 'Somebody uses them, or has put something below them.'],
    saved: ['Saved.'],
    savedEnded: ['Saved.', '{n} of those who waited lost their place: the settings do not allow it any more.'],
    pushOn: ['Push is on for this device.'],
    pushOff: ['Push is off for this device.'],
    tenantCreated: ['The tenant is created.'],
    leftTenant: ['You have left the tenant.'],
    lowered: ['Saved.', 'The lower role holds now.'],
    removed: ['Removed.', 'Their sessions have ended.'],
    transferred: ['You are an operator now.'],
    suspended: ['The tenant is suspended.'],
    resumed: ['The suspension has ended.'],
  } satisfies Record<string, [string, string?]>),
);

/** Time for which pages offer to take a release back, besides Mine. */
const OFFERED_MS = 60_000;

/** Says what was just done. Otherwise it offers to take back the last release, if that is still possible. */
export const Toast = ({ done, viewer }: { done: string | undefined; viewer: Viewer | null }) => {
  if (done !== undefined) return <DoneNotice done={done} viewer={viewer} />;
  const released = viewer?.releases.find(({ atMs }) => Date.now() - atMs < OFFERED_MS);
  if (viewer === null || released === undefined) return null;
  return (
    <div class="toast">
      <p>
        <strong>{released.resource} is released.</strong>
      </p>
      <UndoRelease resource={released.resource} back={viewer.page} />
    </div>
  );
};

/** @param props.viewer whose page says in its address to what it was done, and until when */
const DoneNotice = ({ done, viewer }: { done: string; viewer: Viewer | null }) => {
  const said = DONE.get(done);
  if (said === undefined) return null;
  const [text, more] = said;
  const { searchParams } = new URL(viewer?.page ?? '', 'http://own');
  const what = searchParams.get('what') ?? '';
  const [count, was] = ['count', 'was'].map((name) => /^\d{1,6}$/.exec(searchParams.get(name) ?? '')?.[0]);
  const released = releasedNow(done, what, viewer);
  const changed = CHANGES.has(done) && viewer?.changed?.resource === what;
  return (
    <div class="toast">
      <p>
        <strong>
          <Sentence
            text={text
              .replace('{n}', count ?? 'some')
              .replace('{was}', was ?? 'other')
              .replace('{place}', count === undefined ? '' : `${ordinal(Number(count))} `)}
            what={what}
            whom={searchParams.get('whom')}
            start={searchParams.get('start')}
            until={searchParams.get('until')}
          />
        </strong>{' '}
        <span class="meta">
          {done === 'released' && count !== undefined ? waitingText(count) : more?.replace('{n}', count ?? 'Some')}
          {done === 'waiting' && <At word="Expected about" time={searchParams.get('start')} />}
        </span>
      </p>
      {released.map(({ resource }, i) => (
        <UndoRelease
          resource={resource}
          back={viewer?.page ?? ''}
          id={i === 0 ? undefined : `undo-${i}`}
          isNamed={done === 'releasedMany'}
        />
      ))}
      {viewer && changed && (
        <Undo action="/dashboard/condition/undo" of="the change" resource={what} back={viewer.page} />
      )}
    </div>
  );
};

/** Returns the releases that the toast reports, without those that cannot be taken back. */
function releasedNow(done: string, what: string, viewer: Viewer | null): readonly Released[] {
  const [newest, ...others] = viewer?.releases ?? [];
  if (done === 'released') return (viewer?.releases ?? []).filter(({ resource }) => resource === what);
  if (done !== 'releasedMany' || newest === undefined || Date.now() - newest.atMs > OFFERED_MS) return [];
  return [newest, ...others.filter(({ atMs }) => atMs === newest.atMs)];
}

const waitingText = (count: string) =>
  count === '0' ? 'Nobody waits for it.' : `It goes to the next of ${count} waiting.`;

interface SentenceProps {
  readonly text: string;
  readonly what: string;
  readonly whom: string | null;
  readonly start: string | null;
  readonly until: string | null;
}

const Sentence = ({ text, what, whom, start, until }: SentenceProps) => {
  const isName = what !== '' && nameFault(what, MAX_NAME_LENGTH) === null;
  const startMs = text.includes('{start}') ? Date.parse(start ?? '') : Number.NaN;
  return (
    <>
      {text.split(/(\{\w*\})/).map((part, i) => {
        if (part === '{}' && isName) return Number.isNaN(startMs) ? what : <a href={daysPath(what, startMs)}>{what}</a>;
        if (part === '{}') return i === 1 && text.startsWith('{}') ? 'It' : 'it';
        if (part === '{whom}') return whom?.slice(0, MAX_NAME_LENGTH) || 'another person';
        if (part === '{start}') return <At word="from" time={start} />;
        return part === '{until}' ? <At word={text.includes('{start}') ? 'to' : 'until'} time={until} /> : part;
      })}
    </>
  );
};

/** The page of a resource, with the week that a time is in. */
const daysPath = (name: string, atMs: number): string => `${resourcePath(name)}&at=${atMs}`;

/** A time, if there is one. */
const At = ({ word, time }: { word: string; time: string | null }) => {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? null : (
    <>
      {' '}
      {word} <Clock at={ms} />
    </>
  );
};

/** Changes of a condition. */
const CHANGES: ReadonlySet<string> = new Set(['out', 'back', 'clean']);

interface UndoProps {
  readonly action: string;
  readonly of: string;
  readonly resource: string;
  readonly back: string;
  readonly id?: string | undefined;
  /** True if the button shows the name: there are others beside it. */
  readonly isNamed?: boolean;
}

/** The button that takes a release back. @param props.id of the button */
export const UndoRelease = (of: Pick<UndoProps, 'resource' | 'back' | 'id' | 'isNamed'>) => (
  <Undo action="/dashboard/undo" of="the release" {...of} />
);

const Undo = ({ action, of, resource, back, id = 'undo', isNamed = false }: UndoProps) => (
  <form method="post" action={action}>
    <input type="hidden" name="resource" value={resource} />
    <input type="hidden" name="back" value={back} />
    <button type="submit" id={id}>
      <Icon name="undo" /> Undo
      {isNamed ? (
        ` ${resource}`
      ) : (
        <span class="out-of-sight">
          {' '}
          {of} of {resource}
        </span>
      )}
    </button>
  </form>
);
