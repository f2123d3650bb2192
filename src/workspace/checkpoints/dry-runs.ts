import {mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import * as z from 'zod/mini';
import {parseJson} from '../../base/json.ts';
import {dryRunsFolder} from '../../config/places.ts';
import {tryOr} from '../../base/outcome.ts';
import {planStepStatuses} from '../../domain/plan.ts';
import {entryNames} from '../files/list-folder.ts';

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
  entryNames(dryRunsFolder(checkpoints)).flatMap(name => {
    const json = parseJson(tryOr(() => readFileSync(join(dryRunsFolder(checkpoints), name), 'utf8'), ''));
    const parsed = json.tag === 'ok' ? dryRun.safeParse(json.value) : undefined;
    return parsed?.success === true ? [parsed.data] : [];
  });

/** Writes a dry run in place of an earlier one of the same plan. */
export function saveDryRun(checkpoints: string, run: DryRun): void {
  mkdirSync(dryRunsFolder(checkpoints), {recursive: true, mode: 0o700});
  const file = join(dryRunsFolder(checkpoints), run.plan);
  writeFileSync(`${file}.new`, JSON.stringify(run), {mode: 0o600});
  renameSync(`${file}.new`, file);
}

export const removeDryRun = (checkpoints: string, {plan}: Pick<DryRun, 'plan'>): void =>
  rmSync(join(dryRunsFolder(checkpoints), plan), {force: true});

/** Returns the checkpoints that dry runs need. */
export const treesOfDryRuns = (checkpoints: string): readonly string[] =>
  dryRunsIn(checkpoints).flatMap(({before, end}) => (end === undefined ? [before] : [before, end.after]));
