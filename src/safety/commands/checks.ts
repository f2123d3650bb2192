import type {CheckSetting, FoundCheck} from '../../domain/receipt.ts';
import type {PathContext} from '../paths/path-context.ts';

/** Where a command would run, and the checks that the user's settings name. */
interface CheckPlace {
  readonly directory: string;
  readonly context: PathContext;
  readonly named: readonly CheckSetting[];
}

/** Returns the checks that a command runs, and whether its exit code is theirs. */
export function checksIn(_command: string, _place: CheckPlace): readonly FoundCheck[] {
  return [];
}
