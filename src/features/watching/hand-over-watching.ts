import { UserError } from '@signalman/runtime'
import { clip, oneLine } from '@signalman/slack'
import type { Reachability } from '../../bot/access/reachable.ts'
import { handOverEach } from '../../bot/routes/hand-over-each.ts'
import type { HandOver } from '../../bot/routes/routes.ts'
import { ENVIRONMENTS } from '../../domain/environment.ts'
import type { WatchStore } from './rows/watching.ts'
import { describeFilter } from './rules/filter-fields.ts'
import { channelLinkParts, incidentName } from './views/words.ts'

const MAX_NAME = 100
const MAX_OUTAGES = 10_000
/** Outages per transaction. The channels are updated once per batch. */
const BATCH_SIZE = 100

interface Deps {
  readonly watching: Pick<WatchStore, 'onIt' | 'watches'>
  readonly reachability: Pick<Reachability, 'explainPerson'>
  readonly wake: () => void
}

/** Hands over the outages that a person has acknowledged, to someone who can be notified in a channel that lists them. */
export const createOutageHandOver = ({ watching: { onIt }, reachability, wake }: Deps): HandOver => ({
  singular: 'outage',
  plural: 'outages',
  needs: async () => 'viewer',

  async listOwned({ workspaceId, enterpriseId }, userId, newOwnerId) {
    const owned = await onIt.listTaken(workspaceId, userId, MAX_OUTAGES)
    const reason =
      owned.length > 0
        ? await reachability.explainPerson({ workspaceId, enterpriseId }, newOwnerId)
        : undefined
    return owned.map(({ environment, incident: { id, check } }) => ({
      id,
      environment,
      name: clip(oneLine(incidentName(check)), MAX_NAME),
      ...(reason && { blockedReason: `The new owner ${reason}.` }),
    }))
  },

  async transfer(context, outages, { from, to }) {
    const { workspaceId } = context
    const handedOver: string[] = []
    for (const environment of ENVIRONMENTS) {
      const inEnvironment = outages.filter((outage) => outage.environment === environment)
      for (let start = 0; start < inEnvironment.length; start += BATCH_SIZE) {
        const batch = inEnvironment.slice(start, start + BATCH_SIZE)
        const ids = batch.map(({ id }) => id)
        const names = batch.map(({ name }) => name)
        const step = { verb: '/hc handover', object: `outages of ${from}`, environment, isRepeatable: true }
        const changed = await context.change(
          { ...step, before: { onIt: from, outages: names }, after: { onIt: to.userId } },
          async () => {
            const incidents = await onIt.handOver({ workspaceId, environment }, ids, from, to)
            return incidents.map(({ id }) => id)
          },
        )
        handedOver.push(...changed)
      }
    }
    wake()
    return handedOver
  },
})

/** Hands over a person's watches in channels. */
export const createWatchHandOver = ({ watching: { watches } }: Pick<Deps, 'watching'>): HandOver => ({
  singular: 'watch',
  plural: 'watches',
  needs: async () => 'operator',

  listOwned: async ({ workspaceId }, userId) =>
    (await watches.list(workspaceId))
      .filter(({ ownerId }) => ownerId === userId)
      .map(({ id, environment, channelId, filter }) => ({
        id,
        environment,
        name: [`${clip(describeFilter(filter), MAX_NAME)} in `, ...channelLinkParts(channelId)],
      })),

  async transfer(context, owned, { from, to }) {
    const handedOver = await handOverEach(owned, async ({ id, environment }) => {
      const { workspaceId } = context
      const people = { from, to: to.userId }
      const watch = await watches.find(workspaceId, id)
      return context.change(
        {
          verb: '/hc handover',
          object: `watch ${id}`,
          ...(watch && { objectName: describeFilter(watch.filter) }),
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
            throw new UserError('They no longer own this watch.')
        },
      )
    })
    return handedOver
  },
})
