import { createHttpClient } from './driver/http-client.ts'
import { createUser, type User } from './driver/user.ts'
import type { Fault, RedeliverAnswer, SocketsAnswer } from './protocol/answers.ts'
import type { Delivery, Outcome, PostBody } from './protocol/protocol.ts'
import { ADMIN, MEMBER } from './state/seed.ts'

export type { Answer, Waiting } from './driver/answer.ts'
export { readText } from './driver/find-element.ts'
export type { User } from './driver/user.ts'

export type Driver = ReturnType<typeof createDriver>

const DEFAULT_PEOPLE: ReadonlyMap<string, string> = new Map([
  ['member', MEMBER],
  ['admin', ADMIN],
])

/**
 * Drives the playground at `url` over HTTP, so that a test can act as a person:
 * `const answer = await slack.member.command('/hc', 'list'); await slack.member.click(answer.message, 'Refresh')`.
 */
export function createDriver(url: string) {
  const client = createHttpClient(url)
  const users = new Map<string, User>()

  function user(idOrAlias: string): User {
    const id = DEFAULT_PEOPLE.get(idOrAlias) ?? idOrAlias
    const person = users.get(id) ?? createUser(client, id)
    users.set(id, person)
    return person
  }

  return {
    /** The person with this ID, or with the alias `member` or `admin`. */
    user,
    member: user('member'),
    admin: user('admin'),

    /** Lists the requests between the playground and the app, oldest first, optionally of one kind. */
    async deliveries(kind?: string): Promise<Delivery[]> {
      const { deliveries } = await client.get<{ deliveries: Delivery[] }>('deliveries')
      return kind === undefined ? deliveries : deliveries.filter((delivery) => delivery.kind === kind)
    },

    /** Sends copies of an earlier request in parallel, with the same signature. Returns the app's HTTP statuses. */
    async redeliver(deliveryId: string, times = 1): Promise<number[]> {
      return (await client.post<RedeliverAnswer>('redeliver', { deliveryId, times })).statuses
    },

    /** Injects faults into the app's next Web API calls. Replaces earlier faults. */
    async faults(...faults: Fault[]): Promise<void> {
      await client.post('faults', faults)
    },

    /**
     * Uninstalls the app from a workspace, and sends `events`: by default, `app_uninstalled` and `tokens_revoked`. With `late`, the app
     * stays installed and only gets the events, like delayed events about an earlier installation.
     */
    uninstall: (id: string, events?: PostBody<'uninstall'>['events'], late = false): Promise<Outcome> =>
      client.act('uninstall', { id, late, ...(events && { events }) }),

    /** Adds a scenario's people and channels. */
    load: (scenario: PostBody<'scenario'>): Promise<Outcome> => client.act('scenario', scenario),

    /** Moves the playground's clock forward. */
    clock: (setting: PostBody<'clock'>): Promise<Outcome> => client.act('clock', setting),

    /** Deletes all messages and files. */
    reset: (): Promise<Outcome> => client.act('reset', {}),

    /** Disconnects the app's sockets as Slack does, or drops them like a network failure. */
    sockets: (disruption: PostBody<'sockets'>): Promise<SocketsAnswer> =>
      client.post<SocketsAnswer>('sockets', disruption),
  }
}
