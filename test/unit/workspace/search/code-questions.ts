/** A question, and the files of which one has to be among the answers. */
type CodeQuestion = readonly [question: string, files: readonly string[]];

/** A public repository in the form in which its package is installed here, with what is in it twice or only declares. */
export interface QuestionedPackage {
  readonly name: string;
  /** The folder that is searched: one that is named is, whatever ignore files say of it. */
  readonly path: string;
  readonly leftOut: readonly string[];
  readonly questions: readonly CodeQuestion[];
}

/**
 * Questions as people ask them, written before the search was. Those on ink were asked once it was finished, those on the others were looked at
 * while its numbers were chosen.
 */
export const questionedPackages: readonly QuestionedPackage[] = [
  {
    name: 'execa',
    path: '.',
    leftOut: [],
    questions: [
      ['kill the subprocess when a time limit is exceeded', ['lib/terminate/timeout.js']],
      ['force kill a process that ignores the termination signal after a delay', ['lib/terminate/kill.js']],
      ['end child processes when the parent exits', ['lib/terminate/cleanup.js']],
      ['quote arguments so that the command can be printed in a shell', ['lib/arguments/escape.js']],
      ['build the text of the error that is thrown when a command fails', ['lib/return/message.js']],
      ['limit how much output is kept in memory', ['lib/io/max-buffer.js']],
      ['remove the last line break of the output', ['lib/io/strip-newline.js']],
      [
        'connect the output of one process to the input of another',
        ['lib/pipe/setup.js', 'lib/pipe/streaming.js', 'lib/pipe/pipe-arguments.js'],
      ],
      ['what happens when spawning fails before the child starts', ['lib/return/early-error.js']],
      ['split a stream into lines', ['lib/transform/split.js']],
      ['send a message to the child process', ['lib/ipc/send.js']],
      ['wait for a single message from the other process', ['lib/ipc/get-one.js']],
      ['parse template literal into command and arguments', ['lib/methods/template.js']],
      ['convert process output to a web ReadableStream or node readable', ['lib/convert/readable.js']],
      ['how is the duration of a run measured', ['lib/return/duration.js']],
      ['working directory validation when folder does not exist', ['lib/arguments/cwd.js']],
      [
        'log the command to the console in debug mode',
        ['lib/verbose/start.js', 'lib/verbose/log.js', 'lib/verbose/info.js'],
      ],
      ['find programs installed locally in node_modules/.bin', ['lib/arguments/options.js']],
      ['convert signal name to number and back', ['lib/terminate/signal.js']],
      [
        'combine stdout and stderr into one interleaved stream',
        ['lib/resolve/all-async.js', 'lib/resolve/all-sync.js'],
      ],
      ['avoid warning about too many event listeners', ['lib/utils/max-listeners.js']],
      ['run a JavaScript file with the current node version', ['lib/methods/node.js']],
      ['iterate over output line by line asynchronously', ['lib/convert/iterable.js', 'lib/io/iterate.js']],
      [
        'decode binary chunks into text incrementally',
        ['lib/transform/encoding-transform.js', 'lib/utils/uint-array.js'],
      ],
    ],
  },
  {
    name: 'hono',
    path: 'dist',
    leftOut: ['dist/cjs', 'dist/types'],
    questions: [
      ['check username and password of a request', ['dist/middleware/basic-auth/index.js', 'dist/utils/basic-auth.js']],
      [
        'verify signature of a JSON web token',
        ['dist/utils/jwt/jwt.js', 'dist/middleware/jwt/jwt.js', 'dist/utils/jwt/jws.js'],
      ],
      ['allow requests from other origins in browsers', ['dist/middleware/cors/index.js']],
      ['reject uploads that are too large', ['dist/middleware/body-limit/index.js']],
      ['protect forms against cross site request forgery', ['dist/middleware/csrf/index.js']],
      ['read and write cookies with a signature', ['dist/helper/cookie/index.js', 'dist/utils/cookie.js']],
      ['send server-sent events to the client', ['dist/helper/streaming/sse.js']],
      [
        'how is a route matched with one big regular expression',
        [
          'dist/router/reg-exp-router/router.js',
          'dist/router/reg-exp-router/matcher.js',
          'dist/router/reg-exp-router/trie.js',
        ],
      ],
      ['escape text so that it is safe in a page', ['dist/utils/html.js']],
      ['which content type belongs to a file extension', ['dist/utils/mime.js']],
      ['choose the fastest router at run time', ['dist/router/smart-router/router.js']],
      ['generate a static site from all routes', ['dist/helper/ssg/ssg.js']],
      ['block clients by network address', ['dist/middleware/ip-restriction/index.js']],
      ['abort a handler that takes too long', ['dist/middleware/timeout/index.js']],
      ['compress the response body with gzip', ['dist/middleware/compress/index.js']],
      ['detect the preferred language of the user', ['dist/middleware/language/language.js']],
      ['state hook of a component', ['dist/jsx/hooks/index.js']],
      ['update the DOM tree when something changed', ['dist/jsx/dom/render.js']],
      ['chain middleware functions one after another with next', ['dist/compose.js']],
      ['answer 304 when the content has not changed', ['dist/middleware/etag/index.js']],
      ["typed client that calls the server's routes by RPC", ['dist/client/client.js']],
      ['serve files of a folder on Bun', ['dist/adapter/bun/serve-static.js']],
      ['handle an event of AWS API gateway', ['dist/adapter/aws-lambda/handler.js']],
      ['parse query string parameters of a url', ['dist/utils/url.js', 'dist/request.js']],
      ['parse multipart form data into an object', ['dist/utils/body.js']],
    ],
  },
  {
    name: 'ink',
    path: '.',
    leftOut: [],
    questions: [
      ['recognise key presses of the terminal such as arrows', ['build/parse-keypress.js', 'build/input-parser.js']],
      ['draw a frame around a box', ['build/render-border.js']],
      ['cut or break text that is too wide for its container', ['build/wrap-text.js']],
      ['erase the previous frame and write the next one to the terminal', ['build/log-update.js']],
      ['how wide is a string on the screen', ['build/measure-text.js']],
      [
        'move the focus to the next component with tab',
        ['build/components/App.js', 'build/hooks/use-focus.js', 'build/hooks/use-focus-manager.js'],
      ],
      ['show an exception with the stack and the source lines', ['build/components/ErrorOverview.js']],
      ['print finished items once above everything else', ['build/components/Static.js']],
      ['size of the terminal window in rows and columns', ['build/hooks/use-window-size.js']],
      ['text pasted by the user', ['build/hooks/use-paste.js']],
      ['enable the kitty keyboard protocol', ['build/kitty-keyboard.js']],
      ['apply flexbox properties to layout nodes', ['build/styles.js']],
      ['create elements and append children in the virtual document', ['build/dom.js']],
      ['avoid tearing while a frame is written (synchronized output)', ['build/write-synchronized.js']],
      ['render a component into a string without a terminal', ['build/render-to-string.js']],
      ['remove dangerous escape sequences from text', ['build/sanitize-ansi.js']],
      ['colour the background of a box', ['build/render-background.js', 'build/colorize.js']],
      ['host config of the react reconciler', ['build/reconciler.js']],
      ['switch to raw mode and read standard input', ['build/components/App.js', 'build/hooks/use-stdin.js']],
      [
        'run a timer for animations',
        ['build/hooks/use-animation.js', 'build/components/AnimationContext.js', 'build/components/App.js'],
      ],
    ],
  },
];
