import { messageBlocks } from '../elements.ts'
import { isFields } from '../json.ts'
import type {
  FileInfo,
  InputValue,
  InputValues,
  Message,
  OpenView,
  OptionsAnswer,
  Outcome,
  PersonPost,
  Place,
  Snapshot,
  UploadAnswer,
  View,
} from '../protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import { findSpot, mergeValues, readText, toValue, toValues } from './reading.ts'
import type { Wire } from './wire.ts'

/** Where something is pressed or chosen: a message, a modal, or the Home. */
export type Surface = Message | OpenView | View
/** As answers hold it: acting on what is not there is an Error. */
export type MaybeSurface = Surface | undefined

export type User = ReturnType<typeof createUser>

function viewOf(surface: Surface): View | undefined {
  if ('view' in surface) return surface.view
  return 'ts' in surface ? undefined : surface
}

function placeOf(surface: Surface): Place {
  const view = viewOf(surface)
  if (view) return { kind: 'view', viewId: view.id }
  if ('ts' in surface) return { kind: 'message', channel: surface.channel, ts: surface.ts }
  throw new Error('That is neither a message nor a view.')
}

function blocksOf(surface: Surface) {
  if ('view' in surface) return surface.view.blocks
  return 'ts' in surface ? messageBlocks(surface) : surface.blocks
}

function present(surface: MaybeSurface): Surface {
  if (!surface) throw new Error('There is no message and no view to act on.')
  return surface
}

/** One person at the playground: what they do, and what they then see. Waits are bounded and never sleep. */
export function createUser(wire: Wire, id: string) {
  /** What was filled in and not yet sent, by view. */
  const typed = new Map<string, InputValues>()
  const answered = (outcome: Outcome, waiting: Waiting): Promise<Answer> =>
    awaitAnswer(wire, id, outcome, waiting)
  const state = (): Promise<Snapshot> => wire.state(id)

  async function channelId(name: string): Promise<string> {
    const { channels, bot } = await state()
    const direct = name === 'dm' ? bot.userId : undefined
    const found = channels.find((one) => one.id === name || one.name === (direct ?? name.replace(/^#/, '')))
    if (!found) throw new Error(`${id} is in no channel "${name}".`)
    return found.id
  }

  async function topView(): Promise<OpenView> {
    const top = (await state()).views.at(-1)
    if (!top) throw new Error(`${id} has no modal open.`)
    return top
  }

  /** Acts on the element with this label, action_id or placeholder; `value` for what is chosen. */
  async function press(given: MaybeSurface, name: string, value: InputValue | undefined): Promise<Outcome> {
    const surface = present(given)
    const spot = findSpot(blocksOf(surface), name)
    const actionId = String(spot.element.action_id)
    const chosen = value === undefined ? undefined : toValue(spot, value)
    const view = viewOf(surface)
    const before = view ? (typed.get(view.id) ?? {}) : {}
    const values =
      chosen === undefined ? before : mergeValues(before, { [spot.block.block_id]: { [actionId]: chosen } })
    if (view) typed.set(view.id, values)
    return wire.act('action', {
      user: id,
      place: placeOf(surface),
      blockId: spot.block.block_id,
      actionId,
      ...(chosen !== undefined && { value: chosen }),
      values,
    })
  }

  /** Waits until what this person sees is so; an Error that names `what` after `waitMs`. */
  async function until(what: string, holds: (now: Snapshot) => boolean, waitMs = 5000): Promise<Snapshot> {
    const endMs = performance.now() + waitMs
    for (;;) {
      const now = await state()
      if (holds(now)) return now
      const leftMs = Math.ceil(endMs - performance.now())
      if (leftMs <= 0) throw new Error(`${id} has waited ${waitMs} ms for: ${what}.`)
      await wire.events(id, now.seq, leftMs)
    }
  }

  return {
    id,
    state,

    /** Changes the text of this person's own message. */
    edit: (own: { channel: string; ts: string }, text: string): Promise<Outcome> =>
      wire.act('edit', { user: id, channel: own.channel, ts: own.ts, text }),
    delete: (own: { channel: string; ts: string }): Promise<Outcome> =>
      wire.act('delete', { user: id, channel: own.channel, ts: own.ts }),
    /** Puts an emoji to a message, or takes it back. */
    react: (on: { channel: string; ts: string }, name: string, { remove = false } = {}): Promise<Outcome> =>
      wire.act('react', { user: id, channel: on.channel, ts: on.ts, name, remove }),
    /** Pins a message, or takes it off. */
    pin: (on: { channel: string; ts: string }, { remove = false } = {}): Promise<Outcome> =>
      wire.act('pin', { user: id, channel: on.channel, ts: on.ts, remove }),
    join: (channel: string): Promise<Outcome> => wire.act('membership', { user: id, channel }),
    leave: (channel: string): Promise<Outcome> => wire.act('membership', { user: id, channel, leave: true }),
    /** Changes who this person is: `user_change`. */
    become: (change: Omit<PersonPost, 'user'>): Promise<Outcome> =>
      wire.act('person', { user: id, ...change }),

    /** Types a slash command, by default in #general, and waits for the first answer. */
    async command(
      command: string,
      text = '',
      { channel = 'general', ...waiting }: Waiting & { channel?: string } = {},
    ) {
      const body = { user: id, channel: await channelId(channel), command, text }
      return answered(await wire.act('command', body), waiting)
    },

    /** Types a line as into the page's field: a command when it begins with a slash, else a message. */
    async type(line: string, { channel = 'general', ...waiting }: Waiting & { channel?: string } = {}) {
      const [, command, text = ''] = /^(\/\S+)\s*([\s\S]*)$/.exec(line.trim()) ?? []
      const at = await channelId(channel)
      const outcome =
        command === undefined
          ? await wire.act('message', { user: id, channel: at, text: line })
          : await wire.act('command', { user: id, channel: at, command, text })
      return answered(outcome, waiting)
    },

    /** Waits until this can be read: in a channel, the top modal, or Home; the answer is all that can be read then. */
    async see(text: string | RegExp, { waitMs = 5000 }: { waitMs?: number } = {}): Promise<string> {
      const shown = ({ messages, views, home }: Snapshot) =>
        [...Object.values(messages).flat(), views.at(-1), home ?? undefined].map(readText).join('\n')
      const holds = (now: Snapshot) =>
        typeof text === 'string' ? shown(now).includes(text) : text.test(shown(now))
      return shown(await until(`"${text}" to be seen`, holds, waitMs))
    },

    /** Writes a plain message; with `waiting`, awaits what the app says to it. The answer is the message's ts. */
    async say(
      text: string,
      {
        channel = 'general',
        threadTs,
        files,
      }: { channel?: string; threadTs?: string; files?: string[] } = {},
    ) {
      const body = {
        user: id,
        channel: await channelId(channel),
        text,
        ...(threadTs && { threadTs }),
        ...(files && { files }),
      }
      const outcome = await wire.act('message', body)
      return {
        outcome,
        ts: outcome.ok ? (outcome.ts ?? '') : '',
        answer: (waiting: Waiting = {}) => answered(outcome, waiting),
      }
    },

    /** Presses a button; one with a confirm dialog is confirmed, unless `deny` is given: then nothing is sent. */
    async click(
      surface: MaybeSurface,
      name: string,
      { deny = false, ...waiting }: Waiting & { deny?: boolean } = {},
    ) {
      const { element } = findSpot(blocksOf(present(surface)), name)
      if (deny) {
        if (!isFields(element.confirm)) throw new Error(`"${name}" asks for no confirmation.`)
        const { seq } = await state()
        const outcome: Outcome = { ok: true, deliveryId: null, seq }
        return awaitAnswer(wire, id, outcome, { until: () => true })
      }
      return answered(await press(surface, name, undefined), waiting)
    },

    /** Chooses in a menu, overflow, picker, radio buttons or checkboxes, by label or value. */
    async choose(surface: MaybeSurface, name: string, choice: InputValue, waiting: Waiting = {}) {
      return answered(await press(surface, name, choice), waiting)
    },

    /** Types into an external select; the answer is what the app offers. */
    async options(given: MaybeSurface, name: string, query: string): Promise<OptionsAnswer> {
      const surface = present(given)
      const { block, element } = findSpot(blocksOf(surface), name)
      const at = { blockId: block.block_id, actionId: String(element.action_id) }
      return wire.post<OptionsAnswer>('options', { user: id, place: placeOf(surface), ...at, query })
    },

    /** Fills in the top modal without sending it, by label, action_id or block_id. */
    async fill(answers: Record<string, InputValue>): Promise<void> {
      const { view } = await topView()
      typed.set(view.id, mergeValues(typed.get(view.id) ?? {}, toValues(view.blocks, answers)))
    },

    /** Fills in the top modal, presses its submit button, and waits for what happens to it. */
    async submit(answers: Record<string, InputValue> = {}, waiting: Waiting = {}): Promise<Answer> {
      const { view } = await topView()
      const values = mergeValues(typed.get(view.id) ?? {}, toValues(view.blocks, answers))
      typed.set(view.id, values)
      return answered(await wire.act('submit', { user: id, viewId: view.id, values }), waiting)
    },

    /** Closes the top modal, or all of them. */
    async close({ all = false }: { all?: boolean } = {}): Promise<Answer> {
      const { view } = await topView()
      return answered(await wire.act('close', { user: id, viewId: view.id, all }), {})
    },

    /** Uses a global shortcut, or one on a message. */
    async shortcut(
      callbackId: string,
      { message, ...waiting }: Waiting & { message?: { channel: string; ts: string } } = {},
    ) {
      const on = message && { message: { channel: message.channel, ts: message.ts } }
      return answered(await wire.act('shortcut', { user: id, callbackId, ...on }), waiting)
    },

    /** Opens the app's Home and waits for it to be published. */
    async openHome(waiting: Waiting = {}): Promise<Answer> {
      const outcome = await wire.act('home', { user: id })
      return answered(outcome, { until: (answer) => answer.home !== undefined, ...waiting })
    },

    /** The top modal as it is now. */
    view: topView,
    views: async (): Promise<OpenView[]> => (await state()).views,
    home: async (): Promise<View | null> => (await state()).home,

    /** What this person sees in a channel, oldest first. */
    async messages(channel = 'general'): Promise<Message[]> {
      const at = await channelId(channel)
      return (await state()).messages[at] ?? []
    },

    async upload(
      name: string,
      content: string | Uint8Array<ArrayBuffer>,
      type = 'text/plain',
    ): Promise<FileInfo> {
      const query = new URLSearchParams({ user: id, name })
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      return (await wire.upload<UploadAnswer>(`upload?${query}`, type, bytes)).file
    },

    until,
  }
}
