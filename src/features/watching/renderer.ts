import type { Message } from '@signalman/slack'
import { type MaintenanceModel, maintenanceCardView } from './maintenance/views.ts'
import type { CardModel, DetailsModel, DigestModel, PausedModel } from './rules/card-model.ts'
import { cardView, detailsView } from './views/cards.ts'
import { digestView } from './views/digest.ts'
import { pausedView } from './views/watches.ts'

/** Draws the messages of watching from data alone. */
export interface WatchRenderer {
  card(model: CardModel): Message
  /** The reply in a card's thread. */
  details(model: DetailsModel): Message
  digest(model: DigestModel): Message
  maintenance(model: MaintenanceModel): Message
  /** For the owner of paused watches. */
  paused(model: PausedModel): Message
}

/** Draws everything that watching posts by itself. */
export const watchRenderer: WatchRenderer = {
  card: cardView,
  details: detailsView,
  digest: digestView,
  maintenance: maintenanceCardView,
  paused: pausedView,
}
