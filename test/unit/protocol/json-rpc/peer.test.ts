import {expect, test} from 'vitest';
import type {JsonObject} from '../../../../src/base/json.ts';
import {failed, ok} from '../../../../src/base/outcome.ts';
import {makeRpcPeer, rpcError, type RpcRequest} from '../../../../src/protocol/json-rpc/peer.ts';

function peer() {
  const written: object[] = [];
  const requests: RpcRequest[] = [];
  const notifications: (readonly [string, JsonObject])[] = [];
  const made = makeRpcPeer({
    write: message => written.push(message),
    request: request => requests.push(request),
    notification: (method, params) => notifications.push([method, params]),
  });
  return {written, requests, notifications, made};
}

test('answers find their questions in any order, with or without the version', async () => {
  const {made, written} = peer();
  const first = made.request('a', {x: 1});
  const second = made.request('b', {});
  made.take({id: 2, result: 'two'});
  made.take({jsonrpc: '2.0', id: 1, error: {code: -32_000, message: 'no', data: {why: 'x'}}});
  made.take({id: 1, result: 'again'});
  made.take({id: 7, result: 'nobody asked'});
  expect(await Promise.all([first, second])).toEqual([
    failed({code: -32_000, message: 'no', data: {why: 'x'}}),
    ok('two'),
  ]);
  expect(written).toEqual([
    {jsonrpc: '2.0', id: 1, method: 'a', params: {x: 1}},
    {jsonrpc: '2.0', id: 2, method: 'b', params: {}},
  ]);
});

test('a request of the other side is answered once', () => {
  const {made, written, requests, notifications} = peer();
  made.take({jsonrpc: '2.0', id: 'r', method: 'do', params: {y: 2}});
  made.take({jsonrpc: '2.0', method: 'told', params: [1]});
  const [request] = requests;
  request?.answer(ok(null));
  request?.answer(failed(rpcError(-32_603, 'later')));
  expect(request).toMatchObject({id: 'r', method: 'do', params: {y: 2}});
  expect(written).toEqual([{jsonrpc: '2.0', id: 'r', result: null}]);
  expect(notifications).toEqual([['told', {}]]);
});

test.each([{}, {id: null}, {id: {}, method: 5}, {method: null, id: 1}, {result: 1}, {id: 1, error: 'x'}])(
  'what is no message is left out: %j',
  message => {
    const {made, written, requests, notifications} = peer();
    made.take(message);
    expect([written, requests, notifications]).toEqual([[], [], []]);
  },
);
