/**
 * A time to the minute within a sentence or a button, where nothing may take the focus. assets/times.js turns it into
 * the browser's zone; without it, it is in UTC.
 */
export const Clock = ({ at }: { at: number | string }) => {
  const iso = new Date(at).toISOString();
  const isToday = iso.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return (
    <time datetime={iso} data-as="clock">
      {isToday ? '' : `${iso.slice(0, 10)} `}
      {iso.slice(11, 16)} UTC
    </time>
  );
};
