import { UserError } from '@signalman/runtime'
import { clip, isDirect, oneLine } from '@signalman/slack'
import { giveEach } from '../../bot/routes/give-each.ts'
import type { HandOver } from '../../bot/routes/routes.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import type { WatchStore } from './rows/watching.ts'
import { describeFilter } from './rules/filter-fields.ts'
import { placeLinkParts } from './views/words.ts'

const MAX_NAME = 100
const MAX_OUTAGES = 10_000
/** Outages per transaction. The channels are updated once per batch. */
const BATCH = 100

interface Parts {
  readonly watching: Pick<WatchStore, 'people' | 'watches'>
  readonly wake: () => void
}

/** The outages that a person is on. */
export const handOverOutages = ({ watching: { people }, wake }: Parts): HandOver => ({
  one: 'outage',
  many: 'outages',
  needs: async () => 'viewer',

  held: async ({ workspaceId }, userId) =>
    (await people.listTakenBy(workspaceId, userId, MAX_OUTAGES)).map(
      ({ environment, outage: { id, check } }) => ({
        id,
        environment,
        name: clip(oneLine(check.name), MAX_NAME),
      }),
    ),

  async give(context, things, { from, to }) {
    const { workspaceId } = context
    const handedOver: string[] = []
    for (const environment of ENVIRONMENTS) {
      const inEnvironment = things.filter((one) => one.environment === environment)
      for (let start = 0; start < inEnvironment.length; start += BATCH) {
        const batch = inEnvironment.slice(start, start + BATCH)
        const ids = batch.map(({ id }) => id)
        const names = batch.map(({ name }) => name)
        const what = { verb: '/hc handover', object: `outages of ${from}`, environment, isRepeatable: true }
        const changed = await context.change(
          { ...what, before: { onIt: from, outages: names }, after: { onIt: to.userId } },
          () => people.handOverOutages({ workspaceId, environment }, ids, from, to),
        )
        handedOver.push(...changed)
      }
    }
    wake()
    return handedOver
  },
})

/** The channel watches that a person owns. Watches in their direct messages end with their account. */
export const handOverWatches = ({ watching: { watches } }: Parts): HandOver => ({
  one: 'watch',
  many: 'watches',
  needs: async () => 'operator',

  held: async ({ workspaceId }, userId) =>
    (await watches.list(workspaceId))
      .filter(({ ownerId, channelId }) => ownerId === userId && !isDirect(channelId))
      .map(({ id, environment, channelId, filter }) => ({
        id,
        environment,
        name: [`${clip(describeFilter(filter), MAX_NAME)} in `, ...placeLinkParts(channelId)],
      })),

  give: (context, things, { from, to }) =>
    giveEach(things, ({ id, environment }) => {
      const { workspaceId } = context
      const people = { from, to: to.userId }
      return context.change(
        {
          verb: '/hc handover',
          object: `watch ${id}`,
          environment,
          before: { owner: from },
          after: { owner: to.userId },
          lookUp: async () =>
            (await watches.find(workspaceId, id))?.ownerId === to.userId
              ? { outcome: undefined }
              : 'not-done',
        },
        async () => {
          if (!(await watches.setOwner(workspaceId, id, people)))
            throw new UserError('They no longer owned this watch.')
        },
      )
    }),
})
