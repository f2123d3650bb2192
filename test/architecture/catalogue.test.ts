import * as fc from 'fast-check';
import * as z from 'zod';
import {describe, expect, test} from 'vitest';
import {isJsonList, isJsonObject, type Json} from '../../src/base/json.ts';
import {
  type ActionName,
  actionNames,
  actionOf,
  cancelledResult,
  definitions,
  labelOf,
  modelContent,
} from '../../src/actions/catalogue.ts';
import {defaultToolSources, decodeAction, enabledTools, searchableTools} from '../../src/actions/decode-action.ts';
import {sampleActions} from '../support/sample-actions.ts';
import {filesUnder, readText} from './repository.ts';

/** Those that are always offered, and those that the model has to find. */
const allTools = [...enabledTools(defaultToolSources), ...searchableTools];

const why = {reason: 'interrupted', message: ''} as const;

describe.each(actionNames)('%s', name => {
  test('has a summary of one line that ends in a full stop', () => {
    expect(definitions[name].summary).toMatch(/^[A-Z][^\n]*\.$/u);
  });

  test('has a file of its own name', () => {
    expect(filesUnder('src/actions')).toContain(`src/actions/${name}.ts`);
  });

  test('names its target in its label', () => {
    expect(labelOf(sampleAction(name))).toBe(sampleActions[name].label);
  });

  test('has its own cancelled result, and tells the model of it', () => {
    const action = sampleAction(name);
    const settled = cancelledResult(action, why);
    expect(settled).toEqual({state: 'cancelled', why, partial: sampleActions[name].partial});
    expect(tellCancelled(name)).toEqual([{kind: 'text', text: 'The user interrupted this.'}]);
  });
});

const namesOf = (actions: readonly ActionName[]): readonly string[] =>
  actions.flatMap(action => definitions[action].tools.map(({name}) => name));

/** Without those that models are not told of. */
const listedNamesOf = (actions: readonly ActionName[]): readonly string[] =>
  actions.flatMap(action =>
    definitions[action].tools.flatMap(({name, listing}) => (listing === 'listed' ? [name] : [])),
  );

describe('tool names', () => {
  test('are unique and of the form that every provider takes', () => {
    const forms = namesOf(actionNames);
    expect(forms).toEqual([...new Set(forms)]);
    expect(forms.filter(name => !/^[A-Z][A-Za-z]{0,63}$/u.test(name))).toEqual([]);
  });

  test('are offered each once; some only where there is something to use them on', () => {
    const skills = {names: ['pdf'], lines: '- pdf: Read and write PDF files'};
    const sources = {
      ...defaultToolSources,
      resources: 'offered',
      moreTools: 'There are more.',
      foundTools: new Set(searchableTools.map(({name}) => name)),
      webSearch: 'offered',
      skills,
      answerSchema: {type: 'object'},
    } as const;
    expect(enabledTools(sources).map(({name}) => name)).toEqual(listedNamesOf(actionNames));
    const onOccasion: readonly ActionName[] = [
      'read-mcp-resource',
      'search-tools',
      'web-search',
      'read-skill',
      'give-structured-answer',
      ...searchableTools.map(({action}) => action),
    ];
    expect(enabledTools().map(({name}) => name)).toEqual(
      listedNamesOf(actionNames.filter(name => !onOccasion.includes(name))),
    );
  });

  test('that models are not told of can be called all the same', () => {
    expect(namesOf(actionNames).filter(name => !listedNamesOf(actionNames).includes(name))).toEqual([
      'MultiEdit',
      'ApplyPatch',
      'Task',
    ]);
    const patch = '*** Begin Patch\n*** Delete File: a.ts\n*** End Patch';
    expect(decodeAction('ApplyPatch', {patch})).toMatchObject({value: {name: 'request-file-edits'}});
    expect(decodeAction('ApplyPatch', {patch: 1}).tag).toBe('failed');
    const edits = [{old_string: 'a', new_string: 'b'}];
    expect(decodeAction('MultiEdit', {file_path: 'a.ts', edits})).toMatchObject({value: {name: 'request-file-edits'}});
    const task = decodeAction('Task', {description: 'x', prompt: 'y', subagent_type: 'general-purpose'});
    expect(task).toMatchObject({value: {name: 'start-agent', input: {kind: 'general', harness: 'weft'}}});
  });

  test('that nobody knows are a fault that lists what there is', () => {
    expect(decodeAction('Bsah', {})).toEqual({
      tag: 'failed',
      error: {kind: 'rejected', message: `No tool named "Bsah". Available: ${offeredNames()}.`},
    });
  });
});

describe('what the model is offered', () => {
  test('stays as it is: a change here breaks prompt caches and clients', async () => {
    const tools = enabledTools().map(({name, description, jsonSchema}) => ({
      name,
      description,
      input_schema: jsonSchema(),
    }));
    await expect(`${JSON.stringify(tools, undefined, 2)}\n`).toMatchFileSnapshot('../golden/tools.json');
  });

  test.each(allTools.map(tool => [tool.name, tool] as const))('%s has a valid schema', (_name, tool) => {
    const schema = tool.jsonSchema();
    expect(schema['type']).toBe('object');
    const properties = isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : [];
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    expect(required.filter(name => !properties.includes(String(name)))).toEqual([]);
    expect(() => z.fromJSONSchema({...schema})).not.toThrow();
  });

  test.each(Object.entries(calls()))(
    '%s: its schema and its decoder agree on a good and a bad input',
    (name, {good, bad}) => {
      const tool = allTools.find(offered => offered.name === name);
      const schema = z.fromJSONSchema({...tool?.jsonSchema()});
      expect({schema: schema.safeParse(good).success, decoder: decodeAction(name, good).tag}).toEqual({
        schema: true,
        decoder: 'ok',
      });
      expect({schema: schema.safeParse(bad).success, decoder: decodeAction(name, bad).tag}).toEqual({
        schema: false,
        decoder: 'failed',
      });
    },
  );

  test.each(Object.entries(calls()))('%s refuses a field that it does not have, at every depth', (name, {good}) => {
    for (const strange of withStranger(good)) {
      expect({input: strange, told: decodeAction(name, strange)}).toEqual({
        input: strange,
        told: {
          tag: 'failed',
          error: {kind: 'rejected', message: expect.stringMatching(/there is no field (?:\w+\.)*stranger\b/u)},
        },
      });
    }
  });

  const renamed = actionNames.flatMap(action =>
    definitions[action].tools.flatMap(({name, aliases, wholeSchema}) =>
      Object.entries(aliases).map(([other, field]) => [name, other, field, wholeSchema()] as const),
    ),
  );
  test.each(renamed)('%s: %s is another name of the field %s, and no field itself', (_tool, other, field, schema) => {
    const fields = fieldsIn(schema);
    expect(fields.some(names => names.includes(field) && !names.includes(other))).toBe(true);
  });

  test('lets a model ask until when to wait, though the schema has only numbers', () => {
    expect(decodeAction('BashOutput', {block_id: 'b1', delay: 'completion'}).tag).toBe('ok');
  });

  // Schemas leave out bounds, which some providers refuse.
  test.each<[string, Json]>([
    ['AskUserQuestion', {questions: []}],
    ['CreateDocuments', {documents: []}],
    ['RequestComputerUse', {task_summary: 'x', minutes: 61}],
    ['SearchCodebase', {query: 'retry', limit: 31}],
    ['Bash', {command: ''}],
    ['Glob', {pattern: '*', max_depth: 0}],
    ['Read', {file_path: 'a', offset: -1}],
    ['FetchConversation', {conversation_id: '0f9a', before: 0}],
  ])('%s: an empty text and a number out of bounds are refused', (name, input) => {
    expect(decodeAction(name, input).tag).toBe('failed');
  });

  test('has a sample call for every tool', () => {
    expect(Object.keys(calls()).toSorted()).toEqual(allTools.map(({name}) => name).toSorted());
  });
});

test('whatever a model sends is decoded or refused in words, and never throws', () => {
  const names = fc.oneof(fc.constantFrom(...allTools.map(({name}) => name)), fc.string());
  fc.assert(
    fc.property(names, fc.jsonValue(), (name, input) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fast-check's JSON values are ours, typed otherwise
      const decoded = decodeAction(name, input as Json);
      if (decoded.tag === 'failed') expect(decoded.error.kind === 'rejected' && decoded.error.message).not.toBe('');
      else expect(labelOf(decoded.value)).not.toBe('');
    }),
  );
});

const sampleAction = <N extends ActionName>(name: N) => actionOf(name, sampleActions[name].input);

/** What the model reads of a cancelled sample. */
function tellCancelled<N extends ActionName>(name: N) {
  const {input} = sampleActions[name];
  return modelContent<N>({name, input, settled: cancelledResult<N>({name, input}, why)});
}

const offeredNames = (): string =>
  enabledTools()
    .map(({name}) => name)
    .join(', ');

/** The input with one more field, once for each object in it. */
function withStranger(input: Json): readonly Json[] {
  if (isJsonList(input)) return input.flatMap((item, at) => withStranger(item).map(changed => input.with(at, changed)));
  if (!isJsonObject(input)) return [];
  return [
    {...input, stranger: 1},
    ...Object.entries(input).flatMap(([key, value]) =>
      withStranger(value).map(changed => ({...input, [key]: changed})),
    ),
  ];
}

/** The names of the fields of each object that a schema describes. */
function fieldsIn(schema: Json | undefined): readonly (readonly string[])[] {
  if (!isJsonObject(schema)) return [];
  const {properties, items} = schema;
  const inner = isJsonObject(properties) ? Object.values(properties) : [];
  return [...(isJsonObject(properties) ? [Object.keys(properties)] : []), ...[items, ...inner].flatMap(fieldsIn)];
}

/** One input that fits and one that does not, for every tool a model is offered. */
function calls(): Readonly<Record<string, {readonly good: Json; readonly bad: Json}>> {
  return {
    BashInput: {good: {block_id: 'b1', input: 'y', mode: 'raw'}, bad: {block_id: 'b1', input: 'y', mode: 'typed'}},
    BashOutput: {good: {block_id: 'b1', delay: 5}, bad: {block_id: 'b1', delay: 'soon'}},
    BashHandOver: {good: {block_id: 'b1', reason: 'a password'}, bad: {block_id: 'b1'}},
    Bash: {good: {command: 'ls', timeout: 1000, is_read_only: true}, bad: {command: ['ls']}},
    Read: {good: {file_path: 'a.ts', offset: 1, limit: 10}, bad: {file_path: 1}},
    Edit: {good: {file_path: 'a.ts', old_string: 'a', new_string: 'b'}, bad: {file_path: 'a.ts', old_string: 'a'}},
    Write: {good: {file_path: 'a.ts', content: ''}, bad: {file_path: 'a.ts'}},
    Grep: {good: {pattern: 'a', output_mode: 'content', '-i': true}, bad: {pattern: 'a', output_mode: 'lines'}},
    Glob: {good: {pattern: '**/*.ts', max_matches: 2}, bad: {pattern: '**/*.ts', max_matches: 'two'}},
    WebFetch: {good: {url: 'https://example.com/', prompt: 'the price'}, bad: {url: 1}},
    ReadDocuments: {good: {document_ids: []}, bad: {document_ids: 'd1'}},
    CreateDocuments: {good: {documents: [{title: 'Plan', content: ''}]}, bad: {documents: 'Plan'}},
    EditDocuments: {
      good: {diffs: [{document_id: 'd1', search: 'a', replace: ''}]},
      bad: {diffs: [{document_id: 'd1', replace: 'a'}]},
    },
    InsertCodeReviewComments: {
      good: {base_branch: 'main', comments: [{path: 'a.ts', line: 1, end_line: 2, text: 'x', severity: 'error'}]},
      bad: {comments: [{path: 'a.ts', line: 'x', text: 'x'}]},
    },
    OpenCodeReview: {good: {base_branch: 'main'}, bad: {base_branch: 1}},
    UploadArtifact: {good: {file_path: 'a.pdf', description: 'x'}, bad: {file_path: 1}},
    InitProject: {good: {}, bad: []},
    SandboxExec: {good: {command: 'make', apply: true}, bad: {command: 'make', apply: 'yes'}},
    SearchCodebase: {good: {query: 'retry', path: 'src', limit: 5}, bad: {query: 'retry', limit: 'x'}},
    FetchConversation: {good: {conversation_id: '0f9a', before: 3}, bad: {conversation_id: 9}},
    SuggestPrompt: {good: {prompt: 'run the tests', label: 'tests'}, bad: {prompt: 1}},
    ExitPlanMode: {good: {goal: 'g', steps: ['one'], notes: 'n'}, bad: {goal: 'g'}},
    SuggestNewConversation: {good: {summary: 'The cart is done.'}, bad: {summary: 1}},
    RequestComputerUse: {good: {task_summary: 'Fill in the form', minutes: 5}, bad: {task_summary: 'x', minutes: 'x'}},
    UseComputer: {
      good: {
        actions: [
          {action: 'click', x: 1, y: 2},
          {action: 'keys', keys: 'ctrl+c'},
        ],
      },
      bad: {actions: [{action: 'fly'}]},
    },
    Agent: {
      good: {description: 'find it', prompt: 'Where is it?', subagent_type: 'explore', run_in_background: false},
      bad: {description: 'find it'},
    },
    SendMessage: {good: {to: 'find it', message: 'Look in src.'}, bad: {to: 'find it'}},
    AskUserQuestion: {
      good: {questions: [{question: 'Which?', options: [{label: 'a'}, {label: 'b'}], multiSelect: false}]},
      bad: {questions: 'Which?'},
    },
    TodoWrite: {
      good: {todos: [{content: 'Look', status: 'in_progress', activeForm: 'Looking'}]},
      bad: {todos: [{content: 'Look', status: 'doing'}]},
    },
  };
}

describe('adding an action', () => {
  /** Besides the catalogue: the table of how results are drawn, and a wire format that has a form for commands alone. */
  const tables = ['src/tui/scrollback/action-results.ts', 'src/protocol/rpc/command-result.ts'];
  /** Names that mean something else as well: a program, a field of the task protocol. */
  const homonyms: Readonly<Partial<Record<ActionName, RegExp>>> = {
    grep: /^src\/(?:safety\/commands\/|app\/lazy-ports|extensions\/harnesses\/pi)/u,
    'update-todos': /^src\/protocol\/(?:task|transform)\//u,
  };
  const outside = filesUnder('src').filter(path => /\.tsx?$/u.test(path) && !path.startsWith('src/actions/'));

  test.each(actionNames)('%s: no file but the table of how results are drawn depends on its name', name => {
    const naming = outside.filter(path => homonyms[name]?.test(path) !== true && readText(path).includes(`'${name}'`));
    expect(naming.filter(path => !tables.includes(path))).toEqual([]);
  });

  test.each(actionNames)('%s: its definition is imported by the catalogue alone', name => {
    const [, definition = ''] = /export const (\w+) = defineAction</u.exec(readText(`src/actions/${name}.ts`)) ?? [];
    const imports = new RegExp(`import [^;]*\\b${definition}\\b[^;]*/${name}\\.ts'`, 'u');
    const importing = filesUnder('src').filter(path => /\.tsx?$/u.test(path) && imports.test(readText(path)));
    expect([definition === '', importing]).toEqual([false, ['src/actions/catalogue.ts']]);
  });
});
