import type { Message, OpenView, Snapshot, View } from '../protocol/protocol.ts'
import { DEFAULT_WAIT_MS } from './answer.ts'
import { readText } from './find-element.ts'
import type { HttpClient } from './http-client.ts'

export type Observer = ReturnType<typeof createObserver>

/** Reads what one person sees in the playground. Functions that wait for something check again after each event. */
export function createObserver(client: HttpClient, userId: string) {
  const state = (): Promise<Snapshot> => client.state(userId)
  /** The same almost without messages, which are most of the data. For what doesn't depend on them. */
  const stateWithoutHistory = (): Promise<Snapshot> => client.state(userId, { newest: 1 })

  const channelId = async (name: string): Promise<string> => findChannelId(await stateWithoutHistory(), name)

  function findChannelId({ channels, bot }: Snapshot, name: string): string {
    // The direct message with the app has the bot's user ID as its name.
    const channelName = name === 'dm' ? bot.userId : name.replace(/^#/, '')
    const channel = channels.find((candidate) => candidate.id === name || candidate.name === channelName)
    if (!channel) throw new Error(`${userId} isn't in a channel "${name}".`)
    return channel.id
  }

  async function topView(): Promise<OpenView> {
    const top = (await stateWithoutHistory()).views.at(-1)
    if (!top) throw new Error(`${userId} has no modal open.`)
    return top
  }

  /** Waits until `condition` is true for what this person sees. After `waitMs`, throws an Error with the `description`. */
  async function until(
    description: string,
    condition: (now: Snapshot) => boolean,
    waitMs = DEFAULT_WAIT_MS,
  ): Promise<Snapshot> {
    const endMs = performance.now() + waitMs
    for (;;) {
      const now = await state()
      if (condition(now)) return now
      const leftMs = Math.ceil(endMs - performance.now())
      if (leftMs <= 0) throw new Error(`${userId} waited ${waitMs} ms for ${description}.`)
      // Also wakes up for requests to and from the app, because a test may wait for one.
      await client.events(userId, now.seq, leftMs, true)
    }
  }

  return {
    state,
    channelId,
    until,

    /** Waits until a text is visible in a channel, the top modal, or Home. Returns all visible text. */
    async see(
      text: string | RegExp,
      { waitMs = DEFAULT_WAIT_MS }: { waitMs?: number } = {},
    ): Promise<string> {
      const visibleText = ({ messages, views, home }: Snapshot) =>
        [...Object.values(messages).flat(), views.at(-1), home ?? undefined].map(readText).join('\n')
      const isVisible = (now: Snapshot) =>
        typeof text === 'string' ? visibleText(now).includes(text) : text.test(visibleText(now))
      return visibleText(await until(`the text "${text}"`, isVisible, waitMs))
    },

    /** The current top modal. */
    view: topView,
    views: async (): Promise<OpenView[]> => (await stateWithoutHistory()).views,
    home: async (): Promise<View | null> => (await stateWithoutHistory()).home,

    /** The messages that this person sees in a channel, oldest first. */
    async messages(channel = 'general'): Promise<Message[]> {
      const now = await state()
      return now.messages[findChannelId(now, channel)] ?? []
    },
  }
}
