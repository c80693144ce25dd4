import type { SuggestedCommand } from '@signalman/runtime'
import type { Workspace } from '@signalman/slack'
import { bindMessage } from '../../bot/bind-buttons.ts'
import type { FindNearby } from '../../bot/routes/routes.ts'
import type { NearCheck } from '../../domain/find-check.ts'
import { type Incident, isNoData } from '../../domain/outages/incident.ts'
import { quoted } from '../../domain/quoting.ts'
import { findChannel } from './channel.ts'
import type { FindAddress } from './message-address.ts'
import type { WatchStore } from './rows/watching.ts'
import { cardView } from './views/cards.ts'
import type { OpenCard } from './views/on-it-buttons.ts'

export interface CardDeps {
  readonly watching: Pick<WatchStore, 'onIt'>
  readonly findAddress: FindAddress
}

/** A card that lists an incident, in this channel or else in another one, with the address of its message. */
export async function findCard(
  { watching, findAddress }: CardDeps,
  { channelId, ...workspace }: Workspace & { readonly channelId?: string | undefined },
  { id }: Pick<Incident, 'id'>,
): Promise<(OpenCard & { readonly channelId: string }) | undefined> {
  const card = await watching.onIt.findCard(workspace.workspaceId, id, channelId)
  if (!card) return undefined
  const { ts, ...found } = card
  const url = ts === null ? undefined : await findAddress(workspace, { channelId: card.channelId, ts })
  return { ...found, url }
}

/** The card of a thread, as it is now, for one person, or else what is down, and how to take it here. */
export const createFindNearby =
  ({ outbox, history, onIt }: Pick<WatchStore, 'outbox' | 'history' | 'onIt'>): FindNearby =>
  async ({ workspaceId, userId, environment, channelId }, thread) => {
    const found = thread && (await outbox.findCard(workspaceId, thread))
    if (found) {
      const shown = found.target.environment
      const card = bindMessage(cardView(found, userId), shown)
      return { card, command: 'hc', checks: listNear(found.incidents), environment: shown, buttons: [] }
    }
    const down = await history.listDown({ workspaceId, environment })
    const scope = { workspaceId, environment, channelId: findChannel({ channelId }) }
    const take = await findTake(onIt, scope)
    return { checks: listNear(down), environment, buttons: take ? [take] : [] }
  }

/** How to take what is down, or these checks, and nobody is on: its card, or if several list it, the list of them. Without a channel, any card. */
export async function findTake(
  onIt: Pick<WatchStore['onIt'], 'listFreeCards'>,
  scope: Parameters<WatchStore['onIt']['listFreeCards']>[0],
  uuids?: readonly string[],
): Promise<SuggestedCommand | undefined> {
  if (uuids?.length === 0) return undefined
  const [id, another] = await onIt.listFreeCards(scope, uuids)
  if (id === undefined) return undefined
  return another
    ? { label: 'I’m on it…', line: '/hc who' }
    : { label: 'I’m on it', line: `/hc watch-ack ${quoted(id)}` }
}

/** What is down comes first. */
const listNear = (incidents: readonly Incident[]): NearCheck[] =>
  incidents
    .filter((incident) => !isNoData(incident))
    .map(({ check: { uuid, name, target }, isDown }) => ({ uuid, name, target, isDown }))
    .toSorted((one, other) => Number(other.isDown) - Number(one.isDown))
