import type {Command} from 'commander';
import {exiting, exitCode, type ExitCode} from '../../app/exit-code.ts';
import {addParameters, folderFlag, jsonFlag, type JsonOption} from '../flags.ts';
import type {ListedModel, ModelList} from '../../agent/client.ts';
import {visibleLine} from '../../base/visible.ts';
import {faultText} from '../../domain/fault.ts';
import {knownAsOf} from '../../models/known-models.ts';
import {chosenEfforts, knownModels, modelTable} from '../../models/model-facts.ts';
import {configuredProvider, modelChoice} from '../../app/choose-model.ts';
import {listedModel, listModels, usedProviderText} from '../../app/model-setup.ts';
import {commandFlags, type FolderOption, type MainOptions} from '../../app/main-options.ts';
import {note, print} from '../../app/output.ts';
import {contextFor} from '../../app/run-context.ts';
import {printDocument} from '../rows.ts';
import type {TestOptions} from './models/test-model.ts';

export function add(models: Command, program: Command): void {
  const place = program.options.filter(({long}) => commandFlags.models.has(long));
  const list = models.command('list', {isDefault: true});
  list.description('List the models of the provider, and those that your settings describe');
  addParameters(list, [...place, jsonFlag, folderFlag], exiting(listKnownModels));
  const test = models.command('test').description('Check what weft needs of a model, with ten requests to it');
  addParameters(
    test,
    [
      ['[model]', 'model, or address of a server; without one, the model that weft would use'],
      ...place,
      ['--model <model>', 'Model to test, beside the address of a server'],
      jsonFlag,
      folderFlag,
    ],
    exiting(async (named: string | undefined, options: TestOptions) =>
      (await import('./models/test-model.ts')).testModel(named, options),
    ),
  );
}

type PlaceOptions = Pick<MainOptions, 'provider' | 'baseUrl'>;

/**
 * `weft models list`: prints the models of the configured provider, and those that the user's settings describe. Without a provider, or
 * if it can't be reached, prints the models that weft knows.
 */
async function listKnownModels({json, ...options}: FolderOption & JsonOption & PlaceOptions): Promise<ExitCode> {
  const context = contextFor(options);
  for (const notice of await context.notices()) note(visibleLine(notice));
  const choice = modelChoice(context);
  const provider = configuredProvider(choice);
  const asked =
    provider === undefined || provider === 'replay'
      ? undefined
      : await listModels(choice, new AbortController().signal);
  if (asked?.tag === 'failed') note(faultText(asked.error));
  const table = modelTable(choice.models, {provider: provider ?? '', efforts: chosenEfforts(choice)});
  const known = (model: string): ListedModel => listedModel(model, {info: table.infoOf(model), defaultOf: ''});
  const list: Pick<ModelList, 'models' | 'from'> =
    asked?.tag === 'ok'
      ? asked.value
      : {models: [...knownModels.anthropic, ...knownModels.openai].map(known), from: noneAsked};
  if (list.from.kind === 'weft') note(visibleLine(list.from.why));
  const others = Object.keys(choice.models).filter(name => !list.models.some(({model}) => model === name));
  const models = [...list.models, ...others.map(known)];
  if (json !== undefined) return printDocument({provider, pricesAsOf: knownAsOf, models: models.map(factsOf)});
  const used = await usedProviderText(choice);
  print(`${[...linesOf(models), ...(used === '' ? [] : [`Provider: ${used}.`])].join('\n')}\n`);
  return exitCode.done;
}

const noneAsked = {kind: 'weft', why: 'no provider is configured. These are models that weft knows'} as const;

/** Returns the facts about a model for JSON, without unknown ones. */
function factsOf({
  model,
  defaultOf,
  contextWindow,
  maxOutput,
  price,
  efforts,
  effort,
  images,
  pdfs,
  about,
  from,
}: ListedModel) {
  return {
    model,
    default: defaultOf !== '',
    ...(contextWindow === 0 ? {} : {contextWindow}),
    ...(maxOutput === 0 ? {} : {maxOutput}),
    price: price === 'unknown' ? 'unknown' : pricesOf(price),
    efforts,
    effort,
    images,
    pdfs,
    about,
    from,
  };
}

const pricesOf = ({input, output, cacheRead, cacheWrite}: Exclude<ListedModel['price'], 'unknown'>) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

function linesOf(models: readonly ListedModel[]): readonly string[] {
  const rows = models.map(listed => [
    `${visibleLine(listed.model)}${listed.from === 'settings' ? '*' : ''}`,
    tokensText(listed.contextWindow),
    tokensText(listed.maxOutput),
    listed.price === 'unknown' ? 'price unknown' : `$${listed.price.input} in, $${listed.price.output} out`,
    seenText(listed),
    listed.efforts.length === 0 ? '' : `effort ${listed.efforts.join(' ')}`,
    visibleLine([listed.about, listed.defaultOf === '' ? '' : 'default'].filter(text => text !== '').join(', ')),
  ]);
  const head = ['model', 'context', 'output', 'per million tokens', 'sees', '', ''];
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map(row => row[at]?.length ?? 0)));
  const lines = [head, ...rows].map(row =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const own = models.some(({from}) => from === 'settings') ? ' * from your settings.' : '';
  return [...lines, '', `Prices are US dollars as of ${knownAsOf}.${own}`];
}

const tokensText = (tokens: number): string => (tokens === 0 ? '?' : `${Math.round(tokens / 1000)}k`);

function seenText({images, pdfs}: ListedModel): string {
  if (images === 'unknown' && pdfs === 'unknown') return '?';
  const seen = [images === 'seen' ? 'images' : '', pdfs === 'seen' ? 'PDFs' : ''].filter(text => text !== '');
  return seen.length === 0 ? 'text' : seen.join(', ');
}
