export {
  card,
  controlRow,
  type Fact,
  facts,
  MAX_CONTROLS,
} from './blocks/card.ts'
export { clipApart, clipOptions } from './blocks/clip-apart.ts'
export {
  commandButton,
  commandMenu,
  forSharedMessage,
  isInPlace,
  rewriteCommands,
} from './blocks/command-buttons.ts'
export { type Choice, menuOptions } from './blocks/elements.ts'
export * from './blocks/inputs.ts'
export * from './blocks/layout.ts'
export { LIMITS } from './blocks/limits.ts'
export { blocksText, type Message, message } from './blocks/message.ts'
export { fitView, type ModalParts, modalView } from './blocks/modal.ts'
export { redactEmailAddresses } from './blocks/redact-email-addresses.ts'
export {
  copyable,
  date,
  formatDate,
  group,
  joinLines,
  type Line,
  lineElements,
  lines,
  lineText,
  paragraph,
  person,
  richText,
  sentences,
  textElement,
} from './blocks/rich-text.ts'
export { clip, literal, mrkdwn, oneLine, visible } from './blocks/text.ts'
export { type ChannelReader, createChannelReader } from './client/channel-reader.ts'
export { createSlackClients, type FindBotToken, type SlackClients } from './client/clients.ts'
export type { Directory, Member, Person } from './client/directory.ts'
export type { PostSearch } from './client/find-posted.ts'
export { SILENT_LOGGER } from './client/observed-client.ts'
export { TooManyPages } from './client/pages.ts'
export * from './client/slack-client.ts'
export {
  type ChannelRefusal,
  classifyFailure,
  didNotHappen,
  findMissingScopes,
  mayHaveHappened,
  retryAfterMs,
  slackErrorCode,
  wasRejected,
} from './client/slack-errors.ts'
export type { Upload } from './client/slack-files.ts'
export { type InstallPage, PAGE_HEADERS, PAGES, sendPage } from './install/install-pages.ts'
export { createInstallState, createNonce, readNonce, STATE_TTL_SECONDS } from './install/install-state.ts'
export {
  createDeliveries,
  type InFlight,
  NO_ANSWER,
  REQUEST_DEADLINES,
  type RequestDeadlines,
} from './receive/deliveries.ts'
export { createHttpServer, type HttpServer, type ReadyChecks } from './receive/http-server.ts'
export * from './receive/receiver.ts'
export {
  type AnswerTargets,
  type Caller,
  isDirect,
  isOrganization,
  NO_SURFACE,
  type RequestOrigin,
  type RequestUser,
  toCaller,
  toExpiredSurface,
  type Workspace,
} from './receive/request-origin.ts'
export * from './receive/requests.ts'
export * from './receive/socket-mode.ts'
export {
  type Answers,
  readAnswers,
  readBlocks,
  type StateValues,
  toFieldErrors,
  type ViewState,
} from './receive/view-state.ts'
export * from './reply/respond.ts'
