import { expect, test } from 'vitest';
import { Listings } from '../../src/limits/reads.ts';
import { openExport } from '../../src/operations/lists.ts';

/** An export of so many pages with a row each. */
const exportOf = (listings: Listings, pages: number) =>
  openExport<number, number>({ listings }, 'tenant', [], {
    readPage: async (page = 1) => ({ rows: [page], next: page < pages ? page + 1 : null }),
    debit: async () => {},
  });

test('an export of one page gives its place back once, although its reader closes it too', async () => {
  const listings = new Listings();
  const long = await Promise.all([1, 2, 3, 4].map(() => exportOf(listings, 2)));
  await expect(exportOf(listings, 1)).rejects.toMatchObject({ hit: { limitType: 'ConcurrentListings' } });
  long.pop()?.close();

  const short = await exportOf(listings, 1);
  short.close();
  const fourth = await exportOf(listings, 2);
  await expect(exportOf(listings, 2)).rejects.toMatchObject({ hit: { limitType: 'ConcurrentListings' } });
  for (const { close } of [...long, fourth]) close();
});
