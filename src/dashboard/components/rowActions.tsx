import type { Viewer } from '../env.ts';
export interface RowHold {
  readonly resource: string;
  readonly requester: string;
  readonly claimBy: string | null;
  readonly mode?: 'SHARED' | 'EXCLUSIVE' | undefined;
}
export const RowActions = (_: {
  readonly row: {
    readonly resource: string;
    readonly isFree: boolean | null;
    readonly holds: readonly RowHold[];
    readonly isWaiting?: boolean;
  };
  readonly viewer: Viewer;
  readonly back: string;
}) => null;
