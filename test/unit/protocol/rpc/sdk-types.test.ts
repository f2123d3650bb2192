import type {
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKHookResponseMessage,
  SDKHookStartedMessage,
  SDKInformationalMessage,
  SDKPartialAssistantMessage,
  SDKPermissionDeniedMessage,
  SDKResultError,
  SDKResultSuccess,
  SDKStatusMessage,
  SDKSystemMessage,
  SDKToolProgressMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from '@anthropic-ai/claude-agent-sdk';
import {expectTypeOf, test} from 'vitest';
import type {
  RpcApiRetry,
  RpcAssistant,
  RpcFailure,
  RpcHookResponse,
  RpcHookStarted,
  RpcInformational,
  RpcInit,
  RpcPermissionDenied,
  RpcStatus,
  RpcStreamEvent,
  RpcSuccess,
  RpcToolProgress,
  RpcUser,
  RpcUserReplay,
} from '../../../../src/protocol/rpc/rpc-message.ts';

/** The fields of the SDK's type that ours has not though it must, and those of ours that hold what theirs may not. */
type Misfits<Ours, Theirs> =
  | Exclude<RequiredKeys<Theirs>, keyof Ours>
  | {[K in keyof Ours & keyof Theirs]: Ours[K] extends Frozen<Theirs[K]> ? never : K}[keyof Ours & keyof Theirs];

type RequiredKeys<T> = {[K in keyof T]-?: object extends Pick<T, K> ? never : K}[keyof T];

/** Read only, and a UUID is any text. */
type Frozen<T> = T extends `${string}-${string}-${string}-${string}-${string}`
  ? string
  : T extends object
    ? {readonly [K in keyof T]: Frozen<T[K]>}
    : T;

/** Checked by the compiler alone: a field that the SDK's next version wants, or reads otherwise, no longer compiles. */
test('messages are what the SDK’s own types say', () => {
  expectTypeOf<Misfits<RpcInit, SDKSystemMessage>>().toEqualTypeOf<never>();
  // The API's types of messages and blocks have fields that other providers cannot fill, and know only their own blocks.
  expectTypeOf<Misfits<RpcAssistant, SDKAssistantMessage>>().toEqualTypeOf<'message'>();
  expectTypeOf<Misfits<RpcStreamEvent, SDKPartialAssistantMessage>>().toEqualTypeOf<'event'>();
  // A media type is any text in ours; what is echoed is as the client sent it.
  expectTypeOf<Misfits<RpcUser, SDKUserMessage>>().toEqualTypeOf<'message'>();
  expectTypeOf<Misfits<RpcUserReplay, SDKUserMessageReplay>>().toEqualTypeOf<'message'>();
  // Their usage has figures that only their API gives; a denied call's input is an object, since no other was decoded.
  expectTypeOf<Misfits<RpcSuccess, SDKResultSuccess>>().toEqualTypeOf<'usage' | 'permission_denials'>();
  expectTypeOf<Misfits<RpcFailure, SDKResultError>>().toEqualTypeOf<'usage' | 'permission_denials'>();
  expectTypeOf<Misfits<RpcApiRetry, SDKAPIRetryMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<RpcPermissionDenied, SDKPermissionDeniedMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<RpcStatus, SDKStatusMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<RpcInformational, SDKInformationalMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<RpcHookStarted, SDKHookStartedMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<RpcHookResponse, SDKHookResponseMessage>>().toEqualTypeOf<never>();
  expectTypeOf<Misfits<RpcToolProgress, SDKToolProgressMessage>>().toEqualTypeOf<never>();
});
