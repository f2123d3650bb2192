import {readFile, rm, writeFile} from 'node:fs/promises';
import {setTimeout as delay} from 'node:timers/promises';
import {
  type ComputerPort,
  type ComputerStep,
  maxBytes,
  maxEdge,
  type Point,
  type Screenshot,
  type Size,
} from '../../actions/computer-port.ts';
import {byteSize} from '../../base/byte-size.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {causeText, type Fault, rejected, needsUser} from '../../domain/fault.ts';
import type {Environment} from '../exec/shell-environment.ts';
import {findProgram} from '../exec/trusted-path.ts';
import {runProgram} from '../run-program.ts';
import {type Desktop, pngSize, type ProgramCall} from './desktop.ts';
import {displayNames, type FoundDesktop, missingText} from './find-desktop.ts';
import {macosDesktop} from './macos.ts';
import {waylandDesktop} from './wayland.ts';
import {x11Desktop} from './x11.ts';

/** Runs a program to its end. A failure gives the reason as the end of a sentence. An abort kills the program. */
export type RunProgram = (call: ProgramCall, signal: AbortSignal) => Promise<Outcome<Buffer, string>>;

const limitMs = 30_000;

/** The maximum number of bytes to read of a program's output. */
const maxPrinted = 64_000_000;

/** The environment variables that display programs get. No variable with a secret is among them. */
const passedVariables =
  /^(?:PATH|HOME|USER|DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|XDG_\w+|YDOTOOL_SOCKET|LANG|LC_\w+|TMPDIR)$/u;

export const programRunner =
  (given: Environment): RunProgram =>
  async ({program, args, stdin}, signal) => {
    const path = findProgram(program);
    if (path === undefined) return failed('is not installed');
    const environment = Object.fromEntries(Object.entries(given).filter(([name]) => passedVariables.test(name)));
    const run = {folder: '.', environment, input: stdin, limitMs, maxOutput: maxPrinted};
    const {kind, code, output, stderr, message} = await runProgram(path, args, run, signal);
    switch (kind) {
      case 'aborted':
        return failed('was interrupted');
      case 'too-slow':
        return failed(`did not end in ${limitMs / 1000} s`);
      case 'too-much':
        return failed('printed too much');
      case 'not-started':
        return failed(`did not start: ${message}`);
      case 'exited': {
        if (code === 0) return ok(output);
        const reason = stderr.trim().split('\n', 1)[0] ?? '';
        return failed(`failed${reason === '' ? ` with exit code ${code}` : `: ${reason.slice(0, 300)}`}`);
      }
      default:
        return unreachable(kind);
    }
  };

export interface ComputerOptions {
  readonly found: FoundDesktop | undefined;
  readonly run: RunProgram;
  /** Returns the path of a file for a screenshot. */
  readonly newFile: () => string;
}

/** Controls the computer through the programs that were found. */
export function makeComputer({found, run, newFile}: ComputerOptions): Omit<ComputerPort, 'using'> {
  const missing = missingProgramsFault(found);
  if (found === undefined || missing !== undefined) {
    const none = failed(missing ?? missingDisplayFault);
    return {probe: async () => none, act: async () => none, screenshot: async () => none};
  }
  const desktop = desktopOf(found);
  /** The size of the screen at the last look. Points refer to that screenshot. */
  let screen: Size | undefined;

  /** Runs the programs and returns the output of the last one. */
  async function runAll(calls: readonly ProgramCall[], signal: AbortSignal): Promise<Outcome<Buffer, Fault>> {
    let printed: Buffer = Buffer.alloc(0);
    for (const each of calls) {
      const ended = await run(each, signal);
      if (ended.tag === 'failed') return failed(rejected(`${each.program} ${ended.error}.`));
      printed = ended.value;
    }
    return ok(printed);
  }

  async function readScreenSize(signal: AbortSignal): Promise<Outcome<Size, Fault>> {
    const {programCall, read} = desktop.size;
    const printed = await runAll([programCall], signal);
    if (printed.tag === 'failed') return failed(screenFault(printed.error, found?.display));
    const size = read(printed.value);
    if (size === undefined) return failed(rejected(`${programCall.program} did not report the size of the screen.`));
    screen = size;
    return ok(size);
  }

  return {
    async probe(signal) {
      const size = await readScreenSize(signal);
      return size.tag === 'ok' ? ok(undefined) : size;
    },
    async act(step, signal) {
      if (step.kind === 'wait') {
        await delay(step.ms, undefined, {signal}).catch(() => {});
        return ok(undefined);
      }
      const size = screen === undefined ? await readScreenSize(signal) : ok(screen);
      if (size.tag === 'failed') return size;
      const shown = screenshotSize(size.value);
      const outside = pointsOf(step).find(({x, y}) => x >= shown.width || y >= shown.height);
      if (outside !== undefined) {
        const {width, height} = shown;
        return failed(rejected(`${outside.x},${outside.y} is outside the screenshot (${width}×${height}).`));
      }
      const onScreen = ({x, y}: Point): Point => ({
        x: Math.min(size.value.width - 1, Math.round(((x + 0.5) * size.value.width) / shown.width - 0.5)),
        y: Math.min(size.value.height - 1, Math.round(((y + 0.5) * size.value.height) / shown.height - 0.5)),
      });
      const ended = await runAll(desktop.calls(withPoints(step, onScreen)), signal);
      // The button may still be down, so release it even after an abort.
      if (ended.tag === 'failed' && step.kind === 'drag') await runAll(desktop.release, new AbortController().signal);
      return ended.tag === 'ok' ? ok(undefined) : ended;
    },
    async screenshot(signal) {
      const looked = await readScreenSize(signal);
      if (looked.tag === 'failed') return looked;
      const size = screenshotSize(looked.value);
      try {
        const file = newFile();
        const taking = desktop.screenshot({screen: looked.value, size, file});
        if (taking === 'cannot-scale') return failed(cannotScaleFault);
        const printed = await runAll(taking.calls, signal);
        if (printed.tag === 'failed') return printed;
        const bytes = taking.picture === 'printed' ? printed.value : await readFile(taking.picture.file);
        const kept = await saveScreenshot(bytes, {screen: looked.value, file});
        if (taking.picture !== 'printed' && taking.picture.file !== file) await rm(taking.picture.file, {force: true});
        return kept;
      } catch (cause) {
        return failed(rejected(`The screenshot could not be saved: ${causeText(cause)}.`));
      }
    },
  };
}

/** Returns why the computer can't be used here; `undefined` if all programs are there. */
function missingProgramsFault(found: FoundDesktop | undefined): Fault | undefined {
  if (found === undefined) return missingDisplayFault;
  if (found.missing.length === 0) return undefined;
  return needsUser(
    `The computer cannot be used: programs for ${displayNames[found.display]} are missing`,
    `Install ${missingText(found)}.`,
  );
}

const missingDisplayFault: Fault = needsUser(
  'The computer cannot be used: there is no display here',
  'Run weft where DISPLAY or WAYLAND_DISPLAY is set, or on macOS.',
);

const cannotScaleFault: Fault = needsUser(
  "maim can't scale screenshots, and this screen is too large",
  'Install ImageMagick or scrot.',
);

const screenFault = (fault: Fault, display: FoundDesktop['display'] | undefined): Fault =>
  needsUser(
    `The screen cannot be used: ${fault.message.replace(/\.$/u, '')}`,
    display === 'macos' ? 'Allow the terminal Screen Recording and Accessibility in the system settings.' : '',
  );

function desktopOf({display, programs}: FoundDesktop): Desktop {
  switch (display) {
    case 'x11':
      return x11Desktop(programs[0] ?? 'import');
    case 'wayland':
      return waylandDesktop;
    case 'macos':
      return macosDesktop;
    default:
      return unreachable(display);
  }
}

function screenshotSize({width, height}: Size): Size {
  const factor = Math.min(1, maxEdge / Math.max(width, height));
  return {width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor))};
}

async function saveScreenshot(
  bytes: Buffer,
  {screen, file}: {readonly screen: Size; readonly file: string},
): Promise<Outcome<Screenshot, Fault>> {
  const size = pngSize(bytes);
  if (size === undefined) return failed(rejected('The screenshot program produced no PNG.'));
  if (bytes.length > maxBytes) {
    const most = byteSize(maxBytes);
    return failed(rejected(`The screenshot is too large: ${byteSize(bytes.length)}, at most ${most} can be sent.`));
  }
  await writeFile(file, bytes, {mode: 0o600});
  const image = {kind: 'image', mediaType: 'image/png', data: bytes.toString('base64')} as const;
  return ok({...size, image, bytes: bytes.length, screen, path: file});
}

type PointingStep = Exclude<ComputerStep, {kind: 'wait'}>;

function pointsOf(step: PointingStep): readonly Point[] {
  if ('at' in step) return [step.at];
  return step.kind === 'drag' ? [step.from, step.to] : [];
}

function withPoints(step: PointingStep, map: (point: Point) => Point): PointingStep {
  if ('at' in step) return {...step, at: map(step.at)};
  return step.kind === 'drag' ? {...step, from: map(step.from), to: map(step.to)} : step;
}
