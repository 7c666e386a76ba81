/**
 * The rows of the Board for a screen on a wall: dark, with rows of 24 px, and nothing to click.
 */
import { html } from 'hono/html';
import { EVENT_TYPES } from '../../domain/eventTypes.ts';
import { assetPath } from '../assets.ts';
import { linkTo } from '../board/query.ts';
import type { Board } from '../board/readBoard.ts';
import { EmptyTimeline, Timeline, TimelineAxis, TimelineDefs, TimelineLegend } from '../timeline/timeline.tsx';
import { number } from '../words/numbers.ts';
import { Now } from './boardNow.tsx';
import { countText, hasHead, titleOf } from './boardTable.tsx';
import { idOf } from './rowActions.tsx';
import { Clock } from './when.tsx';

const ROW = 24;

type TvBoardProps = Pick<TvPageProps, 'board' | 'tenantName' | 'label'>;

const TvBoard = ({ board, tenantName, label }: TvBoardProps) => {
  const { frame, sections, counts, nameOf } = board;
  return (
    <div data-live="board">
      <header>
        <h1>{tenantName}</h1>
        {label !== undefined && <span class="meta">{label}</span>}
        <span class="end">
          <Clock at={Date.now()} />
        </span>
      </header>
      <TimelineDefs frame={frame} />
      <table class="board" aria-label="Resources, who has them, and when they are free">
        <thead>
          <tr>
            <th scope="col" class="c-name">
              {number(counts.free)} free, {number(counts.used)} in use
            </th>
            <th scope="col" class="c-now">
              {number(counts.waiting)} waiting
            </th>
            <th scope="col" class="time">
              <TimelineAxis frame={frame} />
            </th>
          </tr>
        </thead>
        {sections.map((section) => (
          <tbody>
            {hasHead(board, section) && (
              <tr class="group">
                <th scope="rowgroup" colspan={2}>
                  <b>{titleOf(section).title}</b> <span class="meta">{countText(section)}</span>
                </th>
                <td class="time">
                  <EmptyTimeline height={ROW} />
                </td>
              </tr>
            )}
            {section.rows.map((row) => (
              <tr id={`row-${idOf(row.state.name)}`}>
                <th scope="row">{row.state.name}</th>
                <td class="doing">
                  <Now row={row} nameOf={nameOf} isOwn={() => false} />
                </td>
                <td class="time">
                  <Timeline row={row.timeline} rowHeight={ROW} />
                </td>
              </tr>
            ))}
          </tbody>
        ))}
      </table>
      <TimelineLegend isOfPerson={false} />
    </div>
  );
};

/** Time that a page of the Board stays, if it has several. */
const PAGE_S = 20;

interface TvPageProps {
  /** Read for a `view=tv`. */
  readonly board: Board;
  readonly tenantName: string;
  /** Where the screen is, if a link says so. */
  readonly label?: string;
  /** Where another page of it is. */
  readonly next?: string;
  /** Its own address. */
  readonly from?: string;
  /** Where its events are, if it is not a person's. */
  readonly stream?: string;
}

/** The wallboard as a page of its own. */
export const TvPage = (props: TvPageProps) => {
  const { board, tenantName, next = nextOf(board), from = linkTo(board.query), stream } = props;
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {board.pages > 1 && <meta http-equiv="refresh" content={`${PAGE_S};url=${next}`} />}
        <title>{tenantName} – Holdfast</title>
        <link rel="icon" href={assetPath('icon.svg')} type="image/svg+xml" />
        <link rel="stylesheet" href={assetPath('dashboard.css')} />
        <script type="module" src={assetPath('dashboard.js')} />
      </head>
      <body
        class="tv"
        data-now={Date.now()}
        data-renew={from}
        data-stream={stream}
        data-renew-every={30}
        data-events={EVENT_TYPES.join(' ')}
      >
        <main>
          <TvBoard {...props} />
        </main>
      </body>
    </html>
  );
  return html`<!doctype html>${document}`;
};

/** The page after the one that is shown, and the first one after the last. */
const nextOf = ({ query, pages }: Board): string => linkTo(query, { page: (Math.min(query.page, pages) % pages) + 1 });
