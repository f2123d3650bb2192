import {rowKeyVariables} from '../../src/domain/api-key.ts';

/**
 * Every environment variable that weft reads, by purpose. The reference lists them in this form. A test compares this
 * table with what the sources read, so a new variable needs a row here.
 */
export const environmentVariables: readonly {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, about: string])[];
}[] = [
  {
    title: 'Models',
    rows: [
      ['ANTHROPIC_API_KEY', 'The key for Anthropic.'],
      [
        'ANTHROPIC_AUTH_TOKEN',
        'A token, for example of a gateway. weft sends it as `Authorization: Bearer`, in place of the key.',
      ],
      [
        'ANTHROPIC_CUSTOM_HEADERS',
        'More headers for Anthropic and for Claude elsewhere: lines of the form `Name: value`.',
      ],
      ['ANTHROPIC_BASE_URL', "The address of Anthropic's API, or of a server that speaks it."],
      ['OPENAI_API_KEY', 'The key for OpenAI, or for the server that `OPENAI_BASE_URL` names.'],
      ['OPENAI_BASE_URL', "The address of a server that speaks OpenAI's API. A server of your own needs no key."],
      ['OPENAI_CUSTOM_HEADERS', 'More headers for OpenAI: lines of the form `Name: value`.'],
      ['GEMINI_API_KEY', 'The key for Gemini.'],
      ['GEMINI_BASE_URL', "The address of Gemini's OpenAI-compatible API."],
      ...Object.entries(Object.groupBy(Object.entries(rowKeyVariables), ([, variable]) => variable)).flatMap(
        ([variable, rows]): (readonly [string, string])[] =>
          variable === ''
            ? []
            : [[variable, `The key for the provider ${rows.map(([name]) => `\`${name}\``).join(' or ')}.`]],
      ),
      [
        'WEFT_CHATGPT_ORIGIN',
        'For tests: an address of this machine in place of `https://auth.openai.com` and `https://api.openai.com`, for the ChatGPT sign-in.',
      ],
      ['WEFT_MODEL', 'The model to use, like `--model`. It overrides the setting `model`.'],
    ],
  },
  {
    title: 'Models in the cloud',
    rows: [
      ['CLAUDE_CODE_USE_BEDROCK', '`1`: the provider is `bedrock`. Also passed on to Claude Code.'],
      ['CLAUDE_CODE_USE_VERTEX', '`1`: the provider is `vertex`. Also passed on to Claude Code.'],
      ['CLAUDE_CODE_USE_FOUNDRY', '`1`: the provider is `foundry`.'],
      ['CLAUDE_CODE_SKIP_BEDROCK_AUTH', 'A gateway has the credentials of Bedrock, so weft signs nothing.'],
      ['CLAUDE_CODE_SKIP_VERTEX_AUTH', 'A gateway has the credentials of Vertex, so weft gets no token.'],
      ['AWS_BEARER_TOKEN_BEDROCK', 'The API key for Amazon Bedrock.'],
      ['AWS_ACCESS_KEY_ID', 'The AWS key with which weft signs requests to Bedrock.'],
      ['AWS_SECRET_ACCESS_KEY', 'The secret of `AWS_ACCESS_KEY_ID`.'],
      ['AWS_SESSION_TOKEN', 'The session token of `AWS_ACCESS_KEY_ID`, if the key is temporary.'],
      ['AWS_PROFILE', 'The profile of the `aws` program, which then gives the credentials.'],
      ['AWS_DEFAULT_PROFILE', 'The same, if `AWS_PROFILE` is not set.'],
      ['AWS_REGION', 'The region of Bedrock. Default: the region of the profile, or us-east-1.'],
      ['AWS_DEFAULT_REGION', 'The same, if `AWS_REGION` is not set.'],
      [
        'ANTHROPIC_AWS_API_KEY',
        'The key for Claude Platform on AWS (`--provider aws`). Without one, weft signs with AWS credentials.',
      ],
      ['ANTHROPIC_AWS_WORKSPACE_ID', 'The workspace at Claude Platform on AWS.'],
      ['ANTHROPIC_AWS_BASE_URL', 'Another address for Claude Platform on AWS.'],
      [
        'ANTHROPIC_BEDROCK_MANTLE_BASE_URL',
        'Another address for the Messages API of Bedrock. It ends in `/anthropic`.',
      ],
      [
        'ANTHROPIC_BEDROCK_BASE_URL',
        'Another address for Bedrock, to which weft adds `/anthropic/v1/messages`, or `/model/ID/…` for older models.',
      ],
      ['ANTHROPIC_VERTEX_PROJECT_ID', 'The Google Cloud project of Vertex AI.'],
      ['CLOUD_ML_REGION', 'The region of Vertex AI. Default: global.'],
      ['ANTHROPIC_VERTEX_BASE_URL', 'Another address for Vertex AI. It ends in `/v1`.'],
      ['GCE_METADATA_HOST', 'The metadata server of Google Cloud.'],
      ['K_SERVICE', 'Set by Cloud Run: weft then asks the metadata server of Google Cloud for a token.'],
      ['KUBERNETES_SERVICE_HOST', 'Set by Kubernetes: weft then asks the metadata server of Google Cloud for a token.'],
      ['ANTHROPIC_FOUNDRY_API_KEY', 'The key for Microsoft Foundry.'],
      ['ANTHROPIC_FOUNDRY_RESOURCE', 'The name of your Foundry resource.'],
      ['ANTHROPIC_FOUNDRY_BASE_URL', 'Another address for Foundry. It ends in `/anthropic`.'],
      ['AZURE_OPENAI_API_KEY', 'The key for Azure OpenAI.'],
      ['AZURE_OPENAI_ENDPOINT', 'The address of your Azure OpenAI resource: `https://NAME.openai.azure.com`.'],
    ],
  },
  {
    title: 'Files',
    rows: [
      ['WEFT_HOME', 'One folder for settings, data and logs. It replaces the folders of the platform.'],
      ['WEFT_LOG', 'The file for a log of all events, like `--debug=FILE`.'],
      ['WEFT_STORE', 'The session database: `sqlite` (default), or a Postgres address.'],
      ['WEFT_COMPILE_CACHE', 'The folder for compiled code, as an absolute path. `off`: weft keeps none.'],
      ['HOME', 'Your home folder. weft ignores an empty or relative one.'],
      ['XDG_CONFIG_HOME', 'The folder for settings on Linux. Default: `~/.config`.'],
      ['XDG_DATA_HOME', 'The folder for data on Linux. Default: `~/.local/share`.'],
    ],
  },
  {
    title: 'Commands',
    rows: [
      ['WEFT_SANDBOX', 'How commands are confined, like `--sandbox`. It overrides the setting `sandbox`.'],
      ['PATH', 'The folders in which weft looks for programs. It skips folders inside the workspace.'],
      ['GIT_CONFIG_COUNT', 'The number of git settings in the environment, to which weft adds its own for commands.'],
    ],
  },
  {
    title: 'Terminal',
    rows: [
      ['VISUAL', 'The editor that Ctrl+G opens.'],
      ['EDITOR', 'The editor that Ctrl+G opens if `VISUAL` is not set.'],
      ['ACCESSIBLE', 'Turns on screen-reader mode unless empty, `0`, `false` or `no`, like `--accessible`.'],
      ['NO_COLOR', 'No colors, if set to anything.'],
      [
        'FORCE_COLOR',
        '`0` or `false`: no colors. `1`: 16 colors. `2`: 256 colors. `3`: all colors. It overrides `NO_COLOR`.',
      ],
      ['FORCE_HYPERLINK', '`0`: no links. Anything else: links, even if the terminal seems not to have them.'],
      [
        'TERM',
        'The kind of terminal. The terminal UI needs a terminal other than `dumb`, unless it is in screen-reader mode.',
      ],
      ['COLORTERM', '`truecolor` or `24bit`: the terminal shows all colors.'],
      ['COLORFGBG', 'The background color, for terminals that do not answer when asked.'],
      ['TERM_PROGRAM', 'The name of the terminal, which tells whether it shows all colors, links and pictures.'],
      ['LC_TERMINAL', 'The name of the terminal that iTerm2 also gives over SSH. It tells whether it shows pictures.'],
      ['KITTY_WINDOW_ID', 'Set by kitty, which shows pictures.'],
      ['VTE_VERSION', 'The version of a VTE terminal, which tells whether it shows links.'],
      ['WT_SESSION', 'Set by Windows Terminal, which shows links.'],
      ['KONSOLE_VERSION', 'Set by Konsole, which shows links.'],
      ['INSIDE_EMACS', 'Set by Emacs. In its shell (`comint`), weft leaves the echo of input to Emacs.'],
      ['TMUX', 'Set by tmux, to which weft also copies text.'],
      ['DISPLAY', 'The X11 display: for the clipboard, the browser and computer use.'],
      ['WAYLAND_DISPLAY', 'The Wayland display: for the clipboard, the browser and computer use.'],
      ['SSH_CONNECTION', 'Set by SSH: weft opens no browser and reads no clipboard.'],
      ['SSH_TTY', 'Set by SSH: weft opens no browser and reads no clipboard.'],
      ['WSL_DISTRO_NAME', 'Set by WSL: weft uses the clipboard and browser of Windows.'],
      ['WSL_INTEROP', 'Set by WSL: weft uses the clipboard of Windows.'],
    ],
  },
  {
    title: 'Network',
    rows: [
      ['HTTPS_PROXY', 'The proxy for https addresses: `http://user:password@host:port`. Also as `https_proxy`.'],
      ['HTTP_PROXY', 'The proxy for http addresses. Also as `http_proxy`.'],
      ['ALL_PROXY', 'The proxy for all addresses that no other variable covers. Also as `all_proxy`.'],
      ['NO_PROXY', 'Hosts that weft reaches without a proxy, separated by commas. Also as `no_proxy`.'],
      ['NODE_EXTRA_CA_CERTS', 'A file with certificates (PEM) of a private authority. Node reads it.'],
      ['WEFT_SERVER_TOKEN', 'The token of `weft serve`, and the one with which `weft attach` signs in.'],
    ],
  },
  {
    title: 'Web search',
    rows: [
      ['BRAVE_API_KEY', 'Searches the web with Brave.'],
      ['BRAVE_BASE_URL', 'Another address for Brave.'],
      ['TAVILY_API_KEY', 'Searches the web with Tavily.'],
      ['TAVILY_BASE_URL', 'Another address for Tavily.'],
      ['EXA_API_KEY', 'Searches the web with Exa.'],
      ['EXA_BASE_URL', 'Another address for Exa.'],
      ['SEARXNG_URL', 'Searches the web with your own SearXNG server.'],
    ],
  },
  {
    title: 'MCP servers',
    rows: [
      [
        'MCP_TIMEOUT',
        'How long an MCP server may take to start, in milliseconds, and the first request waits for a new one. Defaults: 60000 and 10000.',
      ],
    ],
  },
  {
    title: 'Other agents',
    rows: [
      ['CLAUDE_CODE_OAUTH_TOKEN', 'Tells that Claude Code is signed in.'],
      ['CLAUDE_CONFIG_DIR', "Claude Code's folder. Its settings, instructions and servers can be imported."],
      ['CODEX_HOME', "Codex's folder."],
      ['COPILOT_HOME', "GitHub Copilot's folder, from which MCP servers can be imported."],
      ['GEMINI_CLI_HOME', 'The home folder of Gemini CLI, from which MCP servers can be imported.'],
      ['GOOGLE_API_KEY', 'Tells that Gemini CLI is signed in.'],
      [
        'GOOGLE_CLOUD_PROJECT',
        'The project of Vertex AI, if `ANTHROPIC_VERTEX_PROJECT_ID` is not set. Also passed on to Gemini CLI.',
      ],
      [
        'GOOGLE_CLOUD_LOCATION',
        'The region of Vertex AI, if `CLOUD_ML_REGION` is not set. Also passed on to Gemini CLI.',
      ],
      ['GOOGLE_GENAI_USE_VERTEXAI', 'Passed on to Gemini CLI.'],
      ['GOOGLE_GEMINI_BASE_URL', 'Passed on to Gemini CLI.'],
      ['OPENCODE_CONFIG', 'Passed on to opencode.'],
      ['OPENCODE_CONFIG_DIR', 'Passed on to opencode.'],
      ['PI_CODING_AGENT_DIR', "pi's folder."],
    ],
  },
  {
    title: 'Paths that the sandbox hides',
    rows: [
      ['SSH_AUTH_SOCK', 'The socket of your SSH agent.'],
      ['GOOGLE_APPLICATION_CREDENTIALS', 'Credentials of Google Cloud, which Vertex AI uses.'],
      ['CLOUDSDK_CONFIG', 'The folder of the Google Cloud SDK.'],
      ['KUBECONFIG', 'Credentials of Kubernetes.'],
      ['AWS_SHARED_CREDENTIALS_FILE', 'Credentials of AWS.'],
      ['AWS_CONFIG_FILE', 'Settings of AWS.'],
      ['AZURE_CONFIG_DIR', 'The folder of the Azure CLI.'],
      ['NPM_CONFIG_USERCONFIG', "npm's settings, which may hold tokens."],
      ['DOCKER_CONFIG', "Docker's folder."],
      ['GNUPGHOME', "GnuPG's folder."],
    ],
  },
];
