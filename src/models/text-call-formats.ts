import {toolSchema} from '../actions/decode-action.ts';
import {ownToolName} from '../actions/peer-tools.ts';
import {isJsonObject, type Json, type JsonObject, listOf, objectOf, parseJson, textOf} from '../base/json.ts';
import type {ToolSpec} from '../domain/model-stream.ts';

/** A tool call that a model wrote as text. `input` is JSON, or what the model wrote if the call is broken. */
export interface TextCall {
  readonly name: string;
  readonly input: string;
}

type Tools = readonly Pick<ToolSpec, 'name' | 'inputSchema'>[];

/**
 * Reads the tool calls that a model wrote as text, in the format of its family. `text` begins with the first of them, or is the
 * whole answer. Returns an empty list if none of them calls a tool of this request or of another program. Drops text after the
 * calls, because it is mostly the model's invention of their results.
 */
export function readTextCalls(text: string, tools: Tools): readonly TextCall[] {
  for (const read of formats) {
    const calls = read(text, tools).map(call => withoutArguments(call, tools));
    if (calls.some(({name}) => toolNamed(name, tools) !== undefined)) return calls;
  }
  return [];
}

/**
 * Returns the call with its tool's name. GLM sometimes writes arguments into the name, such as
 * `Read<arg_key>file_path</arg_key><arg_value>a.ts</arg_value>`. These go into the input, unless the input has them.
 */
export function withoutArguments(call: TextCall, tools: Tools): TextCall {
  const [name = '', ...markup] = call.name.split(/(?=<)/u);
  const tool = toolNamed(name, tools);
  if (tool === undefined) return call;
  if (markup.length === 0) return {...call, name: tool.name};
  const given = parsed(call.input);
  const text = markup.join('') + (given === undefined ? call.input : '');
  const values = glmValues(text, tool.inputSchema, objectOf(given));
  const read = objectOf(parsed(xmlInput('', values, {schema: tool.inputSchema, isWhole: true})));
  return {name: tool.name, input: JSON.stringify({...read, ...objectOf(given)})};
}

/** True if a text begins like a tool call of a family. The tool may be unknown, and the call may be broken. */
export const isCallMarkup = (text: string): boolean =>
  /^\s*(?:<tool_calls?>\s*(?:[{[<]|[\w.-]+\s*<arg_)|<function=["']?[\w.-]+["']?>|<(?:[a-z]+:)?(?:function_calls>|tool_call>)?\s*<(?:[a-z]+:)?invoke\b|<(?:[a-z]+:)?invoke name=|\[tool_calls\]\s*(?:[{[]|[\w.-]+\s*(?:\[args\]|\{))|<[|｜]\s*(?:tool[_▁]calls?|dsml|python_tag))/iu.test(
    text,
  );

function toolNamed(name: string, tools: Tools): Tools[number] | undefined {
  const plain = name.trim().replace(/^functions\./u, '');
  return (
    tools.find(tool => tool.name === plain) ??
    tools.find(tool => tool.name.toLowerCase() === plain.toLowerCase()) ??
    (tools.length === 0 ? undefined : peerTool(plain))
  );
}

/** Returns a tool that the model knows from its training and was not offered. */
function peerTool(name: string): Tools[number] | undefined {
  const own = ownToolName(name);
  return own === undefined ? undefined : {name, inputSchema: toolSchema(own)};
}

type Format = (text: string, tools: Tools) => readonly TextCall[];

/** `<|tool_call_begin|>functions.n:0<|tool_call_argument_begin|>{…}<|tool_call_end|>` */
const kimi: Format = text =>
  [
    ...text.matchAll(
      /<\|tool_call_begin\|>\s*([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>(.*?)(?:<\|tool_call_end\|>|$)/gsu,
    ),
  ].map(([, name = '', input = '']) => ({name, input: input.trim()}));

/** `<｜tool▁call▁begin｜>n<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`; before V3.1 `function<｜tool▁sep｜>n` and a fence. */
const deepSeek: Format = text =>
  [
    ...text.matchAll(
      /<[|｜]tool[_▁]call[_▁]begin[|｜]>(.*?)<[|｜]tool[_▁]sep[|｜]>(.*?)(?:<[|｜]tool[_▁]call[_▁]end[|｜]>|$)/gsu,
    ),
  ].map(([, head = '', body = '']) => {
    if (head.trim() !== 'function') return {name: head, input: body.trim()};
    const [, name = '', input = ''] = /^\s*(\S+)\s*(?:```(?:json)?)?(.*?)(?:```\s*)?$/su.exec(body) ?? [];
    return {name, input: input.trim()};
  });

/**
 * `<invoke name="n"><parameter name="k">v</parameter></invoke>`, of MiniMax with a prefix or another wrapper, and of DeepSeek since
 * V3.2 as `<｜DSML｜invoke name="n"><｜DSML｜parameter name="k" string="false">1</｜DSML｜parameter>…`.
 */
const invoke: Format = (text, tools) => {
  const plain = text
    .replaceAll(/<(\/?)[|｜]\s*DSML\s*[|｜]\s*/gu, '<$1')
    .replaceAll(/<(\/?)[a-z]+:(invoke|parameter)\b/gu, '<$1$2');
  return [...plain.matchAll(/<invoke name=["']?([^"'>]+)["']?\s*>(.*?)(<\/invoke>|$)/gsu)].map(
    ([, name = '', body = '', end = '']) => ({
      name,
      input: xmlInput(
        body,
        [
          ...body.matchAll(/<parameter name=["']?([^"'>\s]+)["']?([^>]*)>(.*?)<\/parameter>(?=\s*(?:<parameter|$))/gsu),
        ].map(([whole, key = '', attributes = '', value = '']) => ({
          whole,
          key,
          value,
          kind: /string="true"/u.test(attributes) ? 'text' : /string="false"/u.test(attributes) ? 'json' : 'any',
        })),
        {schema: toolNamed(name, tools)?.inputSchema ?? {}, isWhole: end !== ''},
      ),
    }),
  );
};

/** `<function=n><parameter=k>v</parameter></function>`; the `<tool_call>` around it is often missing. */
const qwen: Format = (text, tools) =>
  [...text.matchAll(/<function=["']?([^"'>\s]+)["']?>(.*?)(<\/function>|(?=<\/tool_call>)|$)/gsu)].map(match => {
    const [whole, name = '', body = ''] = match;
    return {
      name,
      input: xmlInput(
        body,
        [...body.matchAll(/<parameter=([^>]+)>(.*?)<\/parameter>(?=\s*(?:<parameter=|$))/gsu)].map(
          ([all, key = '', value = '']): XmlValue => ({whole: all, key: key.trim(), value, kind: 'any'}),
        ),
        {
          schema: toolNamed(name, tools)?.inputSchema ?? {},
          isWhole: match.index + whole.length < text.length || whole.endsWith('</function>'),
        },
      ),
    };
  });

/** `<tool_call>n<arg_key>k</arg_key><arg_value>v</arg_value></tool_call>` */
const glm: Format = (text, tools) =>
  [...text.matchAll(/<tool_call>\s*([\w.-]+)\s*(.*?)(<\/tool_call>|$)/gsu)].map(
    ([, name = '', body = '', end = '']) => {
      const schema = toolNamed(name, tools)?.inputSchema ?? {};
      return {name, input: xmlInput(body, glmValues(body, schema), {schema, isWhole: end !== ''})};
    },
  );

/** Reads GLM's arguments. One without a key is the first required parameter that is not given. */
function glmValues(text: string, schema: JsonObject, given: JsonObject = {}): readonly XmlValue[] {
  const values: XmlValue[] = [];
  const isMissing = (name: string): boolean => given[name] === undefined && values.every(({key}) => key !== name);
  for (const match of text.matchAll(/(?:<arg_key>([^<]*)<\/arg_key>\s*)?<arg_value>(.*?)(?:<\/arg_value>|$)/gsu)) {
    const [whole, name, value = ''] = match;
    const key = name?.trim() ?? listOf(schema['required']).map(textOf).find(isMissing);
    if (key !== undefined) values.push({whole, key, value, kind: 'any'});
  }
  return values;
}

/** `[TOOL_CALLS]n[ARGS]{…}`. A list of objects is read like any JSON. */
const mistral: Format = text =>
  [...text.matchAll(/\[TOOL_CALLS\]\s*([\w.-]+)(?:\[CALL_ID\]\w*)?(?:\[ARGS\])?\s*(?=\{)/gu)].map(match => {
    const [whole, name = ''] = match;
    return {name, input: jsonAt(text, match.index + whole.length)};
  });

/** `[n(k="v"), …]` of Llama. Values are JSON. */
const python: Format = text => {
  const [, list] = /^\s*(?:<\|python_tag\|>)?\s*\[(.*)\]\s*$/su.exec(text) ?? [];
  return [...(list ?? '').matchAll(/([\w.-]+)\(((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)\s*(?:,|$)/gsu)].map(
    ([, name = '', given = '']) => {
      const parts = [...given.matchAll(/(\w+)\s*=\s*("(?:[^"\\]|\\.)*"|[^,]+)/gsu)];
      const values = parts.map(([, key = '', value = '']) => [key, parsed(value.trim())] as const);
      return {
        name,
        input: values.some(([, value]) => value === undefined)
          ? `(${given})`
          : JSON.stringify(Object.fromEntries(values)),
      };
    },
  );
};

/**
 * `{"name": "n", "arguments": {…}}`, alone, in a list, in a fence or in tags, in the format of Hermes, Qwen, Llama and
 * others.
 */
const json: Format = text => {
  const calls: TextCall[] = [];
  for (let at = text.indexOf('{'); at >= 0;) {
    const object = jsonAt(text, at);
    const value = parsed(object);
    if (value === undefined) {
      // The rest of the call is broken or cut off.
      const [, name = ''] = /^\{\s*"name"\s*:\s*"([^"]+)"/u.exec(object) ?? [];
      return name === '' ? calls : [...calls, {name, input: object}];
    }
    calls.push(...callsIn(value));
    at = text.indexOf('{', at + object.length);
  }
  return calls;
};

function callsIn(value: Json): readonly TextCall[] {
  const call = objectOf(value);
  const about = isJsonObject(call['function']) ? call['function'] : call;
  const name = textOf(about['name']);
  const input = about['arguments'] ?? about['parameters'];
  if (name === '' || input === undefined) return listOf(call['tool_calls']).flatMap(callsIn);
  return [{name, input: typeof input === 'string' ? input : JSON.stringify(input)}];
}

/** Reads JSON calls only if the whole answer is JSON. */
const onlyJson: Format = (text, tools) =>
  /^\s*(?:```\w*\s*)?\{.*\}\s*(?:```)?\s*$/su.test(text) || /^\s*[<[]/u.test(text) ? json(text, tools) : [];

const formats: readonly Format[] = [kimi, deepSeek, invoke, qwen, glm, mistral, python, onlyJson];

interface XmlValue {
  readonly whole: string;
  readonly key: string;
  readonly value: string;
  readonly kind: 'text' | 'json' | 'any';
}

/** Returns the input of a call whose parameters are tags. Returns the raw text of a call that is cut off or contains anything else. */
function xmlInput(
  body: string,
  values: readonly XmlValue[],
  {schema, isWhole}: {readonly schema: JsonObject; readonly isWhole: boolean},
): string {
  const rest = values.reduce((text, {whole}) => text.replace(whole, () => ''), body);
  if (!isWhole || rest.trim() !== '') return body.trim() === '' ? '(cut off)' : body;
  const properties = objectOf(schema['properties']);
  return JSON.stringify(
    Object.fromEntries(
      values.map(({key, value, kind}) => {
        const inner = /^\n.*\n$/su.test(value) ? value.slice(1, -1) : value;
        const isText = kind === 'text' || (kind === 'any' && takesText(objectOf(properties[key])));
        return [key, isText ? inner : (parsed(inner.trim()) ?? inner)];
      }),
    ),
  );
}

/** True if the value of a parameter is a text, which it is unless the schema gives another type. */
function takesText(schema: JsonObject): boolean {
  const alternatives = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].filter(isJsonObject);
  if (alternatives.length > 0) return alternatives.some(takesText);
  const type = schema['type'];
  return type === undefined || type === 'string' || listOf(type).includes('string');
}

function parsed(text: string): Json | undefined {
  const value = parseJson(text);
  if (value.tag === 'ok') return value.value;
  return pythonValues.get(text);
}

const pythonValues: ReadonlyMap<string, Json> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
]);

/** Returns the JSON object that begins at `at`, or the rest of the text if the object does not end. */
function jsonAt(text: string, at: number): string {
  let depth = 0;
  for (const {0: mark, index} of text.slice(at).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gsu)) {
    if (mark === '{') depth++;
    if (mark === '}') depth--;
    if (depth === 0) return text.slice(at, at + index + 1);
  }
  return text.slice(at);
}
