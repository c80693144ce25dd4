import type { Workspace } from '@signalman/slack'
import { bindMessage } from '../../bot/bind-buttons.ts'
import type { ShowThread } from '../../bot/routes/routes.ts'
import type { Incident } from '../../domain/outages/incident.ts'
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

/** The card of a thread, as it is now, for one person. */
export const createShowThread =
  ({ outbox }: Pick<WatchStore, 'outbox'>): ShowThread =>
  async ({ workspaceId, userId }, thread) => {
    const found = await outbox.findCard(workspaceId, thread)
    return found && bindMessage(cardView(found, userId), found.target.environment)
  }
