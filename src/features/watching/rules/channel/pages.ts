import { MINUTE_MS } from '@signalman/runtime'
import { isNoData } from '../../../../domain/outages/incident.ts'
import { toSet } from '../matching.ts'
import { formatResponders } from '../page-step.ts'
import type { PageStep, Responder } from '../watch.ts'
import {
  createPost,
  type Facts,
  findWakeMs,
  type Known,
  listCards,
  type Matched,
  type NextPage,
  type PageNow,
  type Post,
  type Posts,
} from './state.ts'

/** A message that has to be sent now. */
export type Wanted = Pick<Post, 'kind' | 'responders' | 'cardId'> & {
  readonly about: NonNullable<Post['about']>
}

/** The next page of one watch about one incident. */
interface NextStep {
  readonly incidentId: string
  readonly watchId: string
  readonly responders: readonly Responder[]
  /** Undefined if it's sent only when somebody asks for it. */
  readonly dueMs: number | undefined
}

/** How long after the page before it a page is due. The times of the steps are counted from the same moment; the last one repeats. */
function getDelay(steps: readonly PageStep[], pages: number): number {
  const last = steps.at(-1)?.afterMs ?? Number.POSITIVE_INFINITY
  return (steps[pages]?.afterMs ?? 2 * last) - (steps[pages - 1]?.afterMs ?? (pages > 0 ? last : 0))
}

function listNextSteps(known: Known, matched: readonly Matched[]): NextStep[] {
  const found: NextStep[] = []
  for (const { incident, confirmed } of matched) {
    const own = known.get(incident.id)
    if (!own || isNoData(incident)) continue
    const { waits } = own
    const alreadyDown = toSet(own.alreadyDown)
    for (const { id: watchId, page: steps } of confirmed) {
      if (!steps) continue
      const { atMs = 0, count = 0 } = waits?.pages[watchId] ?? {}
      const isWaiting = waits?.sinceMs !== undefined && !alreadyDown.has(watchId)
      const { responders = [] } = steps[Math.min(count, steps.length - 1)] ?? {}
      const dueMs = isWaiting ? waits.sinceMs - waits.ms + atMs + getDelay(steps, count) : undefined
      found.push({ incidentId: incident.id, watchId, responders, dueMs })
    }
  }
  return found
}

/** Who is paged, as a text to compare with. */
export const toPeople = (responders: readonly Responder[]): string =>
  responders
    .map(({ id, name }) => id ?? name)
    .toSorted()
    .join()

const groupSteps = (steps: readonly NextStep[]): NextStep[][] => [
  ...Map.groupBy(steps, ({ responders }) => toPeople(responders)).values(),
]

/** What waits for a page, and when it's due. One page names everything that would page the same people later. */
const listWaiting = (known: Known, down: readonly Matched[], named?: ReadonlySet<string>) =>
  groupSteps(
    listNextSteps(known, down).filter(
      ({ incidentId, dueMs }) => dueMs !== undefined && !named?.has(incidentId),
    ),
  ).map((group) => ({ group, dueMs: Math.min(...group.flatMap(({ dueMs }) => dueMs ?? [])) }))

const toPage = (group: readonly NextStep[]): Wanted => {
  const byIncident = Map.groupBy(group, ({ incidentId }) => incidentId)
  const about = [...byIncident].map(([id, steps]) => [id, steps.map(({ watchId }) => watchId)])
  return { kind: 'note', about: Object.fromEntries(about), responders: group[0]?.responders }
}

/** The pages about what has waited long enough, and isn't named in a message that is being sent. */
export const listPages = (
  { nowMs }: Pick<Facts, 'nowMs'>,
  known: Known,
  down: readonly Matched[],
  named: ReadonlySet<string>,
): Wanted[] =>
  listWaiting(known, down, named).flatMap(({ group, dueMs }) => (dueMs <= nowMs ? [toPage(group)] : []))

/** The pages that somebody asks for, even if somebody is on it or it's silenced: to these people, or else to the next ones. */
export function pageAtOnce(
  facts: Facts,
  known: Known,
  asked: readonly Matched[],
  { responders, askedBy }: PageNow,
): Post[] {
  const own = asked.flatMap(({ incident }) => known.get(incident.id) ?? [])
  if (own.length === 0) return []
  const about = Object.fromEntries(own.map(({ incidentId }) => [incidentId, []]))
  const pages = responders
    ? [{ kind: 'note' as const, about, responders }]
    : groupSteps(listNextSteps(known, asked)).map(toPage)
  return pages.map((page) => ({ ...createPost(facts, 'note'), ...page, askedBy }))
}

/** Each card shows whom its incidents page next, to the minute. Returns the cards that change, and when the next page is due. */
export function showNextPages(
  { isUnseen, hasNoData, nowMs }: Pick<Facts, 'isUnseen' | 'hasNoData' | 'nowMs'>,
  known: Known,
  posts: Posts,
  down: readonly Matched[],
): { cards: Post[]; wakeMs: number } {
  if (isUnseen && !hasNoData) return { cards: [], wakeMs: Number.POSITIVE_INFINITY }
  const waiting = listWaiting(known, down)
  const nextPages = new Map<string, NextPage>()
  // A page comes when the first of what it names is due.
  for (const { group, dueMs } of waiting.toReversed().toSorted((left, right) => right.dueMs - left.dueMs)) {
    const next = { names: formatResponders(group[0]?.responders ?? []), at: new Date(dueMs) }
    for (const { incidentId } of group) nextPages.set(known.get(incidentId)?.cardId ?? '', next)
  }
  const cards = listCards(posts).flatMap((card) => {
    const next = nextPages.get(card.id)
    const movedMs = Math.abs((next?.at.getTime() ?? 0) - (card.nextPage?.at.getTime() ?? 0))
    return movedMs >= MINUTE_MS || card.nextPage?.names !== next?.names ? [{ ...card, nextPage: next }] : []
  })
  const times = waiting.map(({ dueMs }) => dueMs)
  return { cards, wakeMs: findWakeMs(nowMs, times) }
}
