import {ok} from '../../src/base/outcome.ts';
import type {ActionName} from '../../src/actions/catalogue.ts';
import {defineAction, type ActionDefinition} from '../../src/actions/define-action.ts';
import type {renderers} from '../../src/tui/scrollback/action-results.ts';

/**
 * Type tests: compiled with everything else, never run. Each expected error is something that must not compile; when it does,
 * the compiler reports the expectation as unused.
 */

interface Input {
  readonly path: string;
}
interface Output {
  readonly bytes: number;
}
interface PartialOutput {
  readonly path: string;
}

type Whole = ActionDefinition<Input, Output, PartialOutput>;

const whole: Whole = {
  summary: 'Weigh a file.',
  risk: 'read-only',
  scheduling: 'parallel',
  offered: 'always',
  access: ({path}) => ({kind: 'read', paths: [path]}),
  ruleKind: 'reading',
  asks: [],
  tools: [],
  label: ({path}) => `Weigh ${path}`,
  cancelled: ({path}) => ({path}),
  modelContent: ({bytes}) => [{kind: 'text', text: String(bytes)}],
  partialText: () => '',
  outcome: () => [],
  reported: 'as-action',
  past: 'as-it-is',
  preview: async () => ok({kind: 'none'}),
  run: async () => ({state: 'success', output: {bytes: 0}}),
};

export const accepted = defineAction<Input, Output, PartialOutput>(whole);

declare const withoutCancelled: Omit<Whole, 'cancelled'>;
// @ts-expect-error -- an action says what its cancelled result carries
export const noCancelledResult = defineAction<Input, Output, PartialOutput>(withoutCancelled);

declare const withoutRisk: Omit<Whole, 'risk'>;
// @ts-expect-error -- an action says what it can do at worst
export const noRiskClass = defineAction<Input, Output, PartialOutput>(withoutRisk);

declare const withoutLabel: Omit<Whole, 'label'>;
// @ts-expect-error -- an action names its target
export const noLabel = defineAction<Input, Output, PartialOutput>(withoutLabel);

declare const withoutSummary: Omit<Whole, 'summary'>;
// @ts-expect-error -- an action says in a line what it does
export const noSummary = defineAction<Input, Output, PartialOutput>(withoutSummary);

declare const withoutModelContent: Omit<Whole, 'modelContent'>;
// @ts-expect-error -- an action says what the model reads of its success
export const noModelContent = defineAction<Input, Output, PartialOutput>(withoutModelContent);

// @ts-expect-error -- the cancelled result is the action's own, not any value
export const otherPartial = defineAction<Input, Output, PartialOutput>({...whole, cancelled: () => ({bytes: 0})});

// @ts-expect-error -- a risk is one of the known levels
export const otherRisk = defineAction<Input, Output, PartialOutput>({...whole, risk: 'harmless'});

declare const withoutRun: Omit<Whole, 'run'>;
// @ts-expect-error -- an action can be run
export const neverRuns = defineAction<Input, Output, Partial>(withoutRun);

declare const withoutAccess: Omit<Whole, 'access'>;
// @ts-expect-error -- an action says what it would touch
export const noAccess = defineAction<Input, Output, Partial>(withoutAccess);

/** The terminal UI's table: one more action in the catalogue, or one line less in the table, and it no longer compiles. */
type Rendered<Name extends string> = Readonly<Record<Name, unknown>>;

declare const table: typeof renderers;
declare const tableWithoutGrep: Omit<typeof renderers, 'grep'>;

export const complete: Rendered<ActionName> = table;

// @ts-expect-error -- the new action has no renderer
export const newAction: Rendered<ActionName | 'weigh-file'> = table;

// @ts-expect-error -- one action has lost its renderer
export const lostRenderer: typeof renderers = tableWithoutGrep;
