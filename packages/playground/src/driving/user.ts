import type { InputValues, Message, OpenView, Outcome, Post, View } from '../protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import { createObserver } from './eyes.ts'
import { createModalActions } from './filling.ts'
import { createElementActions } from './pressing.ts'
import { createMessageActions } from './saying.ts'
import { createLinkActions } from './sharing.ts'
import type { HttpClient } from './wire.ts'
import { createStepActions } from './working.ts'

/** A message, a modal, or Home, which contains elements to use. */
export type Surface = Message | OpenView | View
/** The type of these in answers. Using an undefined one is an Error. */
export type MaybeSurface = Surface | undefined

export type User = ReturnType<typeof createUser>

/** One person on the playground: acts for them, and reads what they see. */
export function createUser(wire: HttpClient, id: string) {
  const observer = createObserver(wire, id)
  const { state, until, see, view, views, home, messages } = observer
  /** What is filled in but not submitted yet, by view ID. */
  const typed = new Map<string, InputValues>()
  const messageActions = createMessageActions(wire, id, observer)

  return {
    id,
    state,
    until,
    see,
    view,
    views,
    home,
    messages,
    ...messageActions,
    ...createLinkActions(wire, id, observer, messageActions.say),
    ...createElementActions(wire, id, observer, typed),
    ...createModalActions(wire, id, observer, typed),
    ...createStepActions(wire, id, observer),

    /** Changes the text of this person's own message. */
    edit: (own: { channel: string; ts: string }, text: string): Promise<Outcome> =>
      wire.act('edit', { user: id, channel: own.channel, ts: own.ts, text }),
    delete: (own: { channel: string; ts: string }): Promise<Outcome> =>
      wire.act('delete', { user: id, channel: own.channel, ts: own.ts }),
    /** Adds a reaction to a message, or removes it. */
    react: (on: { channel: string; ts: string }, name: string, { remove = false } = {}): Promise<Outcome> =>
      wire.act('react', { user: id, channel: on.channel, ts: on.ts, name, remove }),
    /** Pins or unpins a message. */
    pin: (on: { channel: string; ts: string }, { remove = false } = {}): Promise<Outcome> =>
      wire.act('pin', { user: id, channel: on.channel, ts: on.ts, remove }),
    join: (channel: string): Promise<Outcome> => wire.act('membership', { user: id, channel }),
    leave: (channel: string): Promise<Outcome> => wire.act('membership', { user: id, channel, leave: true }),
    /** Joins a user group, given by its handle or ID. */
    joinGroup: (group: string): Promise<Outcome> => wire.act('group', { user: id, group }),
    leaveGroup: (group: string): Promise<Outcome> => wire.act('group', { user: id, group, leave: true }),
    /** Changes a channel that this person is in: its name, topic, purpose, or whether it is archived. */
    change: async (channel: string, change: Omit<Post<'channel'>, 'user' | 'channel'>): Promise<Outcome> =>
      wire.act('channel', { user: id, channel, ...change }),
    /** Creates a public channel, a private one, or a group message, with other members if given. */
    create: (name: string, more: Omit<Post<'new-channel'>, 'user' | 'name'> = {}): Promise<Outcome> =>
      wire.act('new-channel', { user: id, name, ...more }),
    /** Changes this person's profile or time zone: `become({ tz: 'Europe/Berlin' })`. The app gets `user_change`. */
    become: (change: Omit<Post<'person'>, 'user'>): Promise<Outcome> =>
      wire.act('person', { user: id, ...change }),

    /** Uses a global shortcut, or one on a message. */
    async shortcut(
      callbackId: string,
      { message, ...waiting }: Waiting & { message?: { channel: string; ts: string } } = {},
    ) {
      const on = message && { message: { channel: message.channel, ts: message.ts } }
      return awaitAnswer(wire, id, await wire.act('shortcut', { user: id, callbackId, ...on }), waiting)
    },

    /** Opens the app's Home and waits for it to be published. */
    async openHome(waiting: Waiting = {}): Promise<Answer> {
      const outcome = await wire.act('home', { user: id })
      return awaitAnswer(wire, id, outcome, { until: (answer) => answer.home !== undefined, ...waiting })
    },
  }
}
