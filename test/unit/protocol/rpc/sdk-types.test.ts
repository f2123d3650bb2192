import type {
  SDKAssistantMessage,
  SDKAPIRetryMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDeniedMessage,
  SDKResultError,
  SDKResultSuccess,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKToolProgressMessage,
  SDKUserMessageReplay,
  SDKInformationalMessage,
} from '@anthropic-ai/claude-agent-sdk';
import {expectTypeOf, test} from 'vitest';
import type * as ours from '../../../../src/protocol/rpc/rpc-message.ts';

type Required<T> = {[K in keyof T]-?: object extends Pick<T, K> ? never : K}[keyof T];
type Frozen<T> = T extends `${string}-${string}-${string}-${string}-${string}`
  ? string
  : T extends object
    ? {readonly [K in keyof T]: Frozen<T[K]>}
    : T;
type Misfits<Ours, Theirs> =
  | Exclude<Required<Theirs>, keyof Ours>
  | {[K in keyof Ours & keyof Theirs]: Ours[K] extends Frozen<Theirs[K]> ? never : K}[keyof Ours & keyof Theirs];

test('x', () => {
  expectTypeOf<Misfits<ours.RpcInit, SDKSystemMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcAssistant, SDKAssistantMessage>>().toEqualTypeOf<'message'>();
  expectTypeOf<Misfits<ours.RpcStreamEvent, SDKPartialAssistantMessage>>().toEqualTypeOf<'event'>();
  expectTypeOf<Misfits<ours.RpcUserReplay, SDKUserMessageReplay>>().toEqualTypeOf<'message'>();
  expectTypeOf<Misfits<ours.RpcSuccess, SDKResultSuccess>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcFailure, SDKResultError>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcApiRetry, SDKAPIRetryMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcPermissionDenied, SDKPermissionDeniedMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcStatus, SDKStatusMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcHookStarted, SDKHookStartedMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcHookResponse, SDKHookResponseMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcToolProgress, SDKToolProgressMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<ours.RpcInformational, SDKInformationalMessage>>().toEqualTypeOf<never>();
});
const a: Misfits<ours.RpcAssistant, SDKAssistantMessage> = 1;
const b: Misfits<ours.RpcStreamEvent, SDKPartialAssistantMessage> = 1;
const c: Misfits<ours.RpcUserReplay, SDKUserMessageReplay> = 1;
const d: Misfits<ours.RpcSuccess, SDKResultSuccess> = 1;
