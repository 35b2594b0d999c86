/** The client of the service, for browsers, Node, Bun, Deno and React Native. */
export type * from './answers.ts'
export {
  type CallParts,
  type Client,
  type ClientOptions,
  call,
  createClient,
  type LocalFile,
  type Media,
  type MediaPart,
  type Operation,
  type Query,
} from './call.ts'
export {
  ApiError,
  AuthenticationError,
  BusyError,
  InvalidRequestError,
  NetworkError,
  NotFoundError,
  PermissionError,
  type Refusal,
  ServerError,
  TimeoutError,
  VivaceError,
} from './errors.ts'
export { isSettled, listAll, type WaitOptions, waitForFolder } from './folders.ts'
export type * from './operations.ts'
export type { RetryOptions } from './retry.ts'
export { readSessionToken, type SealedMedium, type SealInput, sealContainer } from './seal.ts'
export type { Fetch, Progress } from './transport.ts'
export { verifyLinkWebhook, verifyWebhook, WebhookError, type WebhookOptions } from './webhook.ts'
