import {unknownContent, unknownEffect, type FileEffect, type SimpleCommand} from '../domain/risk.ts';
import type {Ground} from './ground.ts';
import {plainText} from './programs/judge-program.ts';
import {programName} from './wrappers.ts';
import type {Concern, JudgedCall, Judgement} from './walk-script.ts';

/** Whether content that exists now would be lost, for each part of a command that could lose some. */
export interface FileEffects {
  readonly ofCall: (call: JudgedCall) => FileEffect;
  readonly ofConcern: (concern: Concern) => FileEffect;
}

/**
 * Looks at the disk as it is before the command runs, part by part in the order of the text. A part that puts something where an earlier
 * part has moved a file to counts as losing it: `mv a b; mv c b` loses what was in `a`. Behind a part that can bring files back from
 * elsewhere (git, an archive, a move that is not understood), nothing is promised any more.
 */
export function fileEffects({calls, concerns}: Judgement, ground: Pick<Ground, 'effectOf'>): FileEffects {
  const ofCalls = new Map<JudgedCall, FileEffect>();
  const ofConcerns = new Map<Concern, FileEffect>();
  const filled: string[] = [];
  let foreseeable = true;
  const look = (command: SimpleCommand): FileEffect => {
    const effect = ground.effectOf(command);
    const loses = effect.touches.some(path => filled.some(earlier => overlap(path, earlier)))
      ? 'something'
      : effect.loses === 'nothing' && !foreseeable
        ? 'unknown'
        : effect.loses;
    filled.push(...effect.moves);
    return {...effect, loses};
  };
  const parts = [
    ...concerns
      .filter(({effect}) => effect === 'writes')
      .map(concern => ({
        from: concern.range.from,
        look(): void {
          const {target} = concern;
          const command = {argv: [''], directory: '/', overwrites: [target], content: unknownContent} as const;
          ofConcerns.set(concern, target === '' ? unknownEffect : look(command));
        },
      })),
    ...calls
      .filter(({reason, elsewhere}) => reason !== undefined && elsewhere === 'unsure')
      .map(call => ({
        from: call.range.from,
        look(): void {
          const command = knownCommand(call);
          const effect = command === undefined ? unknownEffect : look(command);
          ofCalls.set(call, effect);
          const program = programName(plainText(call.words[0]) ?? '');
          if (effect.loses === 'unknown' && (restores.has(program) || program === '')) foreseeable = false;
        },
      })),
  ];
  for (const part of parts.toSorted((a, b) => a.from - b.from)) part.look();
  return {
    ofCall: call => ofCalls.get(call) ?? unknownEffect,
    ofConcern: concern => ofConcerns.get(concern) ?? unknownEffect,
  };
}

/** Programs that can put a person's files where none are now, so that a later part could lose them. */
const restores: ReadonlySet<string> = new Set(
  'git mv cp ln install rsync tar unzip cpio patch svn hg jj sudo doas env xargs find eval bash sh zsh'.split(' '),
);

/** The call where each word is known, or is a pattern of names, and so is the folder; `undefined` for all others. */
function knownCommand({words, directories}: JudgedCall): SimpleCommand | undefined {
  const texts = words.flatMap(({value}) => {
    const [only, ...more] = typeof value === 'string' ? [] : value;
    return only === undefined || more.length > 0 || (only.style !== 'plain' && only.style !== 'wild')
      ? []
      : [only.text];
  });
  const [program, ...given] = texts;
  const [directory, ...others] = directories;
  if (program === undefined || texts.length < words.length || directory === undefined || others.length > 0)
    return undefined;
  return {argv: [program, ...given], directory, overwrites: [], content: unknownContent};
}

const overlap = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
