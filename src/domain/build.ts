/** The version of this build, for GET /version and the dashboard. */
import manifest from '../../package.json' with { type: 'json' };

/** Set by scripts/buildService.ts in a build of a release. */
declare const RELEASE: Build | undefined;

export interface Build {
  /** As in package.json, with the suffix -dev unless this is a release. */
  readonly version: string;
  /** The commit of a release; null: not a release */
  readonly commit: string | null;
}

export const BUILD: Build =
  typeof RELEASE === 'undefined' ? { version: `${manifest.version}-dev`, commit: null } : RELEASE;
