import type {Command} from 'commander';
import {visibleLine} from '../../base/visible.ts';
import type {RunningCommand} from '../../workspace/terminals/find-running.ts';
import type {RunningAgent} from '../../domain/sub-agent.ts';
import {parseSessionId, type SessionId} from '../../domain/ids.ts';
import {jobKey, type JobStore} from '../../domain/job.ts';
import {userPlaces} from '../../app/user-data.ts';
import {exitCode, exiting, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
import {note, print} from '../../app/output.ts';
import {printDocument} from '../rows.ts';

interface PsOptions extends JsonOption {
  readonly stop?: string;
}

export function add(command: Command): void {
  command
    .option(...jsonFlag)
    .option('--stop <id>', 'Stop a command and everything it started, or a sub-agent')
    .action(exiting(listRunning));
}

/** `weft ps`: lists running commands that weft started, and running sub-agents. With `--stop`, ends one and everything it started. */
async function listRunning({json, stop}: PsOptions): Promise<ExitCode> {
  const {findRunning} = await import('../../workspace/terminals/find-running.ts');
  const running = await findRunning({folder: userPlaces().blocks});
  const agents = await agentsAtWork();
  if (stop !== undefined) return stopOne({running, agents}, stop);
  if (json !== undefined) return printDocument([...running.map(factsOf), ...agents.map(agentFacts)]);
  if (running.length + agents.length === 0) note('no background commands or sub-agents');
  else print([...running.map(textOf), ...agents.map(agentText)].join(''));
  return exitCode.done;
}

/** Runs `work` on the jobs of the user's store; returns `none` if there is no store yet. */
async function withJobs<T>(work: (jobs: JobStore) => Promise<T>, none: T): Promise<T> {
  const {isStoreMade} = await import('../../app/user-database.ts');
  const places = userPlaces();
  if (!isStoreMade(places)) return none;
  const {withUserStores} = await import('../../app/user-jobs.ts');
  return withUserStores(({jobs}) => work(jobs), places);
}

async function agentsAtWork(): Promise<readonly RunningAgent[]> {
  const jobs = await withJobs(store => store.list({kind: 'agent'}), []);
  return jobs
    .flatMap(({spec}) => (spec.kind === 'agent' ? [spec.agent] : []))
    .toSorted((one, other) => one.startedAt - other.startedAt);
}

/** `weft agents stop`, and `weft ps --stop` for an agent. */
export async function stopAgent(text: string): Promise<ExitCode> {
  const id = parseSessionId(text);
  const agents = await agentsAtWork();
  const agent = agents.find(each => each.id === id);
  if (agent === undefined)
    throw new UsageError(`No running sub-agent has the id ${visibleLine(text)}. ${knownText(agents)}`);
  const {stopJob} = await import('../../jobs/claimed-job.ts');
  const key = jobKey({kind: 'agent', agent});
  if ((await withJobs(jobs => stopJob(jobs, {key}), 'unknown')) === 'running') {
    note(`weft (process ${String(agent.pid)}) has not stopped ${visibleLine(agent.name)} yet`);
    return exitCode.failed;
  }
  note(`stopped ${visibleLine(agent.name)}`);
  return exitCode.done;
}

const knownText = (agents: readonly RunningAgent[]): string =>
  agents.length === 0
    ? 'None is running.'
    : `Running: ${agents.map(({id, name}) => `${id} (${visibleLine(name)})`).join(', ')}.`;

const agentFacts = ({startedAt, ...facts}: RunningAgent): object => ({
  type: 'agent',
  ...facts,
  startedAt: new Date(startedAt).toISOString(),
});

const agentText = ({id, name, kind, harness, startedAt, directory, parent}: RunningAgent): string => {
  const who = harness === 'weft' ? `agent ${kind}` : `agent ${kind} in ${harness}`;
  const since = `since ${new Date(startedAt).toLocaleString()}`;
  return `${id}  ${visibleLine(name)}\n    ${visibleLine(who)}, ${since}, in ${visibleLine(directory)}, of session ${parent}\n`;
};

async function stopOne(
  {running, agents}: {readonly running: readonly RunningCommand[]; readonly agents: readonly RunningAgent[]},
  id: string,
): Promise<ExitCode> {
  if (agents.some(agent => agent.id === id)) return stopAgent(id);
  const command = running.find(one => one.id === id);
  if (command === undefined) {
    const ids: readonly string[] = [...running.map(one => one.id), ...agents.map((agent): SessionId => agent.id)];
    const known = ids.length === 0 ? 'Nothing is running.' : `Running: ${ids.join(', ')}.`;
    throw new UsageError(`No background command or sub-agent has the id ${id}. ${known}`);
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
