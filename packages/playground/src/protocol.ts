import type { Pane, StepFunction, StepRun } from './protocol-answers.ts'
import type { Channel, Person, UserGroup, Workspace } from './protocol-people.ts'

/**
 * What the playground's page (and its driver) reads and posts. Types only.
 *
 * Reading
 *   GET  /_playground/state?user=U…[&history=N]        → Snapshot; with the newest N messages of each channel
 *   GET  /_playground/stream?user=U…                   → server-sent events: `id: <seq>`, `data: <PlaygroundEvent as JSON>`,
 *                                                        no `event:` line; resumes after `Last-Event-ID` or `&after=SEQ`
 *   GET  /_playground/events?user=U…&after=SEQ&wait=MS → EventPage (long poll: answers when something came, or after MS)
 *                                                        `&deliveries=0` to both: without the requests to and from the app
 *   GET  /_playground/history?user=U…&channel=C…[&before=TS][&thread=TS][&limit=N] → HistoryPage: older messages
 *   GET  /_playground/files/F…                         → a file's bytes, with its own content type
 *   GET  /_playground/store                            → everything that lasts, as a SQLite file to start from
 *   GET  /_playground/recording                        → what was recorded so far, as a scenario
 *   GET  /_playground/deliveries                       → { deliveries: Delivery[] }, oldest first
 *
 * Posting (JSON; every POST needs the header `x-playground: 1`). Answers are `Outcome` unless said otherwise, with
 * status 200 as soon as the app has acknowledged (or has failed to within 3 s); 400 with `Refusal` when the post
 * itself is wrong. What the app then does arrives as events.
 * The paths are those of the table in control-api.ts, what they take is in posts.ts; and besides:
 *   POST /_playground/upload?user=U…&name=data.csv   raw bytes, `content-type` of the file → UploadAnswer
 *   POST /_playground/scenario     a scenario as JSON or YAML (people, channels, messages, faults, the time)
 */
export type { Post, PostPath } from './posts.ts'
export type * from './protocol-answers.ts'
export type * from './protocol-people.ts'

/** A block or an element as the app sent it, with what Slack fills in: `block_id`, `action_id`, and `emoji` in plain text. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type Fields = { [key: string]: Json }
export type Block = Fields & { type: string; block_id: string }

export interface FileInfo {
  id: string
  name: string
  title: string
  mimetype: string
  filetype: string
  size: number
  /** The uploader. */
  user: string
  altText: string
  /** Path on the playground that serves the bytes to the page: `/_playground/files/F…`. */
  href: string
}

export interface Reaction {
  /** Without colons: `thumbsup`, `wave::skin-tone-2`. */
  name: string
  users: string[]
}

export interface Message {
  channel: string
  /** Slack's id of a message in its channel: `seconds.microseconds`. */
  ts: string
  /** The author: a person's id, the bot's user id, or `USLACKBOT` for what Slack itself says. */
  user: string
  /** True when the app wrote it (show the APP badge). */
  app: boolean
  /** Raw, with Slack's `<…>` markup. When `blocks` is not empty it is only the notification. */
  text: string
  /** False: `text` is plain, show it as it is. */
  mrkdwn: boolean
  blocks: Block[]
  files: FileInfo[]
  /** Only its reader sees it. */
  ephemeral: boolean
  threadTs: string | null
  /** Work objects that it carries, as the app sent them. */
  entities?: Fields[]
  /** What Slack says of the channel (`channel_topic`), or how the message came; absent: a person's or the app's own words. */
  subtype?: string
  /** The name, and the emoji or the address of a picture, under which the app wrote it, where it may choose them. */
  as?: { name?: string; emoji?: string; picture?: string }
  /** On a thread's parent; 0 when there is no thread. */
  replyCount: number
  edited: boolean
  deleted: boolean
  /** A person pressed something here and the app did not take it: show a warning sign with this sentence. */
  warning: string | null
  /** The delivery to the app that this message answers through its `response_url`. */
  cause: string | null
  /** Emoji that people have put to it, in the order in which they came; absent: none. */
  reactions?: Reaction[]
  pinned?: boolean
  /** What the app says over a thread: that it is at work, and what one might ask next. */
  assistant?: {
    status?: string
    title?: string
    heading?: string
    prompts?: { title: string; message: string }[]
  }
  /** The app is still writing it (chat.startStream). */
  streaming?: boolean
  /** Secondary attachments, as the app sent them; blocks in them have their ids filled in. */
  attachments?: Fields[]
}

/** Older messages of a channel, oldest first; or those of one thread, its parent among them. */
export interface HistoryPage {
  messages: Message[]
  /** There are messages before these. */
  more: boolean
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

/** One modal of the open stack. What the person typed stays with the page, kept by block_id and action_id. */
export interface OpenView {
  view: View
  /** Field errors by block_id, from the answer to the last submission; empty again when the view changes. */
  errors: Record<string, string>
  /** "We had some trouble connecting. Try again?" and the like: shown inside the modal. */
  banner: string | null
  /** The delivery whose trigger, or whose answer, opened it. */
  cause: string | null
  /** The channel that the person was in when it opened: what `default_to_current_conversation` means. */
  conversation: string | null
}

export interface SlashCommand {
  /** With its slash. */
  command: string
  description: string
  usageHint: string
  /** People, channels and addresses in its text reach the app in `<…>`. */
  shouldEscape?: boolean
}

export interface Shortcut {
  name: string
  callbackId: string
  description: string
  kind: 'global' | 'message'
}

/** One request between the playground and the app; the inspector shows it. Secrets are masked. */
export interface Delivery {
  id: string
  /** `to-app`: a signed request. `from-app`: a Web API call or a `response_url` use. */
  direction: 'to-app' | 'from-app'
  /** `command`, `block_actions`, `view_submission`, `event:app_mention`, `chat.postMessage`, `response_url`, … */
  kind: string
  /** ISO 8601. */
  at: string
  /** Null while it is under way. */
  durationMs: number | null
  /** Whose doing it was, when a person's. */
  user: string | null
  request: { method: string; url: string; headers: Record<string, string>; body: Json }
  response: { status: number; headers: Record<string, string>; body: Json } | null
  /** `pending`, `ok`, or the code: `operation_timeout`, `dispatch_failed`, `invalid_blocks`, `ratelimited`, … */
  verdict: string
  /** Sentences for the developer: what was refused and what mends it, e.g. each block fault with its JSON pointer. */
  notes: string[]
  /** The retry's number, from 1, when Slack repeated an event. */
  retry: number | null
}

export interface Snapshot {
  /** The newest event contained in this snapshot: start the stream after it. */
  seq: number
  me: Person
  workspaces: Workspace[]
  /** Everyone of every workspace, the bots included. */
  people: Person[]
  /** The people the page may act as, of every workspace; `me.guestIn ?? me.teamId` is the one they act in. */
  actors: string[]
  /** The app in the workspace of `me`. */
  bot: { userId: string; botId: string; appId: string; name: string }
  /** Those that `me` is in, direct messages last. */
  channels: Channel[]
  /** Channels that `me` may come into. */
  joinable?: Channel[]
  /** By channel id, oldest first; what `me` may see. */
  messages: Record<string, Message[]>
  /** The channels that have messages older than those given; `history` has them. */
  truncated?: string[]
  steps?: StepRun[]
  /** The steps that the app brings. */
  stepFunctions?: StepFunction[]
  /** The app has a tools server for Slackbot. */
  hasTools?: boolean
  /** The work object that `me` has open. */
  pane?: Pane | null
  /** What the app says of addresses that `me` is still writing: attachments, each with its `from_url`. */
  previews?: Fields[]
  /** What the playground says of the app: that it makes no calls, or has ended. */
  remark?: string | null
  /** What people do is being recorded. */
  recording?: boolean
  userGroups?: UserGroup[]
  /** The app is an assistant: people start threads with it. */
  isAssistant?: boolean
  /** `me`'s open modals, bottom first. */
  views: OpenView[]
  /** `me`'s App Home, null until the app published one. */
  home: View | null
  commands: SlashCommand[]
  shortcuts: Shortcut[]
  /** What whoever started the playground shows beside the conversation, and the channel at which it begins. */
  panels?: { name: string; firstAt?: string }[]
  deliveries: Delivery[]
}

export type PlaygroundEvent =
  /** New; an ephemeral one reaches its reader's stream alone. */
  | { type: 'message'; message: Message }
  /** Replaced in place: same channel and ts. `threadOnly`: only its reply count, or what the app shows above the thread, has changed. */
  | { type: 'message-changed'; message: Message; threadOnly?: true }
  | { type: 'message-deleted'; channel: string; ts: string }
  | { type: 'channel'; channel: Channel }
  /** The whole stack after any change: opened, pushed, updated, closed, errors, banner. */
  | { type: 'views'; views: OpenView[] }
  | { type: 'home'; view: View }
  /** A sentence for the person that belongs to no message and no modal. */
  | { type: 'notice'; text: string; cause: string | null }
  /** A step has ended. */
  | { type: 'step'; run: StepRun }
  /** What its reader sees of a work object. */
  | { type: 'pane'; pane: Pane }
  | { type: 'previews'; previews: Fields[] }
  /** What the playground says of the app to everybody who looks on. */
  | { type: 'remark'; text: string; hasEnded?: boolean }
  /** New, or the same id again with its verdict. */
  | { type: 'delivery'; delivery: Delivery }
  /** Too much was missed: read the snapshot again. */
  | { type: 'reset' }

export interface EventPage {
  /** Ask again with `after` set to this. */
  seq: number
  /** `trace`: of which act it came, where the app says so; an act's outcome has the same. */
  events: { seq: number; event: PlaygroundEvent; trace?: string }[]
}

/** What became of what the person did. `seq` is the last event before it: answers come after it. */
export type Outcome =
  | { ok: true; deliveryId: string | null; seq: number; trace?: string; ts?: string; runId?: string }
  | { ok: false; deliveryId: string | null; seq: number; trace?: string; error: string; message: string }

/** The post itself was wrong: names the fault and the mend. */
export interface Refusal {
  ok: false
  error: string
  message: string
}
