import {spawn} from 'node:child_process';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {Environment} from './shell-environment.ts';

export interface CopyGround {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** To the terminal. */
  readonly write: (sequence: string) => void;
}

/**
 * Puts a text on the clipboard: through the first program that can, and through the terminal, which also reaches the one in front
 * of whom it stands over SSH. Nothing is written to the disk. Answers with one sentence.
 */
export async function copyText(
  text: string,
  {environment, platform, write}: CopyGround,
): Promise<Outcome<string, string>> {
  let by: string | undefined;
  for (const writer of writersFor(platform, environment)) {
    // oxlint-disable-next-line no-await-in-loop -- the next one is asked only where this one cannot
    if (await run(writer, text, environment)) {
      by = writer.program;
      break;
    }
  }
  const encoded = Buffer.from(text).toString('base64');
  const isDumb = environment['TERM'] === 'dumb';
  const fits = encoded.length <= mostEncoded && !isDumb;
  if (fits) write(`\u001B]52;c;${encoded}\u0007`);
  const what = `${text.length} ${text.length === 1 ? 'character' : 'characters'}`;
  if (by !== undefined) return ok(`Copied ${what} with ${by}${fits ? ' and through the terminal (OSC 52)' : ''}.`);
  if (fits) {
    return ok(
      `Sent ${what} to the terminal for its clipboard (OSC 52). Where it does not allow that, nothing was copied.`,
    );
  }
  return failed(
    `${isDumb ? 'This terminal has no clipboard' : `${what} are too much for a terminal's clipboard (OSC 52)`}, and no program that copies was found. ` +
      `Install ${programsFor(platform)}, or write a file with /export.`,
  );
}

/** More than this (base64) terminals cut off or ignore. */
const mostEncoded = 100_000;

interface Writer {
  readonly program: string;
  readonly options: readonly string[];
}

/** The programs that reach a clipboard, by where weft runs. */
function writersFor(platform: NodeJS.Platform, environment: Environment): readonly Writer[] {
  const has = (name: string): boolean => (environment[name] ?? '') !== '';
  const clip: Writer = {program: 'clip.exe', options: []};
  if (platform === 'darwin') return [{program: 'pbcopy', options: []}];
  if (platform === 'win32') return [clip];
  return [
    ...(has('WAYLAND_DISPLAY') ? [{program: 'wl-copy', options: []}] : []),
    ...(has('DISPLAY')
      ? [
          {program: 'xclip', options: ['-selection', 'clipboard', '-in']},
          {program: 'xsel', options: ['--clipboard', '--input']},
        ]
      : []),
    ...(has('WSL_DISTRO_NAME') || has('WSL_INTEROP') ? [clip] : []),
    ...(has('TMUX') ? [{program: 'tmux', options: ['load-buffer', '-w', '-']}] : []),
  ];
}

const programsFor = (platform: NodeJS.Platform): string =>
  platform === 'darwin' ? 'pbcopy' : platform === 'win32' ? 'clip.exe' : 'wl-copy (Wayland) or xclip (X11)';

/** In milliseconds. */
const runLimit = 3000;

/** Whether it took the text. What goes on in the background to serve the clipboard keeps none of our pipes. */
function run({program, options}: Writer, text: string, environment: Environment): Promise<boolean> {
  const {promise, resolve} = Promise.withResolvers<boolean>();
  const child = spawn(program, options, {stdio: ['pipe', 'ignore', 'ignore'], env: environment});
  const late = setTimeout(() => child.kill('SIGKILL'), runLimit);
  child.once('error', () => resolve(false));
  child.once('exit', code => resolve(code === 0));
  child.stdin.on('error', () => {});
  // clip.exe takes UTF-16 for what it is only with its mark.
  child.stdin.end(program === 'clip.exe' ? Buffer.from(`\uFEFF${text}`, 'utf16le') : text);
  return promise.finally(() => clearTimeout(late));
}
