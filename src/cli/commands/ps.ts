import {join} from 'node:path';
import {visibleLine} from '../../base/visible.ts';
import {findRunning, type RunningCommand} from '../../workspace/blocks/find-running.ts';
import {exitCode, type ExitCode} from '../exit-code.ts';
import {note, print, printJson} from '../say.ts';
import {UsageError} from '../usage-error.ts';
import {userPlaces} from '../user-places.ts';

/**
 * `weft ps`: commands that weft started and that run beside a conversation or outlived it; `--stop <id>` ends one with all it
 * started. `--json` prints one array.
 */
export async function listRunning({json, stop}: {readonly json?: true; readonly stop?: string}): Promise<ExitCode> {
  const {data} = userPlaces();
  const running = await findRunning({folder: join(data, 'blocks')});
  if (stop !== undefined) return stopOne(running, stop);
  if (json !== undefined) {
    printJson(`${JSON.stringify(running.map(factsOf), undefined, 2)}\n`);
  } else if (running.length === 0) note('no command of weft is running');
  else print(running.map(textOf).join(''));
  return exitCode.done;
}

async function stopOne(running: readonly RunningCommand[], id: string): Promise<ExitCode> {
  const command = running.find(one => one.id === id);
  if (command === undefined) {
    const known = running.length === 0 ? 'None is running.' : `There are ${running.map(one => one.id).join(', ')}.`;
    throw new UsageError(`No running command has the id ${id}. ${known}`);
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
  forgotten: 'left by a weft that was killed',
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
