import { createReplay, type Replayed } from './driving/replay.ts'
import { createUser, type User } from './driving/user.ts'
import { createWire } from './driving/wire.ts'
import type { Delivery, Fault, Outcome, Post, RedeliverAnswer, SocketsAnswer } from './protocol.ts'
import type { Scenario, Step } from './scenario/scenario.ts'
import { ADMIN, MEMBER } from './seed.ts'

export type { Answer, Waiting } from './driving/answer.ts'
export { readText } from './driving/reading.ts'
export type { Replayed } from './driving/replay.ts'
export type { Surface, User } from './driving/user.ts'

export type Driver = ReturnType<typeof createDriver>

/**
 * A driver for the playground at `url`, over its own HTTP, for tests that read like what a person does: `const answer = await
 * slack.member.command('/hc', 'list'); await slack.member.click(answer.message, 'Refresh')`. `printed` is what the app has
 * printed, for the Error when an answer is missing.
 */
export function createDriver(url: string, { printed = () => '' }: { printed?: () => string } = {}) {
  const wire = createWire(url, printed)
  const users = new Map<string, User>()

  /** The person with this ID; `member` and `admin` are the two that always exist. */
  function user(name: string): User {
    const id = name === 'member' ? MEMBER : name === 'admin' ? ADMIN : name
    const known = users.get(id) ?? createUser(wire, id)
    users.set(id, known)
    return known
  }

  const replay = createReplay(wire, user, MEMBER)

  return {
    user,
    member: user('member'),
    admin: user('admin'),

    /** Every request between the playground and the app, oldest first; all of them, or those of one kind. */
    async deliveries(kind?: string): Promise<Delivery[]> {
      const { deliveries } = await wire.get<{ deliveries: Delivery[] }>('deliveries')
      return kind === undefined ? deliveries : deliveries.filter((one) => one.kind === kind)
    },

    /** Sends exactly the same signed request again, all copies at once. Returns the app's statuses. */
    async redeliver(deliveryId: string, times = 1): Promise<number[]> {
      return (await wire.post<RedeliverAnswer>('redeliver', { deliveryId, times })).statuses
    },

    /** Tells the Web API what to do wrong, replacing earlier faults. */
    async faults(...faults: Fault[]): Promise<void> {
      await wire.post('faults', faults)
    },

    /** Removes the app from a workspace or an organization. Slack sends both events, or those given. */
    uninstall: (id: string, events?: Post<'uninstall'>['events'], late = false): Promise<Outcome> =>
      wire.act('uninstall', { id, late, ...(events && { events }) }),

    /** Removes the app from one workspace of an organization that has it, or adds it there. */
    access: (id: string, granted: boolean): Promise<Outcome> => wire.act('access', { id, granted }),

    /** Loads the people, channels, messages, faults, and time of a scenario, given as text or as an object. */
    load: (scenario: string | Scenario): Promise<Outcome> =>
      wire.load(typeof scenario === 'string' ? scenario : JSON.stringify(scenario)),

    /** Repeats the steps of a scenario. */
    replay: (steps: readonly Step[]): Promise<Replayed[]> => replay(steps),

    /** Records what people do from now on; `recording` is what was recorded so far. */
    record: (): Promise<Outcome> => wire.act('record', { on: true }),
    recording: (): Promise<Scenario> => wire.get<Scenario>('recording'),

    /** Sets the playground's clock, or moves it forward. */
    clock: (post: Post<'clock'>): Promise<Outcome> => wire.act('clock', post),

    /** Deletes what was said and uploaded. */
    reset: (): Promise<Outcome> => wire.act('reset', {}),

    /** Does to the app's sockets what Slack or the network does from time to time. */
    sockets: (trouble: Post<'sockets'>): Promise<SocketsAnswer> =>
      wire.post<SocketsAnswer>('sockets', trouble),

    /** Sends `url_verification`. */
    verify: (): Promise<Outcome> => wire.act('verify', {}),
  }
}
