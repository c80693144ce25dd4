export {
  type Card,
  card,
  controlRow,
  type Fact,
  facts,
  MAX_CONTROLS,
} from './blocks/card.ts'
export { chart } from './blocks/charts.ts'
export {
  bindCommandButtons,
  type Command,
  commandButton,
  commandMenu,
  forSharedMessage,
  hasCommandButtons,
  isCommandElement,
  isInPlace,
  listCommands,
  withoutCommands,
} from './blocks/command-buttons.ts'
export { utc, when } from './blocks/dates.ts'
export {
  type Choice,
  isPageAction,
  menuOptions,
  pageButton,
} from './blocks/elements.ts'
export {
  ANSWER,
  channelInput,
  channelsInput,
  choicesInput,
  fileInput,
  numberInput,
  peopleInput,
  searchInput,
  selectInput,
  switchInput,
  textInput,
} from './blocks/inputs.ts'
export { actions, context, divider, header, say, section } from './blocks/layout.ts'
export { LIMITS } from './blocks/limits.ts'
export { blocksText, type Message, message, onceOrPlain } from './blocks/message.ts'
export { fitView, type ModalParts, modalView } from './blocks/modal.ts'
export {
  copyable,
  date,
  group,
  joined,
  type Line,
  lineElements,
  lines,
  lineText,
  paragraph,
  person,
  richText,
  words,
} from './blocks/rich-text.ts'
export { table } from './blocks/table.ts'
export { clip, literal, mrkdwn, oneLine, visible } from './blocks/text.ts'
export { withoutAddresses } from './blocks/without-addresses.ts'
export { createSlackClients, type FindBotToken, type SlackClients } from './client/clients.ts'
export type { Directory, Member, Person, UserGroup } from './client/directory.ts'
export { SILENT } from './client/observed-client.ts'
export {
  type ChannelRefusal,
  didNotHappen,
  isPassing,
  lackedScopes,
  mayHaveHappened,
  retryAfterMs,
  saidNo,
  slackAnswer,
} from './client/slack-answer.ts'
export {
  createSlackClient,
  type DescribeEntity,
  type EntityShown,
  type Posted,
  type PostOptions,
  probeToken,
  type SlackClient,
  type StepEnd,
  webApiOptions,
} from './client/slack-client.ts'
export type { Upload } from './client/slack-files.ts'
export { type InstallPage, PAGE_HEADERS, PAGES, sendPage } from './install/install-pages.ts'
export { createInstallState, STATE_LIVES_SECONDS } from './install/install-state.ts'
export { parseBody } from './receive/body.ts'
export {
  ANSWER_TIMES,
  type AnswerTimes,
  createDeliveries,
  type InFlight,
} from './receive/deliveries.ts'
export { type Answers, readAnswers, type StateValues } from './receive/form-answers.ts'
export { createHttpServer, type HttpServer, type ReadyChecks } from './receive/http-server.ts'
export {
  createBolt,
  createReceiver,
  createTakeSigned,
  type HandleSlack,
  type TakeSigned,
} from './receive/receiver.ts'
export {
  type ActionRequest,
  type EntityRequest,
  fromAction,
  fromChannelOpen,
  fromChannelShared,
  fromCommand,
  fromDirectMessage,
  fromEntityDetails,
  fromHomeOpened,
  fromMention,
  fromOptions,
  fromShortcut,
  fromStep,
  fromSubmission,
  fromUninstall,
  fromUserChange,
  type MentionRequest,
  type OptionsRequest,
  type Request,
  type ShortcutRequest,
  type StepRequest,
  type SubmissionRequest,
  type ToolRequest,
} from './receive/requests.ts'
export { SocketsRefused, type SocketTimes } from './receive/socket/link.ts'
export { explainFix } from './receive/socket/pool.ts'
export { createAskForAddress, type SocketMode, startSocketMode } from './receive/socket/socket-mode.ts'
export { markedErrors, markFields, type ViewState, withFieldMarks } from './receive/view-state.ts'
export {
  type Caller,
  createResolveWorkspace,
  isDirect,
  isOrganization,
  laterOn,
  NO_SURFACE,
  type RequestOrigin,
  type RequestUser,
  type Surface,
  toCaller,
  type WaysToAnswer,
  type Whereabouts,
  type Workspace,
} from './receive/whereabouts.ts'
export {
  answerBody,
  createNewBlocks,
  createResponder,
  isOfBlocks,
  type NewBlocks,
  type Responder,
} from './reply/respond.ts'
