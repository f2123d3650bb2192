import {addRule} from '../config/edit-rules.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import {causeText, type Fault} from '../domain/fault.ts';
import type {KeptRule} from './change-rules.ts';
import {grantable} from './outside-only.ts';
import {recordOwnRule, settingsIn, shareNothing, targetFile, trustAsBefore} from './settings-target.ts';

/**
 * Writes a rule that a person gave in an answer into their settings or those of the folder `cwd`. It counts at the next start:
 * what it is about, the person said; what else a clone brought along in these files still waits for trust.
 */
export async function keepRule({list, rule, reach}: KeptRule, cwd: string): Promise<Outcome<unknown, Fault>> {
  try {
    const may = await grantable(`Keeping the rule ${rule}`);
    if (may.tag === 'failed') return may;
    const file = targetFile({...flagOf[reach], cwd});
    const before = settingsIn(cwd);
    const added = await addRule({path: file.path, list, rule});
    if (added.tag === 'failed' || file.source === 'user') return added;
    if (file.source === 'local') shareNothing(file.path);
    const recorded = list === 'allow' ? await recordOwnRule({rule, change: 'added'}, cwd) : ok(undefined);
    return recorded.tag === 'failed' ? recorded : await trustAsBefore(before, {cwd, written: file.source});
  } catch (cause) {
    return failed({kind: 'needs-user', message: `The rule ${rule} was not kept: ${causeText(cause)}`, fix: ''});
  }
}

const flagOf = {user: {user: true}, local: {local: true}, project: {project: true}} as const satisfies Record<
  KeptRule['reach'],
  object
>;
