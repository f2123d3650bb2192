import {timeAgo} from '../../../base/time-ago.ts';
import {visibleLine} from '../../../base/visible.ts';
import {parseSettingName, settingChoices, settingNames} from '../../../config/settings-schema.ts';
import {sessionTitle, shortSessionIds} from '../../../domain/session-list.ts';
import {defaultAnthropicModel, defaultGeminiModel, defaultOpenAiModel} from '../../../models/model-facts.ts';
import {isStoreMade, openUserStore} from '../../../app/user-database.ts';
import {userPlaces} from '../../../app/user-data.ts';
import {print} from '../../../app/output.ts';

/** A word that a shell can complete to, and what it says of it. */
type Candidate = readonly [word: string, about: string];

/**
 * `weft __complete KIND BEFORE`, which completion scripts call on TAB: prints one candidate a line, what is said of it behind a tab.
 * `before` is the word before the one that is completed. Nothing is printed for an unknown kind.
 */
export async function printCandidates(kind: string, before: string): Promise<void> {
  const candidates = await candidatesOf(kind, before);
  print(candidates.map(([word, about]) => `${word}\t${visibleLine(about)}\n`).join(''));
}

async function candidatesOf(kind: string, before: string): Promise<readonly Candidate[]> {
  switch (kind) {
    case 'session': {
      const sessions = await savedSessions();
      const ids = shortSessionIds(sessions);
      const now = Date.now();
      return sessions.map(session => [
        ids.get(session.id) ?? session.id,
        `${sessionTitle(session)}, ${timeAgo(now - session.updatedAt)}`,
      ]);
    }
    case 'model': {
      const used = (await savedSessions()).map(({model}) => model).filter(model => model !== '');
      const known = [
        process.env['WEFT_MODEL'] ?? '',
        defaultAnthropicModel,
        defaultOpenAiModel,
        defaultGeminiModel,
        ...used,
      ];
      return [...new Set(known)].filter(model => model !== '').map(model => [visibleLine(model), '']);
    }
    case 'setting':
      return settingNames.map(([name, about]) => [name, about]);
    case 'value': {
      const name = parseSettingName(before);
      return name.tag === 'failed' ? [] : settingChoices(name.value).map(choice => [choice, '']);
    }
    case 'server': {
      const {knownServers} = await import('../../../app/known-servers.ts');
      const {servers} = await knownServers(process.cwd());
      return servers.map(({name, path}) => [visibleLine(name), path]);
    }
    default:
      return [];
  }
}

/** The sessions, newest first; a store that does not exist is not made. */
async function savedSessions() {
  const places = userPlaces();
  return isStoreMade(places) ? (await openUserStore(places)).list({}) : [];
}
