import { cardView } from './views/cards.ts'
import { maintenanceCardView } from './views/silences.ts'
import { pausedView } from './views/watches.ts'

/** The views of the messages that watching posts in the background. */
export const watchRenderer = {
  card: cardView,
  maintenance: maintenanceCardView,
  /** The direct message to the owner of paused watches. */
  paused: pausedView,
}

export type WatchRenderer = typeof watchRenderer
