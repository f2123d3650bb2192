import {failed, type Outcome} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {ActiveSkill} from '../domain/slash-command.ts';

/** Skills: instructions for a kind of work, which the model reads when it comes to that work. */
export interface SkillsPort {
  /** Settles when `catalogue` is complete: files have been read. */
  ready(signal: AbortSignal): Promise<void>;
  /** What the model is told of the skills that it may use; `undefined` where there are none. The same value while nothing changed. */
  catalogue(): SkillCatalogue | undefined;
  /** Reads a skill that the model may use, also one for whose name the catalogue has no room. A fault says why it cannot be used; an abort settles soon. */
  read(request: SkillRequest, signal: AbortSignal): Promise<Outcome<SkillReading, Fault>>;
}

export interface SkillCatalogue {
  /** The names of all skills; `any` where there are more than the catalogue has room for. */
  readonly names: readonly string[] | 'any';
  /** What skills are for, one a line, bounded; with `any` names and a note how to find the others. */
  readonly lines: string;
}

export interface SkillRequest {
  readonly name: string;
  /** Words that the instructions refer to; empty for none. */
  readonly argument: string;
}

export interface SkillReading {
  readonly skill: ActiveSkill;
  /** `already`: the conversation holds the same instructions, so they are not given again. */
  readonly given: 'now' | 'already';
  /** Permission rules that hold while the prompt runs; only a skill of the user's own has any. */
  readonly allowedTools: readonly string[];
}

export const noSkills: SkillsPort = {
  ready: async () => {},
  catalogue: () => undefined,
  read: async ({name}) => failed(rejected(`There is no skill ${JSON.stringify(name)}.`)),
};
