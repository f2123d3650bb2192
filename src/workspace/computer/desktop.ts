import type {ComputerStep, Size} from '../../actions/computer-port.ts';

/** One start of a program. Text that may hold secrets goes through stdin: others can see arguments. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin: string;
}

/** How the programs of a display are told what to do. */
export interface Desktop {
  /** The size of the screen, out of what the program prints. */
  readonly size: {readonly call: ProgramCall; readonly read: (printed: Buffer) => Size | undefined};
  /** `printed`: the picture is what the last program prints; else it is the file that is named. */
  screenshot(wanted: {
    readonly screen: Size;
    readonly size: Size;
    readonly file: string;
  }): {readonly calls: readonly ProgramCall[]; readonly picture: 'printed' | {readonly file: string}} | 'cannot-scale';
  /** Points are those of the screen. */
  calls(step: Exclude<ComputerStep, {kind: 'wait'}>): readonly ProgramCall[];
  /** Lets go of what a drag that broke off may hold. */
  readonly release: readonly ProgramCall[];
}

export const call = (program: string, ...args: readonly (string | number)[]): ProgramCall => ({
  program,
  args: args.map(String),
  stdin: '',
});

/** The size of a PNG as its header says; `undefined` for anything else. */
export function pngSize(bytes: Buffer): Size | undefined {
  const isPng = bytes.length > 24 && bytes.subarray(0, 8).equals(pngSignature);
  return isPng ? {width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20)} : undefined;
}

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Two numbers as programs print a size: `1920 1080`. */
export function printedSize(printed: Buffer): Size | undefined {
  const [, width = '', height = ''] = /^\s*(\d{1,6}) (\d{1,6})\s*$/u.exec(printed.toString('latin1')) ?? [];
  return Number(width) > 0 && Number(height) > 0 ? {width: Number(width), height: Number(height)} : undefined;
}
