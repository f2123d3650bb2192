/**
 * An agent that speaks ACP on its standard streams and does what the words of a prompt say: RUN asks to make `made.txt` and makes it where
 * that is allowed, ASK and a tool call as JSON asks for that, DID and a tool call as JSON reports it without asking, CRASH ends, HANG never answers; SLEEP starts a program that goes on. Everything else is answered with the number of
 * prompts of the conversation.
 */
import {spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {createInterface} from 'node:readline';

const say = message => process.stdout.write(`${JSON.stringify({jsonrpc: '2.0', ...message})}\n`);
const waiting = new Map();
let asked = 0;
let prompts = 0;
let session = '';
let running;
let since = '';

const chunk = text =>
  say({
    method: 'session/update',
    params: {sessionId: session, update: {sessionUpdate: 'agent_message_chunk', content: {type: 'text', text}}},
  });

async function mayRun(call) {
  asked += 1;
  const id = `ask-${asked}`;
  const decided = new Promise(resolve => waiting.set(id, resolve));
  const toolCall = {toolCallId: `c${asked}`, status: 'pending', title: 'a call', ...call};
  const options = [
    {optionId: 'yes', name: 'Allow', kind: 'allow_once'},
    {optionId: 'no', name: 'Reject', kind: 'reject_once'},
  ];
  say({id, method: 'session/request_permission', params: {sessionId: session, toolCall, options}});
  return (await decided)?.outcome?.optionId === 'yes';
}

const report = update => say({method: 'session/update', params: {sessionId: session, update}});

async function answerTo(text) {
  prompts += 1;
  if (text.includes('CRASH')) process.exit(3);
  if (text.includes('HANG')) return undefined;
  if (text.includes('SLEEP')) {
    const child = spawn('sleep', ['600'], {stdio: 'ignore'});
    writeFileSync('pid', String(child.pid));
    return undefined;
  }
  const call = /ASK (\{.*\})/u.exec(text)?.[1];
  if (call !== undefined) return (await mayRun(JSON.parse(call))) ? 'It may.' : 'It may not.';
  const did = /DID (\{.*\})/u.exec(text)?.[1];
  if (did !== undefined) {
    report({sessionUpdate: 'tool_call', toolCallId: 'd', status: 'completed', title: 'a call', ...JSON.parse(did)});
    return text.includes('STAY') ? undefined : 'Did it.';
  }
  if (!text.includes('RUN')) return `Prompt ${prompts} of ${session}${since}.`;
  const command = 'touch made.txt';
  if (!(await mayRun({title: command, kind: 'execute', rawInput: {command}}))) return 'I was not allowed to.';
  writeFileSync('made.txt', '');
  const content = [{type: 'content', content: {type: 'text', text: 'touched'}}];
  report({sessionUpdate: 'tool_call_update', toolCallId: `c${asked}`, status: 'completed', content});
  return 'Made it.';
}

async function answer(id, prompt) {
  const text = await answerTo(prompt);
  if (text === undefined) return;
  chunk(text);
  say({id, result: {stopReason: 'end_turn'}});
}

for await (const line of createInterface({input: process.stdin})) {
  const message = JSON.parse(line);
  const {id, method, params} = message;
  if (method === undefined) waiting.get(id)?.(message.result);
  else if (method === 'initialize') {
    say({id, result: {protocolVersion: 1, agentCapabilities: {loadSession: true}, authMethods: []}});
  } else if (method === 'session/new') {
    session = 'acp-session';
    say({id, result: {sessionId: session}});
  } else if (method === 'session/load') {
    session = params.sessionId;
    since = ', loaded';
    say({id, result: {}});
  } else if (method === 'session/cancel') say({id: running, result: {stopReason: 'cancelled'}});
  else if (method === 'session/prompt') {
    running = id;
    void answer(id, params.prompt.map(part => part.text ?? '').join('\n'));
  } else if (id !== undefined) say({id, error: {code: -32601, message: 'unknown'}});
}
