import {failed, type Outcome} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import type {ActiveSkill} from '../domain/slash-command.ts';

/** Skills: instructions for a kind of work, which the model reads when it needs them. */
export interface SkillsPort {
  /** Settles when `catalogue` is complete, after all files are read. */
  ready(signal: AbortSignal): Promise<void>;
  /**
   * Returns what the model reads about the skills it may use, or `undefined` if there are none. Returns the same value until something
   * changes.
   */
  catalogue(): SkillCatalogue | undefined;
  /**
   * Reads a skill that the model may use, even one that the catalog has no room for. A fault says why it can't be used.
   * Settles soon after an abort.
   */
  read(request: SkillRequest, signal: AbortSignal): Promise<Outcome<SkillReading, Fault>>;
}

export interface SkillCatalogue {
  /** The names of all skills. `any` if there are more than the catalog has room for. */
  readonly names: readonly string[] | 'any';
  /** The purposes of the skills, one a line, bounded. With `any`, also names and how to find the others. */
  readonly lines: string;
}

export interface SkillRequest {
  readonly name: string;
  /** Words that the instructions refer to. May be empty. */
  readonly argument: string;
}

export interface SkillReading {
  readonly skill: ActiveSkill;
  /** `already`: the conversation already holds the same instructions, so they are not repeated. */
  readonly given: 'now' | 'already';
  /** Permission rules that apply while the prompt runs. Only the user's own skills have any. */
  readonly allowedTools: readonly string[];
}

export const noopSkills: SkillsPort = {
  ready: async () => {},
  catalogue: () => undefined,
  read: async ({name}) => failed(rejected(`No skill named ${JSON.stringify(name)}.`)),
};
