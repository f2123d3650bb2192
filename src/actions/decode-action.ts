import type {Json} from '../base/json.ts';
import type {Outcome} from '../base/outcome.ts';
import {failed, ok} from '../base/outcome.ts';
import {rejected, type Fault} from '../domain/fault.ts';
import {actionNames, actionOf, definitions, type Action, type ActionName} from './catalogue.ts';
import type {ToolForm} from './define-action.ts';
import {deepestInput, isDeeperThan} from './json-depth.ts';

/** What a model is told of a tool it may call. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly action: ActionName;
  readonly jsonSchema: ToolForm<never>['jsonSchema'];
}

/** The tools of every built action, in catalogue order: the same list every time, so that prompt caches hold. */
export function offeredTools(): readonly OfferedTool[] {
  return actionNames.flatMap(action =>
    definitions[action].build.state === 'built'
      ? definitions[action].tools.map(({name, description, jsonSchema}) => ({name, description, action, jsonSchema}))
      : [],
  );
}

/**
 * Turns a tool call into an action of the catalogue. An unknown name, an action that is not built and an input that does not
 * fit are faults for the model to read; nothing throws.
 */
export function decodeAction(name: string, input: Json): Outcome<Action, Fault> {
  if (isDeeperThan(input, deepestInput)) {
    return failed(
      rejected(`The input of ${name} is nested more than ${deepestInput} levels deep; send a flatter one.`),
    );
  }
  for (const action of actionNames) {
    const decoded = decodeAs(action, name, input);
    if (decoded !== undefined) return decoded;
  }
  return failed(rejected(`There is no tool named ${JSON.stringify(name)}. Available: ${offeredNames()}.`));
}

/** `undefined` when the action does not go by `tool`. */
function decodeAs<N extends ActionName>(action: N, tool: string, input: Json): Outcome<Action, Fault> | undefined {
  const definition = definitions[action];
  const form = definition.tools.find(({name}) => name === tool);
  if (form === undefined) return undefined;
  if (definition.build.state === 'declared') {
    return failed(rejected(`${tool} is not built yet in this version of weft. Available: ${offeredNames()}.`));
  }
  const decoded = form.decode(input);
  if (decoded.tag === 'failed') return failed(rejected(`The input of ${tool} does not fit: ${decoded.error}.`));
  return ok(actionOf(action, decoded.value));
}

const offeredNames = (): string =>
  offeredTools()
    .map(({name}) => name)
    .join(', ');
