import {basename} from 'node:path';
import {noVictims, type VictimReport, type VictimsPort} from '../../actions/ports.ts';
import type {SimpleCommand} from '../../domain/risk.ts';
import {makePaths, realPath} from '../files/resolve-path.ts';
import {expandPaths} from './operands.ts';
import {overwrittenFiles} from './overwritten-files.ts';
import {programVictims} from './program-victims.ts';
import {mostNamed, untouched, type Victim, type VictimGround} from './victim.ts';

export interface VictimPlace {
  readonly roots: readonly string[];
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether git, asked in a folder, runs and reads nothing of the repository's choice. */
  readonly mayAskGit: VictimGround['mayAskGit'];
}

/** Milliseconds a person waits for the card at most. */
const limitMs = 2000;

/** Commands looked at. */
const mostCommands = 30;

/**
 * Finds what destructive commands would hit by looking at the files and by asking git, which says it without doing it. Nothing
 * of the commands is run. What is not known within two seconds is left out.
 */
export function makeVictims(options: VictimPlace): VictimsPort {
  const paths = makePaths(options);
  return {
    async find(commands, signal) {
      if (signal.aborted) return noVictims;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      const ground: VictimGround = {...options, signal: limit};
      const found: Victim[] = [];
      for (const command of commands.slice(0, mostCommands)) {
        if (limit.aborted) break;
        found.push(...(await victimsOf(command, ground)));
      }
      return report(found, paths.show);
    },
  };
}

async function victimsOf(command: SimpleCommand, ground: VictimGround): Promise<readonly Victim[]> {
  const directory = realPath(command.directory);
  const [program, ...words] = unwrapped(command.argv);
  const finder = programVictims.get(basename(program));
  const own =
    finder === undefined ? untouched : await finder({...command, directory, argv: [program, ...words]}, ground);
  const targets = expandPaths(command.overwrites, {directory, home: ground.home});
  return [own, await overwrittenFiles(targets.map(path => ({path, content: command.content})))];
}

/** Without what runs a command as somebody else or in another way, and changes nothing of what it hits. */
function unwrapped(argv: SimpleCommand['argv']): SimpleCommand['argv'] {
  const [program, next, ...words] = argv;
  if (next === undefined || next.startsWith('-') || !transparent.has(basename(program))) return argv;
  return unwrapped([next, ...words]);
}

const transparent: ReadonlySet<string> = new Set([
  'sudo',
  'doas',
  'command',
  'builtin',
  'nohup',
  'time',
  'nice',
  'exec',
]);

function report(found: readonly Victim[], show: (path: string) => string): VictimReport {
  const said = [...new Set(found.map(({summary}) => summary).filter(summary => summary !== ''))];
  const paths = [
    ...new Set(found.flatMap(victim => victim.paths.map(path => (path.startsWith('/') ? show(path) : path)))),
  ];
  const shown = paths.slice(0, mostNamed);
  const more = found.reduce((sum, victim) => sum + victim.more, 0) + paths.length - shown.length;
  const diffs = found.flatMap(victim => victim.diffs.map(diff => ({...diff, path: show(diff.path)})));
  return said.length === 0 ? noVictims : {summary: said.join('; '), paths: shown, more, diffs};
}
