import type {ComputerStep, Size} from '../../actions/computer-port.ts';

/** One start of a program. Text that may contain secrets goes through stdin, because other users can see arguments. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin: string;
}

/** The program calls that control one kind of display. */
export interface Desktop {
  /** How to get the size of the screen from a program's output. */
  readonly size: {readonly programCall: ProgramCall; readonly read: (printed: Buffer) => Size | undefined};
  /** `printed`: the screenshot is the output of the last program. Otherwise it is in the named file. */
  screenshot(wanted: {
    readonly screen: Size;
    readonly size: Size;
    readonly file: string;
  }): {readonly calls: readonly ProgramCall[]; readonly picture: 'printed' | {readonly file: string}} | 'cannot-scale';
  /** Points are in screen coordinates. */
  calls(step: Exclude<ComputerStep, {kind: 'wait'}>): readonly ProgramCall[];
  /** Releases the mouse button after a failed drag. */
  readonly release: readonly ProgramCall[];
}

export const call = (program: string, ...args: readonly (string | number)[]): ProgramCall => ({
  program,
  args: args.map(String),
  stdin: '',
});

/** Returns the size in a PNG's header; `undefined` for anything else. */
export function pngSize(bytes: Buffer): Size | undefined {
  const isPng = bytes.length > 24 && bytes.subarray(0, 8).equals(pngSignature);
  return isPng ? {width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)} : undefined;
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Parses a size as programs print it: `1920 1080`. */
export function printedSize(printed: Buffer): Size | undefined {
  const [, width = '', height = ''] = /^\s*(\d{1,6}) (\d{1,6})\s*$/u.exec(printed.toString('latin1')) ?? [];
  return Number(width) > 0 && Number(height) > 0 ? {width: Number(width), height: Number(height)} : undefined;
}
