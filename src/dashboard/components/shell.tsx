/**
 * What stands around every page: the tenant and its switcher, the places, and who has signed in. It is a sidebar; on
 * phones a head and a bar at the bottom.
 */
import type { Viewer } from '../env.ts';
import { PLACES, type Place, type PlacePage } from '../places.ts';
import { KEYS_OF_PAGE } from '../shortcuts.ts';
import { may, TENANTS } from '../viewer.ts';
import { Icon } from './icon.tsx';

interface ShellProps {
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
      <Me viewer={viewer} />
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
        <PlaceLink place={place} at={at} viewer={viewer} />
      </li>
    ))}
  </ul>
);

const PlaceLink = ({ place, at, viewer }: ShellProps & { place: OpenPlace }) => {
  const waits = viewer.standings.length;
  return (
    <a href={place.first.path} aria-current={has(place, at) ? (place.first.path === at ? 'page' : 'true') : undefined}>
      <Icon name={place.icon} /> {place.name}
      {place.icon === 'mine' && waits > 0 && (
        <span class="count">
          {waits}
          <span class="out-of-sight"> waiting</span>
        </span>
      )}
    </a>
  );
};

/** On phones: the daily places, and a menu of the others. */
export const BottomBar = ({ viewer, at }: ShellProps) => {
  const places = placesOf(viewer);
  const managing = places.filter(({ isManaging }) => isManaging);
  return (
    <nav class="bottom" aria-label="Places">
      {places
        .filter(({ isManaging }) => !isManaging)
        .map((place) => (
          <PlaceLink place={place} at={at} viewer={viewer} />
        ))}
      <details id="more-places">
        <summary>
          <Icon name="more" /> More
        </summary>
        <div class="sheet">
          {managing.map((place) => (
            <PlaceLink place={place} at={at} viewer={viewer} />
          ))}
          <SignOut />
        </div>
      </details>
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

/** The tenant, with the others that the person can switch to, and the page of all tenants for administrators. */
const TenantMenu = ({ viewer, at }: ShellProps) => {
  const { memberships, credential, standing } = viewer;
  const name = memberships.find(({ tenant }) => tenant === credential.tenant)?.name ?? credential.tenant;
  const face = (
    <>
      <b aria-hidden="true">{name.charAt(0).toUpperCase()}</b>
      <span class="cut">{name}</span>
    </>
  );
  if (memberships.length < 2 && standing === 'none')
    return (
      <a class="tenant" href="/dashboard">
        {face}
      </a>
    );
  return (
    <details class="tenant-menu" id="tenants">
      <summary class="tenant">
        {face} <Icon name="switch" />
      </summary>
      <div class="menu">
        {memberships.length > 1 && <Switcher viewer={viewer} />}
        {standing !== 'none' && (
          <a href={TENANTS} aria-current={at === TENANTS ? 'page' : undefined}>
            Tenants
          </a>
        )}
      </div>
    </details>
  );
};

const Switcher = ({ viewer: { memberships, credential } }: { viewer: Viewer }) => (
  <form method="post" action="/dashboard/switch">
    {memberships.map(({ tenant, name, role }) => (
      <button type="submit" name="tenant" value={tenant} disabled={tenant === credential.tenant}>
        {name === tenant ? tenant : `${name} (${tenant})`}, {role}
      </button>
    ))}
  </form>
);

const Me = ({ viewer: { user } }: { viewer: Viewer }) => {
  const name = user.name ?? user.email ?? user.subject;
  return (
    <div class="me">
      <button type="button" id="pause-page" class="quiet live" aria-pressed="false" hidden>
        Pause updates
      </button>
      <p>
        <span class="avatar" aria-hidden="true">
          {initialsOf(name)}
        </span>
        <span class="cut">{name}</span>
      </p>
      <SignOut />
    </div>
  );
};

const SignOut = () => (
  <form method="post" action="/dashboard/sign-out">
    <button type="submit" class="quiet">
      <Icon name="signOut" /> Sign out
    </button>
  </form>
);

/** Up to two letters: of the first and the last word. */
function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.charAt(0) ?? '').join('');
}
