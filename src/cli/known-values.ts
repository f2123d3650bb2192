import {unreachable} from '../base/unreachable.ts';
import {timeAgo} from '../base/time-ago.ts';
import {visibleLine} from '../base/visible.ts';
import {parseSettingName, settingChoices, settingNames} from '../config/settings-schema.ts';
import {sessionTitle, shortSessionIds} from '../domain/session-list.ts';
import {defaultAnthropicModel, defaultGeminiModel, defaultOpenAiModel} from '../models/model-facts.ts';
import {isStoreMade, openUserStore} from '../app/user-database.ts';
import {userPlaces} from '../app/user-data.ts';

/** Kinds of values that depend on the user's data, so the command table can't list them. */
export type AskedKind = 'session' | 'model' | 'setting' | 'value' | 'server';

/** A word that can complete the input, and its description. */
export type Candidate = readonly [word: string, about: string];

/**
 * Returns completions from the user's data: names of sessions, models, settings and MCP servers, and the choices of the setting
 * named in `before`.
 */
export async function knownValues(kind: AskedKind, before: string): Promise<readonly Candidate[]> {
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
      const {knownServers} = await import('../app/known-servers.ts');
      const {servers} = await knownServers(process.cwd());
      return servers.map(({name, path}) => [visibleLine(name), path]);
    }
    default:
      return unreachable(kind);
  }
}

/** Returns the saved sessions, newest first. Does not create a missing store. */
async function savedSessions() {
  const places = userPlaces();
  return isStoreMade(places) ? (await openUserStore(places)).list({}) : [];
}
