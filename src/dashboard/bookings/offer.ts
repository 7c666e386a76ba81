/**
 * A booking by labels or group is first an offer: it shows which resource it would be, and others that fit, to choose
 * from.
 */

import type { BookBody } from '../../contract/bookings.ts';
import { dryBook } from '../../operations/bookings.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import { refuseField } from '../form.ts';
import { parseLabels } from '../words/labels.ts';
import { type BookForm, timesOf } from './form.ts';
import { type Choice, choicesOf } from './read.ts';

export interface Offer {
  /** The resources that would be booked, each once, in the order of the times. */
  readonly names: readonly string[];
  /** Bookable resources that fit, also those that are taken then. */
  readonly choices: readonly Choice[];
}

/** Labels and group of a form, as the form that shows an offer for them sends them. */
export const askedFor = ({ match, group }: Pick<BookForm, 'match' | 'group'>): string => `${match} ${group}`;

/** The names of an offer, as the form that shows it sends them. */
export const namesText = (names: readonly string[]): string => names.join(', ');

/**
 * Finds out what a form books. To look costs one read for each booking.
 * @param bodyOf makes the request of a form
 * @returns the offer, if the person has not seen it yet; else the request
 * @throws HoldfastError refused if nothing fits; as dryBook()
 */
export async function offerOf(
  deps: DashboardDeps,
  viewer: Viewer,
  form: BookForm,
  bodyOf: (form: BookForm) => BookBody,
): Promise<Offer | BookBody> {
  const { resource, name, match, group, every, insteadOf, shown, shownFor, pick } = form;
  if (resource !== '' || name !== '') return bodyOf(form);
  const isSame = shownFor === askedFor(form);
  if (isSame && pick !== '' && pick !== shown) return bodyOf({ ...form, name: pick });
  const times = timesOf(form, form.at);
  const labels = group !== '' && match === '' ? {} : parseLabels(match);
  const choices = await choicesOf(deps.engine, viewer, { match: labels, group, insteadOf }, times);
  // The API books by labels alone, also what is out of service, and looks at more: else it is the first that is free.
  const first = choices.find(({ startMs }) => startMs === times.startMs) ?? choices[0];
  if (first === undefined && insteadOf !== '') refuseField('match', 'nothing else that is in service has these labels');
  if (first === undefined && group !== '')
    refuseField('match', `nothing in ${group} that can be booked has these labels`);
  const isFree = every === '' && first?.startMs === times.startMs;
  const isNamed = isFree || group !== '' || insteadOf !== '';
  const body = bodyOf(first !== undefined && isNamed ? { ...form, name: first.name } : form);
  const { result } = await dryBook(deps, viewer.credential, body);
  const names = [...new Set(result.bookings.filter(({ status }) => status === 'BOOKED').map((one) => one.resource))];
  const isShown = isSame && namesText(names) === shown;
  return result.status !== 'BOOKED' || isShown ? body : { names, choices };
}
