/**
 * Shows the times of lists in the zone of the browser: heads of days, times of the day, and heatmaps by weekday and hour.
 * Without it they are in UTC.
 */
const HOUR = { hour: '2-digit', minute: '2-digit' };

/** @param {ParentNode} root @param {string} locale @param {number} nowMs */
export function showDays(root, locale, nowMs) {
  /** @param {object} options */
  const format = (options) => new Intl.DateTimeFormat(locale, options);
  const [day, weekday, time, second] = [
    format({ weekday: 'short', day: 'numeric', month: 'short' }),
    format({ weekday: 'short' }),
    format(HOUR),
    format({ ...HOUR, second: '2-digit' }),
  ];
  for (const one of root.querySelectorAll('time[data-as="time"], time[data-as="second"]')) {
    const at = new Date(one.getAttribute('datetime') ?? '');
    const list = one.closest('[data-day]')?.getAttribute('data-day');
    const isOther = list && day.format(at) !== day.format(new Date(Number(list)));
    const text = (one.getAttribute('data-as') === 'time' ? time : second).format(at);
    one.textContent = isOther ? `${weekday.format(at)} ${text}` : text;
  }
  for (const body of root.querySelectorAll('[data-days]')) {
    for (const head of body.querySelectorAll('.day')) head.remove();
    let last = '';
    for (const row of body.querySelectorAll('[data-day]')) {
      const at = new Date(Number(row.getAttribute('data-day')));
      const name = day.format(at);
      if (name !== last) row.before(headOf(name, daysFrom(at, nowMs), Number(body.getAttribute('data-days'))));
      last = name;
    }
  }
  for (const cell of root.querySelectorAll('.heat [data-at]')) {
    const at = new Date(Number(cell.getAttribute('data-at')));
    cell.setAttribute('x', String(28 + 10 * at.getHours()));
    cell.setAttribute('y', String(12 * ((at.getDay() + 6) % 7)));
    const title = cell.querySelector('title');
    if (title) title.textContent = `${day.format(at)}, ${time.format(at)}: ${cell.getAttribute('data-share')}`;
  }
}

/** @param {Date} at @param {number} nowMs */
const daysFrom = (at, nowMs) =>
  Math.round((new Date(nowMs).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);

/** @param {string} name @param {number} days @param {number} columns */
function headOf(name, days, columns) {
  const tr = document.createElement('tr');
  tr.className = 'day';
  const th = document.createElement('th');
  th.colSpan = columns;
  th.scope = 'colgroup';
  th.textContent = days === 0 ? 'Today' : days === 1 ? `Yesterday, ${name}` : name;
  tr.append(th);
  return tr;
}
