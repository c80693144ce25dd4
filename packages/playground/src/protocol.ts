import type { Pane, StepFunction, StepRun } from './protocol-answers.ts'
import type { Channel, Person, UserGroup, Workspace } from './protocol-people.ts'

/**
 * The protocol between the playground and its page and driver. Types only.
 *
 * Reading
 *   GET  /_playground/state?user=U…[&history=N]        → Snapshot; with the newest N messages of each channel
 *   GET  /_playground/stream?user=U…                   → server-sent events: `id: <seq>`, `data: <PlaygroundEvent as JSON>`,
 *                                                        no `event:` line; resumes after `Last-Event-ID` or `&after=SEQ`
 *   GET  /_playground/events?user=U…&after=SEQ&wait=MS → EventPage (long poll: answers at the first event, or after MS)
 *                                                        `&deliveries=0` leaves out the requests to and from the app
 *   GET  /_playground/history?user=U…&channel=C…[&before=TS][&thread=TS][&limit=N] → HistoryPage: older messages
 *   GET  /_playground/files/F…                         → a file's bytes, with its own content type
 *   GET  /_playground/store                            → all stored data, as a SQLite file to start from
 *   GET  /_playground/recording                        → what was recorded so far, as a scenario
 *   GET  /_playground/deliveries                       → { deliveries: Delivery[] }, oldest first
 *
 * Posting (JSON; every POST needs the header `x-playground: 1`). Unless noted, the answer is an `Outcome` with status
 * 200 as soon as the app has acknowledged (or has failed to within 3 s), or a `Refusal` with status 400 if the post
 * itself is wrong. What the app does afterwards arrives as events.
 * control-api.ts lists the paths, and posts.ts the fields of each post. There are two more:
 *   POST /_playground/upload?user=U…&name=data.csv   raw bytes, `content-type` of the file → UploadAnswer
 *   POST /_playground/scenario     a scenario as JSON or YAML (people, channels, messages, faults, the time)
 */
export type { PostBody, PostPath } from './posts.ts'
export type * from './protocol-answers.ts'
export type * from './protocol-people.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Fields = { [key: string]: Json }
/** A block as the app sent it, with what Slack adds: `block_id`, `action_id`, and `emoji` in plain text. */
export type Block = Fields & { type: string; block_id: string }

export interface FileInfo {
  id: string
  name: string
  title: string
  mimetype: string
  filetype: string
  size: number
  /** Who uploaded it. */
  user: string
  altText: string
  /** The path from which the page gets the bytes: `/_playground/files/F…`. */
  href: string
}

export interface Reaction {
  /** Without colons: `thumbsup`, `wave::skin-tone-2`. */
  name: string
  users: string[]
}

export interface Message {
  channel: string
  /** Slack's ID of a message in its channel: `seconds.microseconds`. */
  ts: string
  /** The author: a person's ID, the bot's user ID, or `USLACKBOT` for Slack's own messages. */
  user: string
  /** True if the app wrote it (show the APP badge). */
  app: boolean
  /** Raw, with Slack's `<…>` markup. If there are `blocks`, it is used only in the notification. */
  text: string
  /** False: `text` is plain and shown unchanged. */
  mrkdwn: boolean
  blocks: Block[]
  files: FileInfo[]
  /** Only one person sees the message. */
  ephemeral: boolean
  threadTs: string | null
  /** Work objects in its metadata, as the app sent them. */
  entities?: Fields[]
  /**
   * Slack's subtype, such as `channel_topic` for a change of the channel. Plain messages have none.
   */
  subtype?: string
  /** The author's name and icon (an emoji or an image URL), if the app set its own for this message. */
  customAuthor?: { name?: string; emoji?: string; picture?: string }
  /** On a thread's parent; 0 without a thread. */
  replyCount: number
  edited: boolean
  deleted: boolean
  /** The app didn't acknowledge a press in this message: show a warning sign with this sentence. */
  warning: string | null
  /** The delivery to the app that this message answers through its `response_url`. */
  cause: string | null
  /** Emoji reactions in the order in which they were added; missing if there are none. */
  reactions?: Reaction[]
  pinned?: boolean
  /** What the app shows above a thread, such as its status and suggested prompts. */
  assistant?: {
    status?: string
    title?: string
    heading?: string
    prompts?: { title: string; message: string }[]
  }
  /** The app is still writing it (chat.startStream). */
  streaming?: boolean
  /** Secondary attachments, as the app sent them; blocks in them have IDs. */
  attachments?: Fields[]
}

/** Older messages of a channel, or messages of one thread including its parent; oldest first. */
export interface HistoryPage {
  messages: Message[]
  /** There are older messages. */
  hasMore: boolean
}

/** A view as Slack returns it. */
export interface View {
  id: string
  type: 'modal' | 'home'
  team_id: string
  callback_id: string
  external_id: string
  title: { type: 'plain_text'; text: string; emoji?: boolean } | null
  submit: { type: 'plain_text'; text: string; emoji?: boolean } | null
  close: { type: 'plain_text'; text: string; emoji?: boolean } | null
  blocks: Block[]
  private_metadata: string
  hash: string
  clear_on_close: boolean
  notify_on_close: boolean
  submit_disabled: boolean
  root_view_id: string
  previous_view_id: string | null
}

/** A modal on a person's stack. The page keeps what the person typed, by block_id and action_id. */
export interface OpenView {
  view: View
  /** Field errors by block_id, from the answer to the last submission; empty again after the view changes. */
  errors: Record<string, string>
  /** For example "We had some trouble connecting. Try again?": shown inside the modal. */
  banner: string | null
  /** The delivery whose trigger or answer opened it. */
  cause: string | null
  /** The channel that the person was in when it opened, for `default_to_current_conversation`. */
  conversation: string | null
}

export interface SlashCommand {
  /** With its slash. */
  command: string
  description: string
  usageHint: string
  /** People, channels, and addresses in its text are sent to the app as `<…>`. */
  shouldEscape?: boolean
}

export interface Shortcut {
  name: string
  callbackId: string
  description: string
  kind: 'global' | 'message'
}

/** One request between the playground and the app, shown in the inspector. Secrets are masked. */
export interface Delivery {
  id: string
  /** `to-app`: a signed request. `from-app`: a Web API call or a use of a `response_url`. */
  direction: 'to-app' | 'from-app'
  /** `command`, `block_actions`, `view_submission`, `event:app_mention`, `chat.postMessage`, `response_url`, … */
  kind: string
  /** ISO 8601. */
  at: string
  /** Null while it is running. */
  durationMs: number | null
  /** The person who caused it, if any. */
  user: string | null
  request: { method: string; url: string; headers: Record<string, string>; body: Json }
  response: { status: number; headers: Record<string, string>; body: Json } | null
  /** `pending`, `ok`, or the code: `operation_timeout`, `dispatch_failed`, `invalid_blocks`, `ratelimited`, … */
  verdict: string
  /** Sentences for the developer: what was refused and how to fix it, such as each invalid block with its JSON pointer. */
  notes: string[]
  /** The number of the retry, from 1, if Slack repeated an event. */
  retry: number | null
}

export interface Snapshot {
  /** The newest event contained in this snapshot: start the stream after it. */
  seq: number
  me: Person
  workspaces: Workspace[]
  /** Everyone in every workspace, including the bots. */
  people: Person[]
  /** The people that the page can act as, in every workspace; `me.guestIn ?? me.teamId` is the one they act in. */
  actors: string[]
  /** The app in the workspace of `me`. */
  bot: { userId: string; botId: string; appId: string; name: string }
  /** Channels that `me` is in, with direct messages last. */
  channels: Channel[]
  /** Channels that `me` can join. */
  joinable?: Channel[]
  /** The messages that `me` can see, by channel ID, oldest first. */
  messages: Record<string, Message[]>
  /** Channels that have older messages, which `history` returns. */
  truncated?: string[]
  steps?: StepRun[]
  /** The workflow steps that the app provides. */
  stepFunctions?: StepFunction[]
  /** The app has a tools server for Slackbot. */
  hasTools?: boolean
  /** The work object that `me` has open. */
  pane?: Pane | null
  /** The app's previews of links that `me` is still writing: attachments, each with its `from_url`. */
  previews?: Fields[]
  /** The playground's warning about the app, such as that it makes no calls or has exited. */
  appWarning?: string | null
  /** True while what people do is being recorded. */
  recording?: boolean
  userGroups?: UserGroup[]
  /** The app is an assistant: people can start threads with it. */
  isAssistant?: boolean
  /** `me`'s open modals, bottom first. */
  views: OpenView[]
  /** `me`'s App Home; null until the app publishes one. */
  home: View | null
  commands: SlashCommand[]
  shortcuts: Shortcut[]
  /** Panels of the program that started the playground. One with a `firstVisitChannel` opens next to that channel on a person's first visit. */
  panels?: { name: string; firstVisitChannel?: string }[]
  deliveries: Delivery[]
}

export type PlaygroundEvent =
  /** A new message. An ephemeral one is sent only to its reader. */
  | { type: 'message'; message: Message }
  /**
   * Replaced in place: same channel and ts. `threadOnly`: only its reply count, or what the app shows above the thread, has
   * changed.
   */
  | { type: 'message-changed'; message: Message; threadOnly?: true }
  | { type: 'message-deleted'; channel: string; ts: string }
  | { type: 'channel'; channel: Channel }
  /** The whole stack after any change: opened, pushed, updated, closed, errors, banner. */
  | { type: 'views'; views: OpenView[] }
  | { type: 'home'; view: View }
  /** A sentence for the person that doesn't belong to a message or a modal. */
  | { type: 'notice'; text: string; cause: string | null }
  /** A step has ended. */
  | { type: 'step'; run: StepRun }
  /** The work object that the event's reader has open. */
  | { type: 'pane'; pane: Pane }
  | { type: 'previews'; previews: Fields[] }
  /** A warning about the app, for everyone. */
  | { type: 'app-warning'; text: string; appExited?: boolean }
  /** New, or the same ID again with its verdict. */
  | { type: 'delivery'; delivery: Delivery }
  /** Too many events were missed: read the snapshot again. */
  | { type: 'reset' }

export interface EventPage {
  /** Ask again with `after` set to this. */
  seq: number
  /** `trace` identifies the action that caused the event, if the app forwards it. The action's outcome has the same `trace`. */
  events: { seq: number; event: PlaygroundEvent; trace?: string }[]
}

/** The outcome of an action. `seq` is the last event before it: the app's answers come later. */
export type Outcome =
  | { ok: true; deliveryId: string | null; seq: number; trace?: string; ts?: string; runId?: string }
  | { ok: false; deliveryId: string | null; seq: number; trace?: string; error: string; message: string }

/** The post itself was wrong. The message names the problem and the fix. */
export interface Refusal {
  ok: false
  error: string
  message: string
}
