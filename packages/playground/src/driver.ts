import { createHttpClient } from './driving/http-client.ts'
import { createReplay, type ReplayedStep } from './driving/replay.ts'
import { createUser, type User } from './driving/user.ts'
import type { Delivery, Fault, Outcome, PostBody, RedeliverAnswer, SocketsAnswer } from './protocol.ts'
import type { Scenario, Step } from './scenario/scenario.ts'
import { ADMIN, MEMBER } from './seed.ts'

export type { Answer, Waiting } from './driving/answer.ts'
export { readText } from './driving/reading.ts'
export type { ReplayedStep } from './driving/replay.ts'
export type { Surface, User } from './driving/user.ts'

export type Driver = ReturnType<typeof createDriver>

/**
 * A driver for the playground at `url`, over HTTP, for tests that read like what a person does: `const answer = await
 * slack.member.command('/hc', 'list'); await slack.member.click(answer.message, 'Refresh')`. `appOutput` returns what the
 * app printed, which is added to the error if an answer doesn't arrive.
 */
export function createDriver(url: string, { appOutput = () => '' }: { appOutput?: () => string } = {}) {
  const client = createHttpClient(url, appOutput)
  const users = new Map<string, User>()

  /** The person with this ID; `member` and `admin` are the two that always exist. */
  function user(name: string): User {
    const id = name === 'member' ? MEMBER : name === 'admin' ? ADMIN : name
    const person = users.get(id) ?? createUser(client, id)
    users.set(id, person)
    return person
  }

  const replay = createReplay(client, user, MEMBER)

  return {
    user,
    member: user('member'),
    admin: user('admin'),

    /** Every request between the playground and the app, oldest first; all of them, or those of one kind. */
    async deliveries(kind?: string): Promise<Delivery[]> {
      const { deliveries } = await client.get<{ deliveries: Delivery[] }>('deliveries')
      return kind === undefined ? deliveries : deliveries.filter((delivery) => delivery.kind === kind)
    },

    /** Sends exactly the same signed request again, all copies in parallel. Returns the app's statuses. */
    async redeliver(deliveryId: string, times = 1): Promise<number[]> {
      return (await client.post<RedeliverAnswer>('redeliver', { deliveryId, times })).statuses
    },

    /** Makes Web API calls fail in these ways, replacing earlier faults. */
    async faults(...faults: Fault[]): Promise<void> {
      await client.post('faults', faults)
    },

    /**
     * Removes the app from a workspace or an organization. Slack sends `events`, by default both. With `late`, the app stays installed,
     * and Slack only sends the events, as if they were about an earlier installation.
     */
    uninstall: (id: string, events?: PostBody<'uninstall'>['events'], late = false): Promise<Outcome> =>
      client.act('uninstall', { id, late, ...(events && { events }) }),

    /** Removes the app from a workspace of an organization that installed it, or adds it again. */
    access: (id: string, granted: boolean): Promise<Outcome> => client.act('access', { id, granted }),

    /** Loads the people, channels, messages, faults, and time of a scenario, given as text or as an object. */
    load: (scenario: string | Scenario): Promise<Outcome> =>
      client.load(typeof scenario === 'string' ? scenario : JSON.stringify(scenario)),

    /** Replays the steps of a scenario. */
    replay: (steps: readonly Step[]): Promise<ReplayedStep[]> => replay(steps),

    /** Starts recording what people do; `recording` returns the recording so far. */
    record: (): Promise<Outcome> => client.act('record', { on: true }),
    recording: (): Promise<Scenario> => client.get<Scenario>('recording'),

    /** Sets the playground's clock, or moves it forward. */
    clock: (setting: PostBody<'clock'>): Promise<Outcome> => client.act('clock', setting),

    /** Deletes all messages and files. */
    reset: (): Promise<Outcome> => client.act('reset', {}),

    /** Warns, refreshes, disables, or drops the app's sockets, as Slack and networks do. */
    sockets: (disruption: PostBody<'sockets'>): Promise<SocketsAnswer> =>
      client.post<SocketsAnswer>('sockets', disruption),

    /** Sends `url_verification`. */
    verify: (): Promise<Outcome> => client.act('verify', {}),
  }
}
