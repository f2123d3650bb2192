import type {Environment} from '../exec/shell-environment.ts';

export type Display = 'x11' | 'wayland' | 'macos';

/** What shows windows here, and the programs that were found for it. */
export interface FoundDesktop {
  readonly display: Display;
  /** One for each purpose, in the order of `purposes`. */
  readonly programs: readonly string[];
  /** Of what is missing, the programs that would do. */
  readonly missing: readonly (readonly string[])[];
}

/** For each display the purposes, and the programs that serve each, the best first: screenshots, then mouse and keyboard. */
const purposes: Readonly<Record<Display, readonly (readonly string[])[]>> = {
  x11: [['import', 'magick', 'scrot', 'maim'], ['xdotool']],
  wayland: [['grim'], ['ydotool'], ['wtype']],
  macos: [['screencapture'], ['sips'], ['osascript']],
};

/** Looks for the display and its programs; starts nothing. `undefined`: there is no display. */
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
  if (platform === 'win32') return undefined;
  if ((environment['WAYLAND_DISPLAY'] ?? '') !== '') return 'wayland';
  return (environment['DISPLAY'] ?? '') === '' ? undefined : 'x11';
}

export const displayNames = {x11: 'X11', wayland: 'Wayland', macos: 'macOS'} as const satisfies Record<Display, string>;

/** `import, magick, scrot or maim; xdotool`. */
export const missingText = ({missing}: FoundDesktop): string =>
  missing
    .map(names => [names.slice(0, -1).join(', '), names.at(-1)].filter(part => part !== '').join(' or '))
    .join('; ');
