// This folder: the people that tests act as.

import type { InputValues } from '../protocol/answers.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { type Answer, awaitAnswer, type Waiting } from './answer.ts'
import { createElementActions } from './element-actions.ts'
import type { HttpClient } from './http-client.ts'
import { createMessageActions } from './message-actions.ts'
import { createModalActions } from './modal-actions.ts'
import { createObserver } from './observer.ts'

export type User = ReturnType<typeof createUser>

/** Acts as one person in the playground, and reads what they see. */
export function createUser(client: HttpClient, userId: string) {
  const observer = createObserver(client, userId)
  const { state, until, see, view, views, home, messages } = observer
  /** Values that are entered but not submitted yet, by view ID. */
  const unsubmitted = new Map<string, InputValues>()

  return {
    id: userId,
    state,
    until,
    see,
    view,
    views,
    home,
    messages,
    ...createMessageActions(client, userId, observer),
    ...createElementActions(client, userId, unsubmitted),
    ...createModalActions(client, userId, observer, unsubmitted),

    /** Changes the text of this person's own message. */
    edit: (message: { channel: string; ts: string }, text: string): Promise<Outcome> =>
      client.act('edit', { user: userId, channel: message.channel, ts: message.ts, text }),
    join: (channel: string): Promise<Outcome> => client.act('membership', { user: userId, channel }),
    leave: (channel: string): Promise<Outcome> =>
      client.act('membership', { user: userId, channel, leave: true }),
    /** Shares a channel that this person is in with another organization. */
    shareChannel: (channel: string, sharedWith: string): Promise<Outcome> =>
      client.act('share', { user: userId, channel, sharedWith }),
    /** Changes this person's role, or deactivates them. The app gets `user_change`. */
    updateAccount: (change: Omit<PostBody<'person'>, 'user'>): Promise<Outcome> =>
      client.act('person', { user: userId, ...change }),

    /** Runs a message shortcut. Waits for the app's answer. */
    async shortcut(
      callbackId: string,
      { message, ...waiting }: Waiting & { message: { channel: string; ts: string } },
    ) {
      const { channel, ts } = message
      const outcome = await client.act('shortcut', { user: userId, callbackId, message: { channel, ts } })
      return awaitAnswer(client, userId, outcome, waiting)
    },

    /** Opens the app's Home tab, and waits until the app publishes it. */
    async openHome(waiting: Waiting = {}): Promise<Answer> {
      const outcome = await client.act('home', { user: userId })
      return awaitAnswer(client, userId, outcome, {
        until: (answer) => answer.home !== undefined,
        ...waiting,
      })
    },
  }
}
