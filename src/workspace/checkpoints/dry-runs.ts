import {rmSync} from 'node:fs';
import * as z from 'zod/mini';
import {dryRunsFolder} from '../../config/places.ts';
import {planStepStatuses} from '../../domain/plan.ts';
import {noteFile, notesIn, saveNote} from './stored-notes.ts';

const dryRun = z.object({
  plan: z.string(),
  /** The session in which the agent carried the plan out. */
  session: z.string(),
  /** The process that carries the plan out, as `ownerText`. */
  owner: z.string(),
  /** The plan as text, which must not change until it is applied. */
  text: z.string(),
  /** The plan's state before the dry run. */
  was: z.enum(['pending', 'approved']),
  /** When it began, in milliseconds since the epoch. */
  at: z.number(),
  roots: z.tuple([z.string()], z.string()),
  before: z.string(),
  /** The files afterwards, and how far the plan came; missing while it runs. */
  end: z.optional(
    z.object({
      after: z.string(),
      state: z.enum(['completed', 'failed', 'stopped']),
      steps: z.array(z.enum(planStepStatuses)),
    }),
  ),
});

/** A plan that was carried out without changing the workspace. Its checkpoints are kept until it is applied. */
export type DryRun = z.infer<typeof dryRun>;

/** Lists the dry runs on the disk. */
export const dryRunsIn = (checkpoints: string): readonly DryRun[] =>
  notesIn(dryRunsFolder(checkpoints), dryRun).map(({note}) => note);

const fileOf = (checkpoints: string, {plan}: Pick<DryRun, 'plan'>): string =>
  noteFile(dryRunsFolder(checkpoints), plan);

/** Writes a dry run in place of an earlier one of the same plan. */
export const saveDryRun = (checkpoints: string, run: DryRun): void => saveNote(fileOf(checkpoints, run), run);

/** Removes the dry run of a plan. */
export const removeDryRun = (checkpoints: string, run: Pick<DryRun, 'plan'>): void =>
  rmSync(fileOf(checkpoints, run), {force: true});

/** Returns the checkpoints that dry runs need. */
export const treesOfDryRuns = (checkpoints: string): readonly string[] =>
  dryRunsIn(checkpoints).flatMap(({before, end}) => (end === undefined ? [before] : [before, end.after]));
