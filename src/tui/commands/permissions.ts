import type {RequestedRuleChange, RuleRow} from '../../agent/client.ts';
import {ruleLists, type RuleScope} from '../../domain/risk.ts';
import {
  type Choice,
  choicePanel,
  type ChoicePanel,
  type ChoiceRow,
  confirmPanel,
  choiceOfEffects,
} from '../state/panels/panel.ts';
import {type CommandContext, openList, slashCommand} from './command.ts';

export const permissionsCommand = slashCommand({
  name: 'permissions',
  usage: '/permissions [allow|ask|deny RULE]',
  summary: 'View, add, and remove permission rules',
  choices: [
    ...ruleLists.map(list => ({value: list, summary: `Add a rule: ${listDescription(list)}`})),
    {value: 'allow Trust(domain:', summary: 'Trust the text of a web site'},
    {value: 'allow Trust(mcp__', summary: 'Trust the text of an MCP server'},
  ],
  run(argument, context) {
    const [, word = '', rule = ''] = /^(\S+)\s+(\S[^]*)$/u.exec(argument) ?? [];
    const list = ruleLists.find(each => each === word);
    if (argument === '')
      openList({title, loading: 'Loading rules…', request: {query: 'permission-rules'}}, rulesPanel, context);
    else if (list === undefined) {
      context.notify('warning', 'Give a list and a rule: /permissions allow Bash(npm test:*)');
    } else if (/\((?:domain:|mcp__)?$/u.test(rule)) context.writeDraft(`/permissions ${argument}`);
    else context.open(scopePanel(list, rule));
  },
});

export async function changeRule(rule: RequestedRuleChange, context: CommandContext): Promise<void> {
  const text = await context.runQuery({query: 'change-rule', rule});
  if (text !== undefined) context.notify('info', text);
}

const title = 'Permission rules';

function listDescription(list: RuleRow['list']): string {
  return {allow: 'run without asking', ask: 'always ask', deny: 'never run'}[list];
}

/** Lists the rules with their sources, followed by rows that add a rule. */
const rulesPanel = (rules: readonly RuleRow[]): ChoicePanel =>
  choicePanel({
    title,
    does: 'select',
    rows: [
      ...rules.map(row => ({
        label: row.rule,
        details: [row.list, row.source, row.reason === '' ? '' : `no effect: ${row.reason}`],
        mark: 'none' as const,
        choice: removalOf(row),
      })),
      ...ruleLists.map((list): ChoiceRow => ({
        label: `Add ${list} rule`,
        details: [listDescription(list)],
        mark: 'none',
        choice: choiceOfEffects({do: 'write', text: `/permissions ${list} `}),
      })),
    ],
  });

/** Offers to remove a rule of the session or a settings file. Rules from flags and the environment last until weft exits. */
function removalOf({list, rule, source}: RuleRow): Choice {
  const scope = scopes.find(each => each === source);
  if (scope === undefined) {
    return choiceOfEffects({
      do: 'notify',
      text: `Can't remove ${rule}: it comes from ${source} and applies until weft exits`,
    });
  }
  return {
    effects: [],
    next: confirmPanel({
      title: 'Remove this rule?',
      subject: `${list} ${rule} (${source})`,
      does: 'remove',
      yes: {do: 'change-rule', rule: {change: 'remove', list, rule, scope}},
    }),
  };
}

const scopes = ['session', 'local', 'project', 'user'] as const satisfies readonly RuleScope[];

const scopePanel = (list: RuleRow['list'], rule: string): ChoicePanel =>
  choicePanel({
    title: `${list} ${rule}`,
    does: 'add',
    rows: scopes.map(scope => ({
      label: scopeLabels[scope],
      details: [],
      mark: 'none',
      choice: choiceOfEffects({do: 'change-rule', rule: {change: 'add', list, rule, scope}}),
    })),
  });

const scopeLabels = {
  session: 'This session',
  local: 'This project, for you',
  project: 'This project, for everyone',
  user: 'All your projects',
} as const satisfies Record<RuleScope, string>;
