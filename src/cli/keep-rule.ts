import {addRule} from '../config/edit-rules.ts';
import {failed, type Outcome} from '../base/outcome.ts';
import {causeText, type Fault} from '../domain/fault.ts';
import type {KeptRule} from './change-rules.ts';
import {settingsIn, targetFile, trustAsBefore} from './settings-target.ts';

/**
 * Writes a rule that a person gave in an answer into their settings or those of the folder `cwd`. What they say so is trusted as
 * far as what was in the folder before: whoever has not trusted its files gets the rule written, and a word that it counts for nothing.
 */
export async function keepRule({list, rule, reach}: KeptRule, cwd: string): Promise<Outcome<unknown, Fault>> {
  try {
    const file = targetFile(
      reach === 'always' ? {user: true, cwd} : reach === 'local' ? {local: true, cwd} : {project: true, cwd},
    );
    const before = settingsIn(cwd);
    const added = await addRule({path: file.path, list, rule});
    if (added.tag === 'failed' || file.source === 'user') return added;
    const trust = await trustAsBefore(before, cwd);
    if (trust.tag === 'failed' || trust.value === 'trusted' || list !== 'allow') return trust;
    return failed({
      kind: 'needs-user',
      message: `${file.path} has the rule ${rule} now, and the folder is not trusted: the next run of weft asks all the same`,
      fix: 'To trust it: weft permissions trust.',
    });
  } catch (cause) {
    return failed({kind: 'needs-user', message: `The rule ${rule} was not kept: ${causeText(cause)}`, fix: ''});
  }
}
