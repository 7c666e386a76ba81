/**
 * The notice about a form that was carried out: what was done, to what, and until when.
 */
import { nameFault } from '../../domain/names.ts';
import type { Viewer } from '../env.ts';
import { When } from './when.tsx';

/** Notices about a form that was carried out, by the `done` of the address that it leads to. */
const DONE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    created: 'The key is created.',
    rotated: 'The key has a new value. The old one no longer works.',
    deleted: '{} is deleted.',
    reserved: '{} is yours{until}.',
    extended: '{} is extended{until}.',
    released: '{} is released.',
    releasedMany: 'The selected reservations are released.',
    taken: '{} is taken away. The holder learns it when it next renews or releases.',
    waiting: 'You are in the queue for {}.',
    left: 'You have left the queue.',
    cancelled: 'The wait has ended.',
    reset: 'All reservations are released.',
    registered: '{} is registered.',
    saved: 'Saved.',
    tenantCreated: 'The tenant is created.',
    leftTenant: 'You have left the tenant.',
    lowered: 'Saved. The lower role holds now.',
    removed: 'Removed. Their sessions have ended.',
    transferred: 'You are an operator now.',
    suspended: 'The tenant is suspended.',
    resumed: 'The suspension has ended.',
  }),
);

const MAX_NAME_LENGTH = 256;

/** @param props.viewer whose page says in its address to what it was done, and until when */
export const DoneNotice = ({ done, viewer }: { done: string; viewer: Viewer | null }) => {
  const text = DONE.get(done);
  if (text === undefined) return null;
  const { searchParams } = new URL(viewer?.page ?? '', 'http://own');
  const what = searchParams.get('what') ?? '';
  const until = Date.parse(searchParams.get('until') ?? '');
  const isName = what !== '' && nameFault(what, MAX_NAME_LENGTH) === null;
  const [before = '', after = ''] = text.split('{}');
  const [middle = '', end] = after.split('{until}');
  return (
    <p class="notice good" role="status">
      {before}
      {text.includes('{}') && (isName ? <strong>{what}</strong> : before === '' ? 'It' : 'it')}
      {middle}
      {end !== undefined && !Number.isNaN(until) && (
        <>
          {' '}
          until <When at={until} as="at" />
        </>
      )}
      {end}
    </p>
  );
};
