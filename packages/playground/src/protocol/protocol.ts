// This folder: what the server, the page, and the driver share.

import type { Fields, Json } from './json.ts'
import type { Channel, Person, UserGroup, Workspace } from './people.ts'

export type * from './people.ts'
/**
 * The HTTP API that the page and the driver use (types only).
 *
 * Reading
 *   GET  /_playground/state?user=U…[&history=N]        → Snapshot, with the newest N messages of each channel
 *   GET  /_playground/events?user=U…&after=SEQ&wait=MS → EventPage (long poll: returns at the first event, or after MS)
 *                                                        `&deliveries=0` leaves out the requests to and from the app
 *   GET  /_playground/files/F…                         → a file's bytes, with the file's content type
 *   GET  /_playground/deliveries                       → { deliveries: Delivery[] }, oldest first
 *
 * Posting (JSON; every POST needs the header `x-playground: 1`). Unless noted, the server responds with status 200 and an `Outcome` as
 * soon as the app has acknowledged the request or failed to, which takes at most 3 s. It responds to an invalid POST with status 400 and an
 * `ErrorResponse`. Whatever the app does later arrives as events. control-api.ts lists the paths, and posts.ts the body of each POST.
 * Two paths have other bodies:
 *   POST /_playground/upload?user=U…&name=data.csv   raw bytes, `content-type` of the file → UploadAnswer
 *   POST /_playground/scenario     people and channels to add, as JSON
 */
export type { PostBody, PostPath } from './posts.ts'

/** A block from the app, with the fields that Slack adds: `block_id`, `action_id`, and `emoji` in plain text. */
export type Block = Fields & { type: string; block_id: string }

export interface FileInfo {
  id: string
  name: string
  title: string
  mimetype: string
  size: number
  /** Who uploaded it. */
  user: string
  altText: string
  /** The path of the file's bytes for the page: `/_playground/files/F…`. */
  href: string
}

export interface Message {
  channel: string
  /** Slack's ID of a message in its channel: `seconds.microseconds`. */
  ts: string
  /** The author: a person's ID, the bot's user ID, or `USLACKBOT` for Slack's own messages. */
  user: string
  /** Whether the app posted it. The page then shows the APP badge. */
  app: boolean
  /** The text with Slack's `<…>` markup. If there are `blocks`, it's only used in notifications. */
  text: string
  /** If false, `text` is shown as plain text. */
  mrkdwn: boolean
  blocks: Block[]
  files: FileInfo[]
  /** Whether only one person sees the message. */
  ephemeral: boolean
  threadTs: string | null
  /** Slack's subtype, such as `channel_topic`. Plain messages have none. */
  subtype?: string
  /** The number of replies in the message's thread. */
  replyCount: number
  edited: boolean
  /** An error that the page shows on the message, because the app failed to acknowledge a click in it. */
  warning: string | null
  /** If the app sent the message in an acknowledgement or through a `response_url`: the ID of the request that it responds to. */
  cause: string | null
}

/** A view as Slack returns it. */
export interface View {
  id: string
  type: 'modal' | 'home'
  team_id: string
  callback_id: string
  title: { type: 'plain_text'; text: string; emoji?: boolean } | null
  submit: { type: 'plain_text'; text: string; emoji?: boolean } | null
  close: { type: 'plain_text'; text: string; emoji?: boolean } | null
  blocks: Block[]
  private_metadata: string
  hash: string
  previous_view_id: string | null
}

/** A modal on a person's stack. The page itself stores what the person has entered so far. */
export interface OpenView {
  view: View
  /** Errors by block_id from the last submission. Empty after the view is updated. */
  errors: Record<string, string>
  /** An error at the top of the modal, such as "We had some trouble connecting. Try again?" */
  banner: string | null
  /** The ID of the request to the app whose trigger or response opened the modal. */
  cause: string | null
}

export interface SlashCommand {
  /** The name with its slash. */
  command: string
  description: string
  usageHint: string
  /** Whether names of people and channels, and links, are sent as markup (`should_escape`). */
  isEscaped: boolean
}

/** A message shortcut. */
export interface Shortcut {
  name: string
  callbackId: string
  description: string
}

/** A request between the playground and the app. Secrets are masked. */
export interface Delivery {
  id: string
  /** `to-app`: a signed request. `from-app`: a call of the Web API, a `response_url`, a webhook, or a scheduled message that was dropped. */
  direction: 'to-app' | 'from-app'
  /** `command`, `block_actions`, `view_submission`, `event:app_mention`, `chat.postMessage`, `response_url`, `scheduled message`, … */
  kind: string
  /** ISO 8601. */
  at: string
  /** Null while the request is pending. */
  durationMs: number | null
  /** The person who caused it, if any. */
  user: string | null
  request: { method: string; url: string; headers: Record<string, string>; body: Json }
  response: { status: number; headers: Record<string, string>; body: Json } | null
  /** `pending`, `ok`, or an error code: `operation_timeout`, `dispatch_failed`, `invalid_blocks`, `ratelimited`, … */
  verdict: string
  /** Explanations for the developer: what was rejected and how to fix it, such as each invalid block with its JSON pointer. */
  notes: string[]
  /** The number of the retry, from 1; null for the first attempt. */
  retry: number | null
}

export interface Snapshot {
  /** The number of the newest event that this snapshot includes. To stay up to date, request the events after it. */
  seq: number
  me: Person
  workspaces: Workspace[]
  /** Everyone in every workspace, including the bots. */
  people: Person[]
  /** The IDs of the people that the page can act as, in every workspace. */
  actors: string[]
  /** The app in the workspace of `me`. */
  bot: { userId: string; botId: string; appId: string; name: string }
  /** Channels that `me` is in, with direct messages last. */
  channels: Channel[]
  /** Channels that `me` can join. */
  joinable?: Channel[]
  /** The messages that `me` can see, by channel ID, oldest first. */
  messages: Record<string, Message[]>
  userGroups?: UserGroup[]
  /** `me`'s open modals, bottom first. */
  views: OpenView[]
  /** `me`'s App Home; null until the app publishes one. */
  home: View | null
  commands: SlashCommand[]
  shortcuts: Shortcut[]
  /**
   * The panels of the program that started the playground. On a person's first visit, a panel opens next to its
   * `firstVisitChannel`.
   */
  panels?: { name: string; firstVisitChannel?: string }[]
}

export type PlaygroundEvent =
  /** A new message. An ephemeral one is sent only to its reader. */
  | { type: 'message'; message: Message }
  /**
   * A changed message, which replaces the one with the same `channel` and `ts`. With `threadOnly`, only its reply count has changed.
   */
  | { type: 'message-changed'; message: Message; threadOnly?: true }
  | { type: 'message-deleted'; channel: string; ts: string }
  | { type: 'channel'; channel: Channel }
  /** The person's whole stack of modals, after any change to it. */
  | { type: 'views'; views: OpenView[] }
  | { type: 'home'; view: View }
  /** An error for the person that doesn't belong to a message or modal. */
  | { type: 'notice'; text: string; cause: string | null }
  /** A new request, or one that has finished. */
  | { type: 'delivery'; delivery: Delivery }
  /** The client must load a new snapshot: everything may have changed, or some events are no longer stored. */
  | { type: 'reset' }

export interface EventPage {
  /** Pass this as `after` in the next request. */
  seq: number
  /** `trace` is the trace ID of the action that caused the event, if known. The action's outcome has the same ID. */
  events: { seq: number; event: PlaygroundEvent; trace?: string }[]
}

/** The outcome of an action. `seq` is the number of the last event before the action, so the action's effects have higher numbers. */
export type Outcome =
  | { ok: true; deliveryId: string | null; seq: number; trace?: string; ts?: string }
  | { ok: false; deliveryId: string | null; seq: number; trace?: string; error: string; message: string }

/** The response to an invalid POST. The message says how to fix it. */
export interface ErrorResponse {
  ok: false
  error: string
  message: string
}
