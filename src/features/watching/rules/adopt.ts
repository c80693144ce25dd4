import { countBadPolls } from '../../../domain/outages/observe.ts'
import { type Incident, isAdopted, isBlindness, type Line } from './incident.ts'
import type { PreparedWatch } from './matching.ts'

/** What is already down when a watch is saved. */
export interface AlreadyDown {
  /** Not reported before here: this channel gets a message once they are up. Includes those of earlier watches. */
  readonly adopted: readonly Incident[]
  /** On a card in this channel. */
  readonly posted: readonly Incident[]
  /** Those of `adopted` whose lines have to be saved. */
  readonly added: readonly Incident[]
}

/**
 * Sorts the incidents that a saved watch finds. It adopts those that the channel doesn't know: matched by no watch that was here
 * before, and either confirmed or down since watching began.
 */
export function findAlreadyDown(
  watch: PreparedWatch,
  earlier: readonly PreparedWatch[],
  {
    incidents,
    lines,
    poll,
  }: {
    readonly incidents: readonly Incident[]
    /** The channel's lines. */
    readonly lines: readonly Line[]
    readonly poll: number
  },
): AlreadyDown {
  const lineOf = new Map(lines.map((line) => [line.incidentId, line]))
  const down = incidents.filter(
    (incident) =>
      incident.isDown && !incident.closed && !isBlindness(incident) && watch.matches(incident.check),
  )
  const isConfirmed = (incident: Incident): boolean =>
    (incident.isBaseline && incident.falls === 1) ||
    countBadPolls(incident, poll) >= watch.watch.afterBadPolls
  const added = down.filter(
    (incident) =>
      isConfirmed(incident) &&
      !lineOf.has(incident.id) &&
      !earlier.some(({ matches }) => matches(incident.check)),
  )
  return {
    added,
    adopted: down.filter((incident) => {
      const line = lineOf.get(incident.id)
      return added.includes(incident) || (line !== undefined && isAdopted(line, incident))
    }),
    posted: down.filter(({ id }) => lineOf.get(id)?.cardId !== undefined),
  }
}
