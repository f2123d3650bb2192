import {type Json, type JsonObject, objectOf} from '../base/json.ts';
import type {Profile} from '../domain/model-family.ts';
import {definitions} from './catalogue.ts';
import {type EnabledTool, ownField, type ToolOffer, toolSchema} from './decode-action.ts';

/** A tool that a family of models knows, in place of weft's own tools. */
interface OfferedTool {
  readonly name: string;
  /** weft's tools that this tool replaces. weft offers it, with the fields of the first of them, if that one is enabled. */
  readonly of: readonly [string, ...string[]];
  /** `beside`: a search still finds weft's tool. */
  readonly replaces?: 'beside';
  readonly description: string;
  /** Each field with its description, or with its schema if weft's tool has a different schema. */
  readonly fields: Readonly<Record<string, string | JsonObject>>;
  readonly required: readonly string[];
  readonly grammar?: string;
}

interface ProfileOffer {
  readonly tools: readonly OfferedTool[];
  /** weft's tools that the model gets unchanged. A search finds the others. */
  readonly own: readonly string[];
}

export const toolOffer =
  (profile: Profile): ToolOffer =>
  own =>
    offerOf(profile, own);

function offerOf(profile: Profile, own: readonly EnabledTool[]): ReturnType<ToolOffer> {
  const offer = offers[profile];
  const enabled = new Map(own.map(tool => [tool.name, tool]));
  // Without a shell, the model needs the tools that a shell replaces.
  if (offer === undefined || !enabled.has('Bash')) return {listed: own, deferred: []};
  const tools = offer.tools.flatMap(tool => {
    const first = enabled.get(tool.of[0]);
    return first === undefined ? [] : [{tool, enabled: enabledTool(tool, first)}];
  });
  const replaced = new Set(tools.flatMap(({tool}) => (tool.replaces === 'beside' ? [] : tool.of)));
  const rest = own.filter(({name}) => !replaced.has(name));
  const isDeferred = ({name, action}: EnabledTool): boolean =>
    ['always', 'agents'].includes(definitions[action].offered) &&
    action !== 'call-mcp-tool' &&
    !offer.own.includes(name);
  return {
    listed: [...tools.map(each => each.enabled), ...rest.filter(tool => !isDeferred(tool))],
    deferred: rest.filter(isDeferred),
  };
}

/** Returns the fields of a tool that some profile is offered. Empty for any other name. */
export const offeredFields = (name: string): readonly string[] =>
  Object.values(offers).flatMap(({tools}) =>
    tools.flatMap(tool => (tool.name === name ? Object.keys(tool.fields) : [])),
  );

function enabledTool(
  {name, of: [own], description, fields, required, grammar}: OfferedTool,
  {action}: EnabledTool,
): EnabledTool {
  const schemaOf = (field: string, about: string | JsonObject): Json => {
    if (typeof about !== 'string') return about;
    const {description: _own, ...rest} = objectOf(
      objectOf(toolSchema(own)['properties'])[ownField(own, field) ?? field],
    );
    return about === '' ? rest : {...rest, description: about};
  };
  return {
    name,
    description,
    action,
    jsonSchema: () => ({
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([field, about]) => [field, schemaOf(field, about)])),
      required,
    }),
    ...(grammar === undefined ? {} : {grammar}),
  };
}

/** The patch format in Lark. Providers then accept no other text. */
const patchGrammar = `start: "*** Begin Patch" LF section+ "*** End Patch" LF?
section: added | deleted | updated
added: "*** Add File: " TEXT LF (PLUS LF)*
deleted: "*** Delete File: " TEXT LF
updated: "*** Update File: " TEXT LF moved? hunk*
moved: "*** Move to: " TEXT LF
hunk: (PLACE LF)* (LINE LF)+ last?
last: "*** End of File" LF
PLACE: /@@[^\\n]*/
PLUS: /\\+[^\\n]*/
LINE: /[-+ ][^\\n]*/
TEXT: /[^\\n]+/
LF: "\\n"
`;

const patchForm =
  '"*** Begin Patch"; per file "*** Update File: path" (then "*** Move to: path" to rename), "*** Add File: path" or "*** Delete File: ' +
  'path"; "*** End Patch". Changes begin with "@@" (or "@@ " and the line of their class or function), their lines with " " (three ' +
  'lines of context before and after), "-" or "+".';

const offers: Readonly<Partial<Record<Profile, ProfileOffer>>> = {
  gpt: {
    tools: [
      {
        name: 'exec_command',
        of: ['Bash', 'Grep', 'Glob'],
        description:
          'Run a shell command. One that still runs after yield_time_ms goes on as a session, which write_stdin reads. Search with rg.',
        fields: {
          cmd: '',
          workdir: 'Default: where the last command ended',
          yield_time_ms: 'Default 120000',
          tty: {
            type: 'boolean',
            description: 'For servers and programs that ask for input: run it in a terminal, as a session',
          },
        },
        required: ['cmd'],
      },
      {
        name: 'write_stdin',
        of: ['BashOutput', 'BashInput'],
        description: 'Type into a session, or wait for its output.',
        fields: {
          session_id: {type: 'string'},
          chars: {type: 'string', description: String.raw`Keys as they are, \u0003 is Ctrl-C; leave out to read`},
          yield_time_ms: {type: 'number', description: 'Longest wait for its end, default 10000'},
        },
        required: ['session_id'],
      },
      {
        name: 'apply_patch',
        of: ['Edit', 'Write'],
        description: `Change files, all or nothing: ${patchForm}`,
        fields: {input: {type: 'string'}},
        required: ['input'],
        grammar: patchGrammar,
      },
      {
        name: 'view_image',
        of: ['Read'],
        replaces: 'beside',
        description: 'Look at an image file.',
        fields: {path: ''},
        required: ['path'],
      },
      {
        name: 'update_plan',
        of: ['TodoWrite'],
        description:
          'Show the user your steps, for work of three or more. Send all of them each time, one of them in_progress.',
        fields: {
          plan: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                step: {type: 'string'},
                status: {type: 'string', enum: ['pending', 'in_progress', 'completed']},
              },
              required: ['step', 'status'],
            },
          },
        },
        required: ['plan'],
      },
    ],
    own: ['WebFetch', 'Agent', 'AskUserQuestion', 'ExitPlanMode'],
  },
  gemini: {
    tools: [
      {
        name: 'run_shell_command',
        of: ['Bash'],
        description:
          'Run a shell command in the directory where the last one ended; stdin is closed. Servers and programs that ask for input ' +
          'need is_background: a terminal block for BashOutput and BashInput.',
        fields: {command: '', description: 'What it does, in 5-10 words', is_background: ''},
        required: ['command'],
      },
      {
        name: 'read_file',
        of: ['Read'],
        description: 'Read a file (text with line numbers, an image or a PDF) or list a directory.',
        fields: {file_path: '', start_line: '1-based', end_line: ''},
        required: ['file_path'],
      },
      {
        name: 'replace',
        of: ['Edit'],
        description:
          'Replace old_string by new_string in a file. old_string must match exactly and occur once (or set allow_multiple). Leave ' +
          'out the line numbers that read_file shows.',
        fields: {file_path: '', old_string: '', new_string: '', allow_multiple: ''},
        required: ['file_path', 'old_string', 'new_string'],
      },
      {
        name: 'write_file',
        of: ['Write'],
        description: 'Create a file, or overwrite one that has been read.',
        fields: {file_path: '', content: ''},
        required: ['file_path', 'content'],
      },
      {
        name: 'grep_search',
        of: ['Grep'],
        description: 'Search file contents by regular expression; ignored files are left out.',
        fields: {
          pattern: '',
          dir_path: 'File or folder',
          include_pattern: 'e.g. "*.ts"',
          context: 'Lines around a match',
          names_only: {type: 'boolean'},
        },
        required: ['pattern'],
      },
      {
        name: 'glob',
        of: ['Glob'],
        description: 'Find files by glob pattern, e.g. "src/**/*.ts"; ignored files are left out.',
        fields: {pattern: '', dir_path: ''},
        required: ['pattern'],
      },
      {
        name: 'write_todos',
        of: ['TodoWrite'],
        description:
          'Set the todo list the user watches, whole each time, for work of three steps or more, with one entry in_progress.',
        fields: {
          todos: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                description: {type: 'string'},
                status: {type: 'string', enum: ['pending', 'in_progress', 'completed', 'cancelled']},
              },
              required: ['description', 'status'],
            },
          },
        },
        required: ['todos'],
      },
    ],
    own: ['BashInput', 'BashOutput', 'WebFetch', 'Agent', 'AskUserQuestion', 'ExitPlanMode'],
  },
  small: {
    tools: [
      {
        name: 'bash',
        of: ['Bash'],
        description: 'Run a shell command and return its output.',
        fields: {command: '', timeout: 'Seconds, default 120'},
        required: ['command'],
      },
      {
        name: 'read',
        of: ['Read'],
        description: 'Read a file with line numbers, or list a directory.',
        fields: {path: '', offset: 'First line', limit: 'Number of lines'},
        required: ['path'],
      },
      {
        name: 'edit',
        of: ['Edit'],
        description:
          'Replace old_string by new_string in a file. old_string must match exactly and occur once. Leave out line numbers.',
        fields: {path: '', old_string: '', new_string: ''},
        required: ['path', 'old_string', 'new_string'],
      },
      {
        name: 'write',
        of: ['Write'],
        description: 'Create a file, or overwrite one that has been read.',
        fields: {path: '', content: ''},
        required: ['path', 'content'],
      },
      {
        name: 'grep',
        of: ['Grep'],
        description: 'Search file contents by regular expression.',
        fields: {pattern: '', path: 'File or folder', glob: 'Only these files, e.g. "*.ts"'},
        required: ['pattern'],
      },
    ],
    own: [],
  },
};
