import type {Environment} from '../exec/shell-environment.ts';

export type Display = 'x11' | 'wayland' | 'macos';

/** The display of this machine, and the programs found for it. */
export interface FoundDesktop {
  readonly display: Display;
  /** One program for each purpose, in the order of `purposes`. */
  readonly programs: readonly string[];
  /** For each missing purpose, the programs that would serve it. */
  readonly missing: readonly (readonly string[])[];
}

/** For each display: the purposes, and for each purpose its programs, best first. Screenshots come first, then mouse and keyboard. */
const purposes: Readonly<Record<Display, readonly (readonly string[])[]>> = {
  x11: [['import', 'magick', 'scrot', 'maim'], ['xdotool']],
  wayland: [['grim'], ['ydotool'], ['wtype']],
  macos: [['screencapture'], ['sips'], ['osascript']],
};

/** Finds the display and its programs without starting any. `undefined` if there is no display. */
export function findDesktop(
  platform: NodeJS.Platform,
  environment: Environment,
  find: (program: string) => string | undefined,
): FoundDesktop | undefined {
  const display = displayOf(platform, environment);
  if (display === undefined) return undefined;
  const chosen = purposes[display].map(oneOf => ({oneOf, program: oneOf.find(name => find(name) !== undefined)}));
  return {
    display,
    programs: chosen.flatMap(({program}) => program ?? []),
    missing: chosen.flatMap(({oneOf, program}) => (program === undefined ? [oneOf] : [])),
  };
}

function displayOf(platform: NodeJS.Platform, environment: Environment): Display | undefined {
  if (platform === 'darwin') return 'macos';
  if ((environment['WAYLAND_DISPLAY'] ?? '') !== '') return 'wayland';
  return (environment['DISPLAY'] ?? '') === '' ? undefined : 'x11';
}

export const displayNames = {x11: 'X11', wayland: 'Wayland', macos: 'macOS'} as const satisfies Record<Display, string>;

/** Returns a list such as `import, magick, scrot or maim; xdotool`. */
export const missingText = ({missing}: FoundDesktop): string =>
  missing
    .map(names => [names.slice(0, -1).join(', '), names.at(-1)].filter(part => part !== '').join(' or '))
    .join('; ');
