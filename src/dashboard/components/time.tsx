/**
 * A time for people and programs: UTC, to the second.
 */

/** @param at ISO 8601 UTC, or ms since 1970 UTC; null shows `none` */
export const Time = ({ at, none = '–' }: { at: string | number | Date | null | undefined; none?: string }) => {
  if (at === null || at === undefined) return <>{none}</>;
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 19)}`}</time>;
};
