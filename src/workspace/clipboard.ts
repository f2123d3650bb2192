import {failed, ok, type Outcome} from '../base/outcome.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import type {Environment} from './exec/shell-environment.ts';
import {runProgram} from './run-program.ts';

/** A program that writes the clipboard's image to its stdout. */
interface ImageReader {
  readonly program: string;
  readonly options: readonly string[];
  readonly form: 'bytes' | 'base64';
}

const readLimitMs = 5000;

/** Reads the image on the clipboard with the first program that has one. The error says why no program had an image. */
export async function clipboardImage(
  {environment}: {readonly environment: Environment},
  {maxBytes}: {readonly maxBytes: number},
  signal: AbortSignal,
): Promise<Outcome<Buffer, Fault>> {
  const readers = readersFor(process.platform, environment);
  const missing: string[] = [];
  for (const reader of readers) {
    const read = await readWith(reader, {environment, maxBytes}, signal);
    if (read === 'missing') missing.push(reader.program);
    else if (read.length > 0) return ok(read);
  }
  return failed(readProblem(missing.length === readers.length ? 'no-program' : 'no-image', environment));
}

/** Returns the programs that can read the clipboard on this platform. */
export function readersFor(platform: NodeJS.Platform, environment: Environment): readonly ImageReader[] {
  const has = (name: string): boolean => (environment[name] ?? '') !== '';
  switch (platform) {
    case 'darwin':
      return [reader('pngpaste', '-'), {program: 'osascript', options: ['-e', appleScript], form: 'base64'}];
    default:
      return [
        ...(has('WAYLAND_DISPLAY') ? imageTypes.map(type => reader('wl-paste', '--no-newline', '--type', type)) : []),
        ...(has('DISPLAY') ? imageTypes.map(type => reader('xclip', '-selection', 'clipboard', '-t', type, '-o')) : []),
        ...(has('WSL_DISTRO_NAME') || has('WSL_INTEROP') ? [powershell] : []),
      ];
  }
}

const imageTypes = ['image/png', 'image/jpeg'];
const reader = (program: string, ...options: readonly string[]): ImageReader => ({program, options, form: 'bytes'});

const powershell: ImageReader = {
  program: 'powershell.exe',
  options: [
    '-NoProfile',
    '-NonInteractive',
    '-STA',
    '-Command',
    'Add-Type -AssemblyName System.Windows.Forms; Add-Type -AssemblyName System.Drawing; ' +
      '$image = [System.Windows.Forms.Clipboard]::GetImage(); if ($image) { $memory = New-Object System.IO.MemoryStream; ' +
      '$image.Save($memory, [System.Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($memory.ToArray()) }',
  ],
  form: 'base64',
};

/** Prints the bytes as `«data PNGf89504E…»`, in hexadecimal. `decode` distinguishes that from base64. */
const appleScript = 'the clipboard as «class PNGf»';

/** Returns the program's output, empty if it failed; `missing` if there is no such program. */
async function readWith(
  {program, options, form}: ImageReader,
  {environment, maxBytes}: {readonly environment: Environment; readonly maxBytes: number},
  signal: AbortSignal,
): Promise<Buffer | 'missing'> {
  const maxOutput = form === 'bytes' ? maxBytes : maxBytes * 2;
  const run = {folder: '.', environment, input: '', limitMs: readLimitMs, maxOutput};
  const {kind, code, output} = await runProgram(program, options, run, signal);
  if (kind === 'not-started') return 'missing';
  if (code !== 0 && kind !== 'too-much') return Buffer.alloc(0);
  return form === 'bytes' ? output : decode(output.toString('latin1'));
}

function decode(text: string): Buffer {
  const hexadecimal = /PNGf([0-9A-F]+)/u.exec(text)?.[1];
  return hexadecimal === undefined ? Buffer.from(text.trim(), 'base64') : Buffer.from(hexadecimal, 'hex');
}

function readProblem(why: 'no-program' | 'no-image', environment: Environment): Fault {
  const isRemote = (environment['SSH_CONNECTION'] ?? '') !== '' || (environment['SSH_TTY'] ?? '') !== '';
  const paste = "Save the image to a file and paste or drag in the file's path, or mention it with @.";
  if (why === 'no-image') return needsUser('No image in the clipboard', paste);
  if (isRemote) {
    return needsUser("Can't read your own machine's clipboard over SSH", paste);
  }
  if ((environment['WAYLAND_DISPLAY'] ?? '') !== '') return missing('wl-paste (package wl-clipboard)', paste);
  if ((environment['DISPLAY'] ?? '') !== '') return missing('xclip', paste);
  return needsUser('No clipboard here that weft can read', paste);
}

const missing = (program: string, otherwise: string): Fault =>
  needsUser(
    `Can't read the clipboard: ${program} is not installed`,
    `Install it, or: ${otherwise.charAt(0).toLowerCase()}${otherwise.slice(1)}`,
  );

interface CopyOptions {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
  /** Writes to the terminal. */
  readonly write: (sequence: string) => void;
}

/**
 * Copies a text to the clipboard, with the first program that works and through the terminal. The terminal also reaches
 * the user's own clipboard over SSH. Writes nothing to the disk. Returns one sentence.
 */
export async function copyText(
  text: string,
  {environment, platform, write}: CopyOptions,
): Promise<Outcome<string, string>> {
  let by: string | undefined;
  for (const writer of writersFor(platform, environment)) {
    if (await copyWith(writer, text, environment)) {
      by = writer.program;
      break;
    }
  }
  const encoded = Buffer.from(text).toString('base64');
  const isDumb = environment['TERM'] === 'dumb';
  const fits = encoded.length <= maxEncoded && !isDumb;
  if (fits) write(`\u001B]52;c;${encoded}\u0007`);
  const what = `${text.length} ${text.length === 1 ? 'character' : 'characters'}`;
  if (by !== undefined) return ok(`Copied ${what} with ${by}`);
  if (fits) {
    return ok(`Copied ${what} (if your terminal allows OSC 52)`);
  }
  return failed(
    `${isDumb ? 'This terminal has no clipboard' : `${what} are too many for a terminal's clipboard (OSC 52)`}, and weft found no clipboard program. ` +
      `Install ${programsFor(platform)}, or write a file with /export.`,
  );
}

/** The longest base64 text; terminals cut off or ignore longer ones. */
const maxEncoded = 100_000;

interface TextWriter {
  readonly program: string;
  readonly options: readonly string[];
}

function writersFor(platform: NodeJS.Platform, environment: Environment): readonly TextWriter[] {
  const has = (name: string): boolean => (environment[name] ?? '') !== '';
  const clip: TextWriter = {program: 'clip.exe', options: []};
  if (platform === 'darwin') return [{program: 'pbcopy', options: []}];
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
  platform === 'darwin' ? 'pbcopy' : 'wl-copy (Wayland) or xclip (X11)';

/** The time limit of a clipboard program, in milliseconds. */
const runLimitMs = 3000;

/** Returns whether the program accepted the text. A helper that keeps serving the clipboard gets none of weft's pipes. */
async function copyWith({program, options}: TextWriter, text: string, env: Environment): Promise<boolean> {
  const {execa} = await import('execa');
  // clip.exe recognizes UTF-16 only by its byte order mark.
  const input = program === 'clip.exe' ? Buffer.from(`\uFEFF${text}`, 'utf16le') : text;
  const limits = {timeout: runLimitMs, killSignal: 'SIGKILL', cleanup: false} as const;
  const silent = {stdout: 'ignore', stderr: 'ignore', extendEnv: false, reject: false} as const;
  const {exitCode} = await execa(program, options, {env, input, ...limits, ...silent});
  return exitCode === 0;
}
