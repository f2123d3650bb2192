import type {ActionName} from '../../src/actions/catalogue.ts';
import {defineAction, type ActionDefinition} from '../../src/actions/define-action.ts';
import type {renderers} from '../../src/tui/views/renderers.ts';

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
interface Cut {
  readonly path: string;
}

type Whole = ActionDefinition<Input, Output, Cut>;

const whole: Whole = {
  summary: 'Weigh a file.',
  risk: 'read-only',
  scheduling: 'parallel',
  tools: [],
  label: ({path}) => `Weigh ${path}`,
  cancelled: ({path}) => ({path}),
  tell: ({bytes}) => [{kind: 'text', text: String(bytes)}],
  tellCut: () => '',
  build: {state: 'declared'},
};

export const accepted = defineAction<Input, Output, Cut>(whole);

declare const withoutCancelled: Omit<Whole, 'cancelled'>;
// @ts-expect-error -- an action says what its cancelled result carries
export const noCancelledResult = defineAction<Input, Output, Cut>(withoutCancelled);

declare const withoutRisk: Omit<Whole, 'risk'>;
// @ts-expect-error -- an action says what it can do at worst
export const noRiskClass = defineAction<Input, Output, Cut>(withoutRisk);

declare const withoutLabel: Omit<Whole, 'label'>;
// @ts-expect-error -- an action names its target
export const noLabel = defineAction<Input, Output, Cut>(withoutLabel);

declare const withoutSummary: Omit<Whole, 'summary'>;
// @ts-expect-error -- an action says in a line what it does
export const noSummary = defineAction<Input, Output, Cut>(withoutSummary);

declare const withoutTell: Omit<Whole, 'tell'>;
// @ts-expect-error -- an action says what the model reads of its success
export const nothingTold = defineAction<Input, Output, Cut>(withoutTell);

// @ts-expect-error -- the cancelled result is the action's own, not any value
export const otherCut = defineAction<Input, Output, Cut>({...whole, cancelled: () => ({bytes: 0})});

// @ts-expect-error -- a risk is one of the known levels
export const otherRisk = defineAction<Input, Output, Cut>({...whole, risk: 'harmless'});

export const neverRuns = defineAction<Input, Output, Cut>({
  ...whole,
  // @ts-expect-error -- a built action can be shown and run
  build: {state: 'built', preview: async () => ({tag: 'ok', value: {kind: 'none'}})},
});

/** The terminal UI's table: one more action in the catalogue, or one line less in the table, and it no longer compiles. */
type Rendered<Name extends string> = Readonly<Record<Name, unknown>>;

declare const table: typeof renderers;
declare const tableWithoutGrep: Omit<typeof renderers, 'grep'>;

export const complete: Rendered<ActionName> = table;

// @ts-expect-error -- the new action has no renderer
export const newAction: Rendered<ActionName | 'weigh-file'> = table;

// @ts-expect-error -- one action has lost its renderer
export const lostRenderer: typeof renderers = tableWithoutGrep;
