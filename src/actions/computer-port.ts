import type {Outcome} from '../base/outcome.ts';
import type {ImageBlock} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';

/** The screen, mouse and keyboard of this machine, used through installed programs. */
export interface ComputerPort {
  /** Whether there is a display with programs for it. Starts nothing. */
  readonly using: 'offered' | 'none';
  /** Asks the display for its size. Fails if the programs don't work, and says what to do. */
  probe(signal: AbortSignal): Promise<Outcome<undefined, Fault>>;
  /** Performs one step in at most 30 s. Releases any held button, even after an abort. */
  act(step: ComputerStep, signal: AbortSignal): Promise<Outcome<undefined, Fault>>;
  /** Captures the whole screen, at most `maxEdge` pixels wide and high and `maxBytes` large. Keeps a copy as a file. */
  screenshot(signal: AbortSignal): Promise<Outcome<Screenshot, Fault>>;
}

/** The longest edge of a screenshot, in pixels: about what models see sharply. */
export const maxEdge = 1280;

/** The maximum number of bytes of a screenshot. Models accept images of 5 MB as base64. */
export const maxBytes = 3_600_000;

export interface Screenshot extends Size {
  readonly image: ImageBlock;
  readonly bytes: number;
  /** The size of the screen itself, in the pixels that its programs count. */
  readonly screen: Size;
  readonly path: string;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A point in pixels of the screenshot, from its upper left corner. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export type ComputerStep =
  | {readonly kind: 'click'; readonly at: Point; readonly button: MouseButton; readonly times: 1 | 2}
  | {readonly kind: 'move'; readonly at: Point}
  | {readonly kind: 'drag'; readonly from: Point; readonly to: Point}
  | {readonly kind: 'type'; readonly text: string}
  | ({readonly kind: 'keys'} & KeyChord)
  | {readonly kind: 'scroll'; readonly at: Point; readonly direction: ScrollDirection; readonly notches: number}
  | {readonly kind: 'wait'; readonly ms: number};

export const mouseButtons = ['left', 'middle', 'right'] as const;
export type MouseButton = (typeof mouseButtons)[number];

export const scrollDirections = ['up', 'down', 'left', 'right'] as const;
export type ScrollDirection = (typeof scrollDirections)[number];

export interface KeyChord {
  readonly modifiers: readonly Modifier[];
  readonly key: Key;
}

export type Modifier = 'ctrl' | 'shift' | 'alt' | 'super';

export type Key = {readonly named: NamedKey} | {readonly character: string};

export const namedKeys = [
  ...([
    'enter',
    'tab',
    'space',
    'escape',
    'backspace',
    'delete',
    'insert',
    'home',
    'end',
    'pageup',
    'pagedown',
  ] as const),
  ...(['up', 'down', 'left', 'right'] as const),
  ...(['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8', 'f9', 'f10', 'f11', 'f12'] as const),
] as const;
export type NamedKey = (typeof namedKeys)[number];

/** The computer as the session may use it: after the user agrees, until the agreed time is over. */
export interface SessionComputer extends Omit<ComputerPort, 'using'> {
  /** Records that the user agreed. Returns the time at which the permission ends, in milliseconds since 1970. */
  grant(asked: ComputerRequest): number;
  /** Returns the request that the user agreed to while the permission holds. Otherwise returns `undefined`, and the agent has to ask. */
  granted(): ComputerRequest | undefined;
}

export interface ComputerRequest {
  readonly task: string;
  readonly minutes: number;
}
