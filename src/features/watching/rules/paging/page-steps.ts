import type { DecisionContext } from '../drafts.ts'
import type { EscalationStep, Responder } from '../escalation-steps.ts'
import type { PageContent } from '../incident.ts'
import type { Watch } from '../watch.ts'
import { Members, responderId } from './responders.ts'
import type { WaitingLine } from './waiting-lines.ts'

/** One step of a watch for one person. */
interface PersonStep {
  readonly atMs: number
  /** Everyone in this step who is or includes that person. */
  readonly responderIds: readonly string[]
}

/** Tells which steps of the watches are still open. A step for someone is carried out by any page that counts for them. */
export class PageSteps {
  readonly members: Members
  readonly #context: DecisionContext

  constructor(context: DecisionContext) {
    this.#context = context
    this.members = new Members(context.state)
  }

  /** Whether a step for this responder is due. `without`: a page that isn't counted, because it is being revised. */
  isDue(waiting: WaitingLine, responder: Responder, without?: PageContent): boolean {
    const { now } = this.#context
    return this.#listOpen(waiting, responder, without).some(({ atMs }) => atMs <= now.clockMs)
  }

  /** Whether a page for this responder also names this incident, because one of its steps is still open. */
  isNamed(waiting: WaitingLine, responder: Responder, without?: PageContent): boolean {
    return this.#listOpen(waiting, responder, without).length > 0
  }

  /** The later times at which a responder still has an open step. A group has one while any of its members has. */
  listNextTimes(waiting: WaitingLine, responder: Responder): number[] {
    const { now } = this.#context
    const open = this.#listOpenOf(waiting, responder, this.members.find(responder), undefined)
    return open.flatMap(({ atMs }) => (atMs > now.clockMs ? [atMs] : []))
  }

  #listOpen(waiting: WaitingLine, responder: Responder, without?: PageContent): readonly PersonStep[] {
    // Without a look-up, members may have changed, so the group counts as one.
    const members = this.#context.state.reach ? this.members.find(responder) : []
    return this.#listOpenOf(waiting, responder, members, without)
  }

  /** The steps for this responder that haven't been carried out. A group's step is one of each of its members. */
  #listOpenOf(
    waiting: WaitingLine,
    responder: Responder,
    members: readonly string[],
    without: PageContent | undefined,
  ): readonly PersonStep[] {
    const id = responderId(responder)
    const listOpen = (watch: Watch, person: string): readonly PersonStep[] =>
      this.#listSteps(waiting, watch, person)
        .slice(this.#countPages(waiting, person, without))
        .filter(({ responderIds }) => responderIds.includes(id))
    if (members.length === 0) return waiting.watches.flatMap((watch) => listOpen(watch, id))
    return waiting.watches.flatMap((watch) => {
      const times = new Set(listOpen(watch, id).map(({ atMs }) => atMs))
      return members.flatMap((member) => listOpen(watch, member).filter(({ atMs }) => times.has(atMs)))
    })
  }

  #listSteps({ since }: WaitingLine, { escalation = [] }: Watch, person: string): PersonStep[] {
    const includesPerson = (responder: Responder) => this.members.listPeople(responder).includes(person)
    return escalation
      .flatMap(({ responders, ...step }) => {
        const ids = responders.filter(includesPerson).map(responderId)
        return ids.length > 0 ? [{ atMs: getStepTime(step, since.clockMs), responderIds: ids }] : []
      })
      .sort((left, right) => left.atMs - right.atMs)
  }

  #countPages(
    { line: { channelId, incidentId } }: WaitingLine,
    person: string,
    without: PageContent | undefined,
  ): number {
    const { drafts } = this.#context
    const paged = drafts.findIncident(incidentId)?.paged[person] ?? 0
    const before = drafts.findLine(channelId, incidentId)?.pagedBefore[person] ?? 0
    const uncounted = without?.incidentIds.includes(incidentId)
      ? without.counted.filter((counted) => counted === person).length
      : 0
    return Math.max(0, paged - before - uncounted)
  }
}

/** When a step is due, on the watch clock. A step that would have passed before it was saved counts from then. */
export function getStepTime(
  { afterMs, savedMs = 0 }: Pick<EscalationStep, 'afterMs' | 'savedMs'>,
  sinceMs: number,
): number {
  return (sinceMs + afterMs >= savedMs ? sinceMs : savedMs) + afterMs
}
