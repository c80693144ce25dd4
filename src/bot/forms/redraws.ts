import { type SlackClient, slackErrorCode, type ViewState } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { LRUCache } from 'lru-cache'
import type { Environment } from '../../domain/environment.ts'
import { bindButtons } from '../bind-buttons.ts'
import { formView } from './form-window.ts'

/** The redraws of one form while someone fills it in. */
interface FormRedraws {
  /** The number of redraws requested so far. */
  requested: number
  /** The latest redraw. The next one waits for it. */
  lastRedraw: Promise<void>
  /** Maps the hash of a replaced view to the hash of its replacement. */
  readonly replacements: Map<string, string>
}

const MAX_REDRAWN_FORMS = 1000
const REDRAWN_FORM_TTL_MS = 60_000

/**
 * Creates the function that prepares the next redraw of a form. If several answers arrive in quick succession, the last one wins. All
 * of them have the hash of the same view, which Slack rejects after the first redraw, so later redraws use the hash of the newest
 * view. If another process redrew the form first, nothing happens.
 */
export function createRedraws() {
  const redrawsByView = new LRUCache<string, FormRedraws>({
    max: MAX_REDRAWN_FORMS,
    ttl: REDRAWN_FORM_TTL_MS,
  })

  return (view: ViewState) => {
    const redraws = redrawsByView.get(view.id) ?? {
      requested: 0,
      lastRedraw: Promise.resolve(),
      replacements: new Map(),
    }
    redrawsByView.set(view.id, redraws)
    redraws.requested += 1
    const number = redraws.requested
    return async (slack: SlackClient, blocks: KnownBlock[], environment: Environment): Promise<void> => {
      const redraw = async () => {
        if (number < redraws.requested) return
        const hash = findNewestHash(view.hash, redraws.replacements)
        const newHash = await slack.updateView(
          view.id,
          formView(view, bindButtons(blocks, environment)),
          hash,
        )
        if (hash && newHash) redraws.replacements.set(hash, newHash)
      }
      const done = redraws.lastRedraw.then(redraw)
      redraws.lastRedraw = done.catch(() => undefined)
      await done.catch(ignoreHashConflict)
    }
  }
}

/** The hash of the latest view that replaced the one with this hash. */
function findNewestHash(
  hash: string | undefined,
  replacements: ReadonlyMap<string, string>,
): string | undefined {
  const next = hash && replacements.get(hash)
  return next ? findNewestHash(next, replacements) : hash
}

/** Ignores Slack's error that the window has changed: it already shows the result, or what another click or process drew. */
function ignoreHashConflict(error: unknown): void {
  if (slackErrorCode(error) !== 'hash_conflict') throw error
}
