import {type FileEffect, type ResolvedCommand, unknownContent, unknownFileEffect} from '../../domain/risk.ts';
import type {PathContext} from '../paths/path-context.ts';
import {isWithin} from '../paths/path-parts.ts';
import type {SideEffect, JudgedInvocation, ScriptAnalysis} from './analyze-command.ts';
import {plainText} from './only-reads.ts';
import {hasTrait} from './known-programs.ts';
import {commandsStarted} from './risks.ts';
import {programName} from './layers.ts';

/** The functions that decide whether a part of a command would destroy existing file content. */
export interface FileEffects {
  readonly ofInvocation: (invocation: JudgedInvocation) => InvocationEffect;
  readonly ofSideEffect: (sideEffect: SideEffect) => FileEffect;
  /** Returns the files whose content the invocation's redirections would change, including those for which this is not known. */
  readonly overwritten: (invocation: JudgedInvocation) => readonly string[];
}

/** One effect on files, by an invocation or by a command that it runs. */
export interface InvocationEffect extends FileEffect {
  /** The words of the command with this effect, without its wrappers. */
  readonly words: readonly string[];
}

/**
 * Examines the disk before the command runs, for each part of the command in text order. A part that writes to a path
 * to which an earlier part moved a file destroys that file: `mv a b; mv c b` destroys what was in `a`. After a part
 * that can create files from elsewhere (git, an archive, a move that is not understood), the effect of each later part
 * is unknown.
 */
export function fileEffects(
  {invocations, sideEffects}: ScriptAnalysis,
  context: Pick<PathContext, 'effectOf'>,
): FileEffects {
  const ofInvocations = new Map<JudgedInvocation, InvocationEffect>();
  const ofSideEffects = new Map<SideEffect, FileEffect>();
  const destinations: string[] = [];
  let isForeseeable = true;
  const assess = (command: ResolvedCommand): FileEffect => {
    const effect = context.effectOf(command);
    const loses = effect.touches.some(path => destinations.some(earlier => overlap(path, earlier)))
      ? 'something'
      : effect.loses === 'nothing' && !isForeseeable
        ? 'unknown'
        : effect.loses;
    destinations.push(...effect.moves);
    return {...effect, loses};
  };
  const parts = [
    ...sideEffects
      .filter(({effect}) => effect === 'writes')
      .map(sideEffect => ({
        from: sideEffect.range.from,
        assess(): void {
          const {target} = sideEffect;
          const command = {argv: [''], directory: '/', overwrites: [target], content: unknownContent} as const;
          ofSideEffects.set(sideEffect, target === '' ? unknownFileEffect : assess(command));
        },
      })),
    ...invocations
      .filter(({reason, elsewhere}) => reason !== undefined && elsewhere === 'unsure')
      .map(invocation => ({
        from: invocation.range.from,
        assess(): void {
          const command = knownCommand(invocation);
          const own = plainText(invocation.words[0]) ?? '';
          const effects =
            command === undefined
              ? [{...unknownFileEffect, words: [own]}]
              : commandsStarted(command.argv).flatMap(({words, where}) => {
                  const [program = '', ...args] = words;
                  const effect = where === 'here' ? assess({...command, argv: [program, ...args]}) : unknownFileEffect;
                  return [{...effect, words}];
                });
          ofInvocations.set(invocation, effects.find(({loses}) => loses === 'something') ?? effects[0] ?? nothingKnown);
          const names = effects.map(({loses, words}) => (loses === 'unknown' ? programName(words[0] ?? '') : 'known'));
          if (names.some(name => hasTrait(name, 'restores')) || names[0] === '') isForeseeable = false;
        },
      })),
  ];
  for (const part of parts.toSorted((a, b) => a.from - b.from)) part.assess();
  return {
    ofInvocation: invocation => ofInvocations.get(invocation) ?? nothingKnown,
    ofSideEffect: sideEffect => ofSideEffects.get(sideEffect) ?? unknownFileEffect,
    overwritten: ({overwrites, directories, content}) => {
      const [directory, ...others] = directories;
      if (directory === undefined || others.length > 0) return overwrites;
      return overwrites.filter(
        path => context.effectOf({argv: [''], directory, overwrites: [path], content}).loses !== 'nothing',
      );
    },
  };
}

const nothingKnown: InvocationEffect = {...unknownFileEffect, words: []};

/**
 * Returns the invocation as a simple command, or `undefined` unless its folder and all its words are known. Wildcards count as
 * known.
 */
function knownCommand({words, directories}: JudgedInvocation): ResolvedCommand | undefined {
  const texts = words.flatMap(({value}) => {
    const [only, ...more] = typeof value === 'string' ? [] : value;
    return only === undefined || more.length > 0 || (only.style !== 'plain' && only.style !== 'wild')
      ? []
      : [only.text];
  });
  const [program, ...args] = texts;
  const [directory, ...others] = directories;
  if (program === undefined || texts.length < words.length || directory === undefined || others.length > 0)
    return undefined;
  return {argv: [program, ...args], directory, overwrites: [], content: unknownContent};
}

const overlap = (a: string, b: string): boolean => isWithin(a, b) || isWithin(b, a);
