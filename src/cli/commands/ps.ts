import type {Command} from 'commander';
import {existsSync, readdirSync} from 'node:fs';
import {firstLine} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import type {RunningCommand} from '../../workspace/terminals/find-running.ts';
import {userPlaces} from '../compose/user-data.ts';
import {exitCode, exiting, type ExitCode, UsageError} from '../exit-code.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
import {note, print, printJson} from '../output.ts';

interface PsOptions extends JsonOption {
  readonly stop?: string;
}

/** `weft ps`. */
export function addPs(program: Command): void {
  program
    .command('ps')
    .description('List and stop background commands')
    .option(...jsonFlag)
    .option('--stop <id>', 'Stop a command and everything it started')
    .action(exiting(listRunning));
}

/** Lists the commands that weft started and that are running, or with `stop` ends one and all it started. */
async function listRunning({json, stop}: PsOptions): Promise<ExitCode> {
  const {findRunning} = await import('../../workspace/terminals/find-running.ts');
  const running = await findRunning({folder: userPlaces().blocks});
  if (stop !== undefined) return stopOne(running, stop);
  if (json !== undefined) {
    printJson(`${JSON.stringify(running.map(factsOf), undefined, 2)}\n`);
  } else if (running.length === 0) note('no background commands');
  else print(running.map(textOf).join(''));
  return exitCode.done;
}

async function stopOne(running: readonly RunningCommand[], id: string): Promise<ExitCode> {
  const command = running.find(one => one.id === id);
  if (command === undefined) {
    const known = running.length === 0 ? 'Nothing is running.' : `Running: ${running.map(one => one.id).join(', ')}.`;
    throw new UsageError(`No background command has the id ${id}. ${known}`);
  }
  await command.end();
  note(`stopped ${visibleLine(command.command)}`);
  return exitCode.done;
}

const factsOf = ({end: _end, startedAt, ...facts}: RunningCommand) => ({
  ...facts,
  startedAt: startedAt === undefined ? null : new Date(startedAt).toISOString(),
});

const lives = {
  running: 'running',
  kept: 'kept by you',
  forgotten: 'still running after weft was killed',
} as const satisfies Record<RunningCommand['life'], string>;

function textOf({id, command, directory, startedAt, ports, lastLine, life}: RunningCommand): string {
  const facts = [
    lives[life],
    startedAt === undefined ? '' : `since ${new Date(startedAt).toLocaleString()}`,
    ports.length === 0 ? '' : `port ${ports.join(', ')}`,
    directory === '' ? '' : `in ${visibleLine(directory)}`,
  ].filter(fact => fact !== '');
  const last = lastLine === '' ? '' : `    ${visibleLine(lastLine)}\n`;
  return `${id}  ${visibleLine(command)}\n    ${facts.join(', ')}\n${last}`;
}

/**
 * One sentence for each command that is still running although the weft that started it was killed. `folder` is where weft records
 * which wefts run commands; the process table is read only where one of them has ended without taking its record back.
 */
export async function leftoverNotices(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return [];
  const {findLeftRunning, hasEndedRuns} = await import('../../workspace/terminals/find-running.ts');
  if (!(await hasEndedRuns(folder))) return [];
  return (await findLeftRunning({folder}))
    .filter(({life}) => life === 'forgotten')
    .map(({command, processes}) => {
      const id = processes[0] ?? 0;
      const what = visibleLine(firstLine(command, 80));
      return `Still running after weft was killed: ${what} (process ${id}). Stop it with: weft ps --stop ${id}`;
    });
}
