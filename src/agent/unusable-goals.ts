import {type Condition, readCondition} from '../domain/goal.ts';
import {hidingText} from '../domain/receipt.ts';
import type {AgentPorts} from './ports.ts';

/** Says why a goal's command proves nothing if it exits with 0. Empty if it does. */
export const hiddenCondition = async (
  condition: Condition,
  {ports}: JudgedSession,
  source: 'written' | 'named' = 'written',
): Promise<string> =>
  condition.kind === 'command'
    ? hidingText(condition.command, await ports.judge.hidingIn(condition.command), source)
    : '';

interface JudgedSession {
  readonly ports: Pick<AgentPorts, 'judge'>;
}

/** Says why weft can't check the condition of a plan's step, or why it proves nothing. Empty if all are fine. */
export async function unusableGoal(goals: readonly string[], session: JudgedSession): Promise<string> {
  for (const goal of goals) {
    const read = readCondition(goal);
    const why = read.tag === 'failed' ? read.error : await hiddenCondition(read.value, session);
    if (why !== '') return why;
  }
  return '';
}
