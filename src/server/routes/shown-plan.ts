import * as z from 'zod/mini';
import {planStates, planStepStatuses} from '../../domain/plan.ts';
import {schemaNotes} from '../../tasks/stack/stack-records.ts';

/** A step of a plan, as the seed has it. */
export const planStep = z.object({id: z.string(), description: z.string(), status: z.enum(planStepStatuses)});

/** A plan as programs read it: the TaskPlan of the seed, with its state. */
export const taskPlan = z.object({
  id: z.string(),
  goal: z.string(),
  steps: z.array(planStep),
  notes: z.optional(z.string()),
  createdAt: z.string(),
  state: z.enum(planStates),
  sessionId: z.string(),
  workDir: z.string(),
  reason: z.optional(z.string()),
});
schemaNotes.add(taskPlan, {id: 'TaskPlan'});
