import {firstLine} from '../../base/clip.ts';
import {type ChangesOutcome, type DecideChanges, noHeldChanges} from '../../actions/changes-port.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {confines, type Rights} from '../../domain/sandbox.ts';
import type {CommandSandbox, CommandStart, EncloseRequest, Enclosure} from './sandbox.ts';

/** A process that was started for a command, as far as it has to be known whether the command itself has begun. */
export interface Attempt<Started> {
  readonly started: Started;
  /** Settles when the process has ended. Never rejects. */
  readonly ended: Promise<unknown>;
  /** Called where it has ended and the command never began: gives back what is open, and says what was printed. */
  readonly discard: () => Promise<string>;
}

/**
 * Starts a process by `spawn` and answers when the command has begun. Where a sandbox broke off before that, `spawn` is called again. A
 * failure is that of `spawn`, or says why there is no sandbox.
 */
export type Begin = <Started>(
  spawn: (start: CommandStart) => Promise<Outcome<Attempt<Started>, string>>,
) => Promise<Outcome<Started, string>>;

/** A command on its way into the sandbox, or past it. */
export interface Launch {
  /** How it was enclosed at first; of later ones only what has to be mounted differs. */
  readonly enclosure: Enclosure;
  /** Whether the command has a view of its own. Then the started process ends when nothing of the command runs any more. */
  readonly isHeld: boolean;
  /** `complete` adds what the command needs to how it is enclosed. */
  begin(complete: (enclosure: Enclosure) => CommandStart, signal: AbortSignal): Begin;
  /**
   * Decides about the changes in the command's view, and gives back what is open. Later calls settle with the same. To be called when
   * nothing of the command runs any more. Never rejects.
   */
  end(decide: 'none' | DecideChanges, signal: AbortSignal): Promise<LaunchEnd>;
}

export interface LaunchEnd {
  readonly changes: ChangesOutcome;
  /** Sentences for the model. */
  readonly notes: readonly string[];
}

/** How often the start of one command is tried. */
const maxStarts = 5;

/**
 * Asks the sandbox how to start a command. A backend fails where a socket or a file that it was told to hide vanishes before it is
 * mounted over; so a start that came to nothing is tried again with a fresh list. A failure says why the command may not run.
 */
export async function openLaunch(
  sandbox: Pick<CommandSandbox, 'enclose'>,
  request: EncloseRequest,
): Promise<Outcome<Launch, string>> {
  const first = await sandbox.enclose(request);
  if (first.tag === 'failed') return first;
  let current = first.value;
  let ending: Promise<LaunchEnd> | undefined;

  function close(): readonly string[] {
    if (current.kind === 'plain') return [];
    if (current.view !== 'direct') current.view.close();
    return current.release();
  }

  async function decided(decide: 'none' | DecideChanges, signal: AbortSignal): Promise<LaunchEnd> {
    if (current.kind === 'plain' || current.view === 'direct' || decide === 'none')
      return {changes: noHeldChanges, notes: close()};
    // What was held is read to its end: only deciding about it can be broken off.
    const held = await current.view.read(new AbortController().signal);
    if (held.tag === 'failed')
      return {
        changes: noHeldChanges,
        notes: [`its changes were dropped: weft could not read them (${held.error})`, ...close()],
      };
    const changes = held.value.changes.length === 0 ? noHeldChanges : await decide(held.value, signal);
    return {changes, notes: close()};
  }

  return ok({
    enclosure: first.value,
    isHeld: first.value.kind === 'enclosed' && first.value.view !== 'direct',
    begin: (complete, signal) => async spawn => {
      for (let turn = 1; ; turn += 1) {
        const attempt = await spawn(complete(current));
        if (attempt.tag === 'failed') return attempt;
        const {started, ended, discard} = attempt.value;
        if (current.kind === 'plain' || (await begins(current.hasBegun, ended, signal))) return ok(started);
        close();
        const words = await discard();
        if (turn === maxStarts) return failed(`the sandbox could not be made: ${firstLine(words.trim(), 300)}`);
        const again = await sandbox.enclose(request);
        if (again.tag === 'failed') return again;
        current = again.value;
      }
    },
    end: (decide, signal) => (ending ??= decided(decide, signal)),
  });
}

/**
 * The same for a program that a project's settings start: inside it changes nothing but the workspace. If the machine has no proven sandbox,
 * the program runs as it is.
 */
export async function openProjectLaunch(
  sandbox: Pick<CommandSandbox, 'enclose' | 'proof'>,
  {start, directory, rights}: {readonly start: CommandStart; readonly directory: string; readonly rights: Rights},
): Promise<Outcome<Launch, string>> {
  const isConfined = (rights === 'confined' || rights === 'network') && confines(await sandbox.proof());
  return openLaunch(isConfined ? sandbox : unconfined, {
    argv: [start.program, ...start.args],
    directory,
    environment: start.environment,
    confinement: 'project',
    hosts: rights === 'network' ? 'all' : 'none',
    terminal: 'own',
  });
}

const unconfined: Pick<CommandSandbox, 'enclose'> = {enclose: async () => ok({kind: 'plain'})};

/** What to do about a program that broke off inside. */
export const moreRights = (rights: Rights): string =>
  rights === 'network'
    ? 'it runs in the sandbox and changes nothing but the workspace; "sandbox": false in its entry runs it outside'
    : 'it runs in the sandbox, changes nothing but the workspace and has no network; "sandbox": {"network": true} or false in its entry gives it more';

/** Milliseconds between two looks; a sandbox is made in about ten. */
const lookMs = 2;

/** Milliseconds after which a start that hangs counts as begun. */
const longestLookMs = 30_000;

/**
 * Whether the command begins; what is started ends without that where the sandbox cannot be made. An abort ends the wait as a beginning
 * does: whoever waits for the end of the command deals with it.
 */
async function begins(hasBegun: () => boolean, ended: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  const {promise, resolve} = Promise.withResolvers<boolean>();
  const until = performance.now() + longestLookMs;
  const timer = setInterval(() => {
    if (signal.aborted || hasBegun() || performance.now() > until) resolve(true);
  }, lookMs);
  void ended.then(() => resolve(signal.aborted || hasBegun()));
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}
