/** Lists processes: from /proc, or by `ps` where there is no /proc. Zombies have ended, so they are left out. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its process group: a terminal signals all processes of one. */
  readonly group: number;
  /** When it started. Tells a process from a later one with the same number. Empty without /proc. */
  readonly started: string;
}

/** A line of /proc/<pid>/stat: the name of the program, in brackets, may contain anything. */
function fromStat(stat: string): Process[] {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  const process = { pid: Number.parseInt(stat, 10), parent: Number(parent), group: Number(group) };
  return state === 'Z' ? [] : [{ ...process, started: fields[19] ?? '' }];
}

function fromProc(): Process[] {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return names.flatMap((name) => {
    try {
      return fromStat(readFileSync(`/proc/${name}/stat`, 'utf8'));
    } catch {
      return []; // It has ended.
    }
  });
}

function fromPs(): Process[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [pid, parent, group, state = ''] = line.trim().split(/\s+/);
    const process = { pid: Number(pid), parent: Number(parent), group: Number(group), started: '' };
    return state.startsWith('Z') ? [] : [process];
  });
}

/** All processes, or none if they cannot be listed. */
export function listProcesses(): readonly Process[] {
  try {
    return process.platform === 'linux' ? fromProc() : fromPs();
  } catch {
    return [];
  }
}

/** A process and its descendants. Those whose parent has ended are not among them. */
export function treeOf(root: number, all: readonly Process[] = listProcesses()): readonly Process[] {
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** Those of some processes that still run. */
export function alive(processes: readonly Process[]): readonly Process[] {
  const now = new Map(listProcesses().map((process) => [process.pid, process.started]));
  return processes.filter(({ pid, started }) => now.get(pid) === started);
}

/** Sends a signal. A process that has ended, or that belongs to somebody else, does not get it. */
export function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
