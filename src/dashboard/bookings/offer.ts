/**
 * The resources that a booking by labels would get, shown before it is made (docs/specification.md#booking).
 */
import type { BookBody } from '../../contract/bookings.ts';
import { dryBook } from '../../operations/bookings.ts';
import type { DashboardDeps, Viewer } from '../env.ts';
import { parseLabels } from '../words/labels.ts';
import type { BookForm } from './form.ts';
import { namesWith } from './read.ts';

export interface Offer {
  /** The resources that would be booked, each once, in the order of the times. */
  readonly names: readonly string[];
  /** All bookable resources with the labels, at whatever time they are free. */
  readonly fits: readonly string[];
}

/**
 * Finds out what a form would book that names labels. It costs one read for each booking.
 * @returns null: the person has seen that already, it names no labels, or it cannot be booked
 * @throws as dryBook()
 */
export async function offerOf(
  deps: DashboardDeps,
  { credential }: Viewer,
  { resource, name, match, shown }: BookForm,
  body: BookBody,
): Promise<Offer | null> {
  if (resource !== '' || name !== '') return null;
  const { result } = await dryBook(deps, credential, body);
  const booked = result.bookings.filter(({ status }) => status === 'BOOKED');
  const names = [...new Set(booked.map((one) => one.resource))];
  if (result.status !== 'BOOKED' || namesText(names) === shown) return null;
  return { names, fits: await namesWith(deps.engine, credential, parseLabels(match)) };
}

/** The names of an offer, as the form that shows it sends them. */
export const namesText = (names: readonly string[]): string => names.join(', ');
