/**
 * The frame of every page: the tenant, the search, the places, and who has signed in. It is a sidebar; on phones
 * a head and a bar at the bottom. Its menus are popovers, which work without a script.
 */
import { BUILD } from '../../domain/build.ts';
import type { Viewer } from '../env.ts';
import { SCAN } from '../paths.ts';
import { PLACES, type Place, type PlacePage } from '../places.ts';
import { KEYS_OF_PAGE } from '../shortcuts.ts';
import { may } from '../viewer.ts';
import { FindLink } from './findParts.tsx';
import { Icon } from './icon.tsx';
import { SignOut, TenantMenu } from './shellMenus.tsx';

export interface ShellProps {
  readonly viewer: Viewer;
  /** The page that is shown. */
  readonly at: string | undefined;
}

/** A place with only the pages that a person may open, one at least. */
interface OpenPlace extends Place {
  readonly first: PlacePage;
}

const placesOf = (viewer: Viewer): OpenPlace[] =>
  PLACES.flatMap((place) => {
    const pages = place.pages.filter(({ right }) => may(viewer, right));
    const [first] = pages;
    return first === undefined ? [] : [{ ...place, pages, first }];
  });

const has = ({ pages }: Place, at: string | undefined) => pages.some(({ path }) => path === at);

export const Sidebar = ({ viewer, at }: ShellProps) => {
  const places = placesOf(viewer);
  const managing = places.filter(({ isManaging }) => isManaging);
  return (
    <header class="side">
      <TenantMenu viewer={viewer} at={at} />
      <FindLink />
      <Bell viewer={viewer} />
      <nav aria-label="Pages">
        <PlaceList places={places.filter(({ isManaging }) => !isManaging)} at={at} viewer={viewer} />
        {managing.length > 0 && (
          <>
            <h2 id="manage">Manage</h2>
            <PlaceList places={managing} at={at} viewer={viewer} labelledBy="manage" />
          </>
        )}
        {/* The keys that open pages work from every page. */}
        {places.flatMap(({ pages }) =>
          pages.map(({ path, name }) => (
            <a href={path} hidden data-shortcut={KEYS_OF_PAGE[path]}>
              {name}
            </a>
          )),
        )}
      </nav>
      <Foot viewer={viewer} />
    </header>
  );
};

const PlaceList = ({
  places,
  at,
  viewer,
  labelledBy,
}: ShellProps & { places: readonly OpenPlace[]; labelledBy?: string }) => (
  <ul aria-labelledby={labelledBy}>
    {places.map((place) => (
      <li>
        <PlaceLink place={place} at={at} viewer={viewer} in="side" />
      </li>
    ))}
  </ul>
);

/** The words for screen readers behind the number at Mine: what it counts. */
function countedText({ standings, troubles }: Viewer): string {
  const turns = standings.filter(({ isGranted }) => isGranted).length;
  const all: readonly (readonly [number, string])[] = [
    [turns, turns === 1 ? 'turn' : 'turns'],
    [standings.length - turns, 'waiting'],
    [troubles.length, troubles.length === 1 ? 'booking to look at' : 'bookings to look at'],
  ];
  const counted = all.filter(([count]) => count > 0);
  return counted.length === 1 ? ` ${counted[0]?.[1]}` : `: ${counted.map((one) => one.join(' ')).join(', ')}`;
}

const PlaceLink = ({ place, at, viewer, in: part }: ShellProps & { place: OpenPlace; in: string }) => (
  <a href={place.first.path} aria-current={has(place, at) ? (place.first.path === at ? 'page' : 'true') : undefined}>
    <Icon name={place.icon} /> {place.name}
    {place.icon === 'mine' && (
      <span data-live={`mine-${part}`}>
        {viewer.standings.length + viewer.troubles.length > 0 && (
          <span class="count">
            {viewer.standings.length + viewer.troubles.length}
            <span class="out-of-sight">{countedText(viewer)}</span>
          </span>
        )}
      </span>
    )}
  </a>
);

/** In the head of phones: whether something of the person's needs their hand. */
const Bell = ({ viewer }: Pick<ShellProps, 'viewer'>) => {
  const turns = viewer.standings.filter(({ isGranted }) => isGranted).length;
  return (
    <a class="bell" href="/dashboard/mine" data-live="bell">
      <Icon name="bell" />
      <span class="out-of-sight">
        Your turns: {turns}, bookings to look at: {viewer.troubles.length}
      </span>
      {turns + viewer.troubles.length > 0 && <i />}
    </a>
  );
};

/** On phones: the places that people need there, and a menu of the others. */
export const BottomBar = ({ viewer, at }: ShellProps) => {
  const places = placesOf(viewer);
  const isShown = ({ icon }: Place) => icon === 'board' || icon === 'mine' || icon === 'activity';
  const [board, mine, activity] = places.filter(isShown);
  const others = places.filter((place) => !isShown(place));
  return (
    <nav class="bottom" aria-label="Places">
      {[board, mine].map((place) => place && <PlaceLink place={place} at={at} viewer={viewer} in="bottom" />)}
      <a href={SCAN} aria-current={at === SCAN ? 'page' : undefined}>
        <Icon name="scan" /> Scan
      </a>
      {activity && <PlaceLink place={activity} at={at} viewer={viewer} in="bottom" />}
      <button
        type="button"
        id="open-more"
        popovertarget="more-places"
        aria-current={others.some((place) => has(place, at)) ? 'true' : undefined}
      >
        <Icon name="more" /> More
      </button>
      <div id="more-places" class="menu sheet" popover="auto">
        {others.map((place) => (
          <PlaceLink place={place} at={at} viewer={viewer} in="more" />
        ))}
        <SignOut id="sign-out-more" />
      </div>
    </nav>
  );
};

/** The pages of the place that the page belongs to. */
export const Tabs = ({ viewer, at }: ShellProps) => {
  const place = placesOf(viewer).find((one) => has(one, at));
  if (place === undefined || place.pages.length < 2) return null;
  return (
    <nav class="tabs" aria-label={place.name}>
      {place.pages.map(({ path, name }) => (
        <a href={path} aria-current={path === at ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
};

/** The mark of a live page, and the menu of the person. */
const Foot = ({ viewer: { user } }: Pick<ShellProps, 'viewer'>) => {
  const name = user.name ?? user.email ?? user.subject;
  return (
    <div class="me">
      <button type="button" id="pause-page" class="quiet live" aria-label="Pause live updates" hidden>
        Live
      </button>
      <button type="button" class="quiet person" id="open-me" popovertarget="me">
        <span class="avatar mine" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <span class="cut">{name}</span> <Icon name="switch" />
      </button>
      <div id="me" class="menu" popover="auto">
        <p>
          {user.email !== null && user.email !== name && <>{user.email}, </>}
          {user.role}
        </p>
        <a href="/dashboard/overview">Overview</a>
        <a href="/dashboard/shortcuts" data-shortcut="?">
          Keyboard shortcuts <kbd>?</kbd>
        </a>
        <SignOut id="sign-out" />
        <p class="hint">
          Holdfast {BUILD.version}
          {BUILD.commit && ` (${BUILD.commit.slice(0, 7)})`}
        </p>
      </div>
    </div>
  );
};

/** Up to two letters: of the first and the last word. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.charAt(0) ?? '').join('');
}
