import type { Block, Fields, FileInfo, Json, Outcome } from './protocol.ts'

/**
 * What a person put into one element: text and e-mail and numbers as typed, rich text as `rich-typed.ts` has it typed; a date `YYYY-MM-DD`; a time `HH:mm`; a
 * date and time in Unix seconds, as text; a select: the option's `value` (or a user, channel or conversation id);
 * anything multiple (checkboxes, multi selects, file_input's file ids): a list; null: emptied.
 */
export type InputValue = string | string[] | null
/** block_id → action_id → value. Only what the person touched: the server fills in initial values. */
export type InputValues = Record<string, Record<string, InputValue>>

export type Place = { kind: 'message'; channel: string; ts: string } | { kind: 'view'; viewId: string }

interface ChannelSpot {
  user: string
  channel: string
}

/** What somebody does with one message: deletes their own, dismisses what only they see. */
export interface MessageSpot extends ChannelSpot {
  ts: string
}

export interface CommandPost extends ChannelSpot {
  command: string
  text: string
}

/** A plain message; one that mentions the bot (`<@U…>` or `@name`) raises `app_mention`. */
export interface MessagePost extends ChannelSpot {
  text: string
  threadTs?: string
  files?: string[]
}

/** A person changes the text of their own message; the app hears `message_changed`. */
export interface EditPost extends MessageSpot {
  text: string
}

interface ElementPost {
  user: string
  place: Place
  blockId: string
  actionId: string
}

export interface ActionPost extends ElementPost {
  /** What was chosen or typed; left out for a button. For overflow, the option's value. */
  value?: InputValue
  /** What is typed in the other elements of the same message or view. */
  values?: InputValues
}

/** Typing into an external select. */
export interface OptionsPost extends ElementPost {
  query: string
}

export type OptionsAnswer = { ok: true; options: Fields[]; groups: Fields[] } | (Outcome & { ok: false })

export interface SubmitPost {
  user: string
  viewId: string
  values: InputValues
}

export interface ClosePost extends Omit<SubmitPost, 'values'> {
  /** True closes the whole stack. */
  all?: boolean
}

export interface ShortcutPost {
  user: string
  callbackId: string
  /** For a message shortcut: the message it is used on. */
  message?: { channel: string; ts: string }
}

export interface HomePost {
  user: string
  tab?: 'home' | 'messages'
}

export interface UploadAnswer {
  ok: true
  file: FileInfo
}

export interface RedeliverPost {
  deliveryId: string
  /** How often the very same signed request is sent again; 1 when left out, at most 200. */
  times?: number
}

export interface RedeliverAnswer {
  ok: true
  /** The app's status for each; 0 when there was no answer in 3 s. */
  statuses: number[]
}

/** Sets the playground's clock, or puts it forward; it goes on from there. */
export interface ClockPost {
  /** ISO 8601. */
  at?: string
  advanceMs?: number
}

/** Begins a thread with an assistant, or goes on in that of `ts`; `from` is the channel that the person looks at. */
export interface ThreadPost {
  user: string
  from?: string
  ts?: string
}

/** Addresses that somebody has written and not yet sent. */
export interface LinksPost {
  user: string
  urls: string[]
}

/** Pins a message, or with `remove` takes it off. */
export interface PinPost extends MessageSpot {
  remove?: boolean
}

export interface ReactPost extends PinPost {
  /** The emoji's name, without colons. */
  name: string
}

export interface MemberPost extends ChannelSpot {
  leave?: boolean
}

/** What changes of a channel that the person is in; what is left out stays. */
export interface ChannelPost extends ChannelSpot {
  name?: string
  topic?: string
  purpose?: string
  archived?: boolean
  /** The other organization that it is shared with; empty: with none any more. */
  sharedWith?: string
}

/** Makes a channel, with others in it from the beginning. */
export interface NewChannelPost {
  user: string
  name: string
  privacy?: 'private' | 'group'
  members?: string[]
}

/** Starts a workflow of one step of the app's, as somebody; `user_context` inputs are filled in. */
export interface StepPost {
  user: string
  callbackId: string
  inputs: Record<string, Json>
}

/** An input or an output of a step, as `function_executed` repeats it. */
export interface StepField {
  type: string
  name: string
  description: string
  title: string
  is_required: boolean
  /** One of these, where they are known. */
  choices?: string[]
}

/** A step of workflows that the app brings. */
export interface StepFunction {
  callbackId: string
  title: string
  description: string
  inputs: StepField[]
  outputs: StepField[]
}

/** What became of a step. */
export interface StepRun {
  id: string
  callbackId: string
  /** Who started it. */
  user: string
  status: 'running' | 'completed' | 'failed'
  outputs: Fields
  error: string | null
}

/** Opens a work object of a message: the first one, or that with this external id. */
export interface EntityPost extends MessageSpot {
  ref?: string
}

/** Presses an action of it, by its id or its text. */
export interface EntityActionPost extends EntityPost {
  action: string
  /** In the pane, and not on the card. */
  inPane?: boolean
}

/** Slackbot asks the app's tools server, as somebody: for its tools, or with `name` and `arguments` for a call. */
export interface ToolPost {
  user: string
  method: 'list' | 'call'
  params?: Record<string, Json>
}

export type ToolAnswer = { ok: true; result: Fields } | { ok: false; error: string; message: string }

/** Reads a panel of whoever started the playground, after pressing one of its elements when that is named. */
export interface PanelPost {
  user: string
  name: string
  actionId?: string
  value?: InputValue
}

/** `text` is said over the blocks; `type` goes into the field of the conversation. */
export type PanelAnswer = { ok: true; blocks: Block[]; text?: string; type?: string }

/** What one person sees of a work object: the app's answer to its opening. */
export interface Pane {
  /** The external id. */
  ref: string
  metadata: Fields | null
  error: Fields | null
  /** Where the person is to log in first. */
  authUrl: string | null
}

/** What changes of a person; what is left out stays. */
export interface PersonPost {
  user: string
  realName?: string
  name?: string
  title?: string
  /** Its text and its emoji, `:palm_tree:`; both empty to take it away. */
  status?: { text: string; emoji: string }
  role?: 'member' | 'admin' | 'guest' | 'single-channel-guest'
  deleted?: boolean
}

/** What happens to sockets of an app in Socket Mode; `drop` is the network's doing, the rest is what Slack says first. */
export interface SocketTrouble {
  kind: 'warning' | 'refresh_requested' | 'link_disabled' | 'too_many_websockets' | 'drop'
  /** Every socket, instead of the oldest. */
  all?: boolean
  /** From the message to the end of the socket: 10 s after a warning, and at once after the others, when left out. */
  afterMs?: number
}

export interface SocketsAnswer {
  ok: true
  /** How many were told. */
  told: number
  /** How many were open. */
  open: number
}

/** Takes the app out of a workspace, or of a whole organization: its tokens are dead at once. */
export interface UninstallPost {
  /** A workspace's id, or an organization's. */
  id: string
  /** What Slack then tells the app, in this order; both when left out. */
  events?: ('app_uninstalled' | 'tokens_revoked')[]
  /** It says so once more of an installation before; the token that there is lives on. */
  late?: boolean
}

/** Gives the installation of an organization one of its workspaces, or takes it away. */
export interface AccessPost {
  /** The workspace's id. */
  id: string
  granted: boolean
}

/** One thing the Web API (or `response_url`: method `response_url`) is told to do wrong, `times` times. */
export interface Fault {
  /** `*`: whatever is called next. */
  method: string
  /**
   * `drop-reply` does the work, then cuts the connection. `error` answers `{ok: false, error}`. `refuse-block` is a
   * workspace that does not know a type of block yet: only calls that carry it are answered with `invalid_blocks`.
   */
  kind: 'delay' | 'status' | 'error' | 'drop-reply' | 'refuse-block'
  /** The type that `refuse-block` refuses. */
  block?: string
  ms?: number
  status?: number
  error?: string
  /** Seconds, for the `retry-after` header. */
  retryAfter?: number
  /** 1 when left out. */
  times?: number
}
