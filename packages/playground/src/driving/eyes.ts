import type { Message, OpenView, View } from '../protocol.ts'
import { PATIENCE_MS } from './answer.ts'
import { readText } from './reading.ts'
import type { Sight, Wire } from './wire.ts'

export type Eyes = ReturnType<typeof createEyes>

/** What one person sees on the playground. Waits have a limit and never sleep. */
export function createEyes(wire: Wire, id: string) {
  const state = (): Promise<Sight> => wire.state(id)

  const channelId = async (name: string): Promise<string> => idIn(await state(), name)

  function idIn({ channels, bot }: Sight, name: string): string {
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

  /** Waits until this is true for what this person sees; after `waitMs`, throws an Error that names `what`. */
  async function until(what: string, holds: (now: Sight) => boolean, waitMs = PATIENCE_MS): Promise<Sight> {
    const endMs = performance.now() + waitMs
    for (;;) {
      const now = await state()
      if (holds(now)) return now
      const leftMs = Math.ceil(endMs - performance.now())
      if (leftMs <= 0) throw new Error(`${id} has waited ${waitMs} ms for: ${what}.`)
      // A test may also wait for what the app was sent.
      await wire.events(id, now.seq, leftMs, true)
    }
  }

  return {
    state,
    channelId,
    until,

    /** Waits until this can be read in a channel, the top modal, or Home. Returns everything that can be read then. */
    async see(text: string | RegExp, { waitMs = PATIENCE_MS }: { waitMs?: number } = {}): Promise<string> {
      const shown = ({ messages, views, home }: Sight) =>
        [...Object.values(messages).flat(), views.at(-1), home ?? undefined].map(readText).join('\n')
      const holds = (now: Sight) =>
        typeof text === 'string' ? shown(now).includes(text) : text.test(shown(now))
      return shown(await until(`"${text}" to be seen`, holds, waitMs))
    },

    /** The current top modal. */
    view: topView,
    views: async (): Promise<OpenView[]> => (await state()).views,
    home: async (): Promise<View | null> => (await state()).home,

    /** What this person sees in a channel, oldest first. */
    async messages(channel = 'general'): Promise<Message[]> {
      const now = await state()
      return now.messages[idIn(now, channel)] ?? []
    },
  }
}
