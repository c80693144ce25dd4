import type { WatchRenderer } from '../../watching/renderer.ts'
import { cardView } from './views/cards.ts'
import { digestView } from './views/digest.ts'
import { pausedView } from './views/paused.ts'
import { detailsView } from './views/thread.ts'

/** Draws everything that watching posts by itself. */
export const watchRenderer: WatchRenderer = {
  card: cardView,
  details: detailsView,
  digest: digestView,
  paused: pausedView,
}
