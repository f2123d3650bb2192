import {Option, type Command} from 'commander';
import {type PermissionMode, permissionModes} from '../../domain/risk.ts';
import {exiting, exitCode, type ExitCode, UsageError} from '../../app/exit-code.ts';
import type {FolderOption, MainOptions} from '../../app/main-options.ts';
import {jsonFlag, type JsonOption, promptCommands} from '../flags.ts';
import {existsSync} from 'node:fs';
import {firstLine} from '../../base/clip.ts';
import {visibleExactLine, visibleLine} from '../../base/visible.ts';
import {parseSessionId, scheduleId, type ScheduleId} from '../../domain/ids.ts';
import type {JobState, JobStore} from '../../domain/job.ts';
import type {LastRun, Schedule} from '../../domain/schedule.ts';
import {nextTime} from '../../tasks/cron.ts';
import {randomUuid} from '../../app/clock-and-ids.ts';
import {existingFolder, modeWithin} from '../../app/run-context.ts';
import {withUserStores} from '../../app/user-jobs.ts';
import {note, print, printJson} from '../../app/output.ts';
import {printRows} from '../rows.ts';
import {runMain} from '../run-main.ts';

interface AddOptions extends FolderOption, JsonOption {
  readonly permissionMode?: PermissionMode;
}

/** `weft schedule add|list|remove|run`: prompts that `weft serve` runs on a schedule. */
export function add(schedule: Command, program: Command): void {
  schedule
    .command('add')
    .description('Schedule a prompt')
    .argument('<cron>', 'When: minute hour day month weekday, such as "0 9 * * 1-5"')
    .argument('<prompt...>', 'Prompt to send')
    .option('--cwd <dir>', 'Folder to work in instead of the current one')
    .addOption(
      new Option(
        '--permission-mode <mode>',
        'How much runs without asking, within the limits of your settings',
      ).choices(permissionModes),
    )
    .option(...jsonFlag)
    .action(exiting(addSchedule));
  schedule
    .command('list')
    .description('List the schedules with their last runs, the next one first')
    .option(...jsonFlag)
    .action(exiting(listSchedules));
  schedule
    .command('remove')
    .description('Remove a schedule; a run in progress continues')
    .argument('<id>', 'ID of the schedule')
    .action(exiting(removeSchedule));
  const run = schedule
    .command('run')
    .description('Run a schedule now, in this process, without asking')
    .argument('<id>', 'ID of the schedule')
    .action(exiting((id: string) => runSchedule(id, program.opts<MainOptions>())));
  promptCommands.add(run);
}

/** `weft schedule add`. */
async function addSchedule(
  cron: string,
  words: readonly string[],
  {cwd, permissionMode = 'default', json}: AddOptions,
): Promise<ExitCode> {
  const prompt = words.join(' ').trim();
  if (prompt === '') throw new UsageError('The prompt is empty.');
  const now = Date.now();
  const next = nextTime(cron, now);
  if (next.tag === 'failed')
    throw new UsageError(`${visibleExactLine(cron)} is not a cron expression: ${visibleLine(next.error)}`);
  const directory = existingFolder(cwd ?? '.');
  const mode = modeWithin(permissionMode, directory);
  if (mode !== permissionMode)
    throw new UsageError(
      `Your settings allow ${mode} in that folder, so a schedule can't run with ${permissionMode}. Change them first: weft config set permissionMode ${permissionMode}`,
    );
  const schedule = {
    id: scheduleId(`schedule_${randomUuid().slice(0, 8)}`),
    cron: cron.trim(),
    prompt,
    directory,
    mode,
    createdAt: now,
    nextAt: next.value,
  };
  await withUserStores(({schedules}) => schedules.add(schedule));
  if (json !== undefined) printJson(`${JSON.stringify(shown({...schedule, last: {state: 'none'}}))}\n`);
  else {
    print(`${schedule.id}\n`);
    note(`next run at ${timeText(schedule.nextAt)}, if weft serve is running`);
  }
  return exitCode.done;
}

/** `weft schedule list`. */
async function listSchedules({json}: JsonOption): Promise<ExitCode> {
  const {schedules, waiting} = await withUserStores(async stores => {
    const all = stores.schedules.list();
    return {schedules: all, waiting: await unansweredQuestions(all, stores.jobs)};
  });
  return printRows({
    rows: schedules,
    json,
    line: ({id, cron, prompt, nextAt, directory, mode, last}) =>
      `${id}  ${visibleExactLine(cron)}  next ${timeText(nextAt)}  ${mode}  ${visibleExactLine(directory)}\n` +
      `  ${visibleLine(firstLine(prompt, 100))}\n${lastText(last)}${(waiting.get(id) ?? []).map(title => `  waiting for an answer: ${visibleLine(title)}\n`).join('')}`.trimEnd(),
    toJson: each => shown(each, waiting.get(each.id)),
    none: 'no schedules. Add one: weft schedule add "0 9 * * 1-5" "…"',
  });
}

/** `weft schedule remove`. */
async function removeSchedule(id: string): Promise<ExitCode> {
  if ((await withUserStores(({schedules}) => schedules.remove(scheduleId(id)))) === 'removed') return exitCode.done;
  note(unknownText(id));
  return exitCode.failed;
}

/** `weft schedule run`: runs a schedule in this process. weft's main flags apply, except for the mode, the folder and the prompt. */
const runSchedule = (id: string, given: MainOptions): Promise<ExitCode> =>
  withUserStores(async ({schedules, jobs}) => {
    const found = schedules.list().find(each => each.id === id);
    if (found !== undefined && !existsSync(found.directory)) {
      note(`the schedule's folder is gone: ${visibleExactLine(found.directory)}`);
      return exitCode.failed;
    }
    const job = {id: randomUuid(), session: parseSessionId(randomUuid()) ?? 'not-open'} as const;
    const taken = schedules.take(scheduleId(id), Date.now(), job);
    if (taken.tag === 'failed') {
      note(taken.error === 'unknown' ? unknownText(id) : `${visibleExactLine(id)} is already running`);
      return exitCode.failed;
    }
    const {prompt, directory, mode} = taken.value;
    let code: ExitCode = exitCode.failed;
    try {
      code = await runMain([], {
        ...given,
        prompt,
        cwd: directory,
        permissionMode: modeWithin(mode, directory),
        sessionId: job.session,
      });
    } finally {
      await jobs.change({id: job.id, attempt: 1}, {state: endOf(code), news: 'told'});
    }
    return code;
  });

function endOf(code: ExitCode): JobState {
  if (code === exitCode.interrupted || code === exitCode.terminated) return 'stopped';
  return code === exitCode.done ? 'completed' : 'failed';
}

const unknownText = (id: string): string => `unknown schedule ${visibleExactLine(id)}. List them: weft schedule list`;

async function unansweredQuestions(
  schedules: readonly Schedule[],
  jobs: JobStore,
): Promise<ReadonlyMap<ScheduleId, readonly string[]>> {
  const waiting = new Map<ScheduleId, readonly string[]>();
  for (const {id, last} of schedules)
    if (last.state === 'running' && last.session !== 'not-open') waiting.set(id, await jobs.waiting(last.session));
  return waiting;
}

const timeText = (at: number): string => new Date(at).toLocaleString('sv-SE').slice(0, 16);

function lastText(last: LastRun): string {
  if (last.state === 'none') return '';
  const trouble = last.state === 'running' || last.trouble === '' ? '' : `: ${visibleLine(last.trouble)}`;
  const session = last.session === 'not-open' ? '' : `  weft --resume ${last.session}`;
  return `  ${last.state} at ${timeText(last.at)}${trouble}${session}\n`;
}

/** Returns the schedule for JSON: times as ISO 8601, missing values as null. */
const shown = ({createdAt, nextAt, last, ...schedule}: Schedule, waiting: readonly string[] = []): object => ({
  ...schedule,
  createdAt: new Date(createdAt).toISOString(),
  nextAt: new Date(nextAt).toISOString(),
  last:
    last.state === 'none'
      ? null
      : {
          state: last.state,
          at: new Date(last.at).toISOString(),
          sessionId: last.session === 'not-open' ? null : last.session,
          trouble: last.state === 'running' ? '' : last.trouble,
          ...(last.state === 'running' ? {waiting} : {}),
        },
});
