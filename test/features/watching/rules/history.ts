import { type Incident, observe } from '../../../../src/domain/outages/incident.ts'
import type { CheckFacts } from '../../../../src/domain/outages/outage.ts'
import { prepareWatch } from '../../../../src/features/watching/rules/matching.ts'
import { parsePageSteps } from '../../../../src/features/watching/rules/page-step.ts'
import { type Line, type PageNow, type Post, step } from '../../../../src/features/watching/rules/step.ts'
import type { Watch } from '../../../../src/features/watching/rules/watch.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 28)

/** A watch of a channel: what it matches, and `escalate` as people type it. */
export interface WrittenWatch {
  readonly name?: string
  readonly after?: number
  readonly escalate?: string
}

/** What happens in a minute, as people would tell it: `shop down`, `Bea takes shop`, `mute shop`. */
export type Events = Readonly<Record<number, string | readonly string[]>>

interface Options {
  readonly watches?: readonly WrittenWatch[]
  /** The last minute. */
  readonly until?: number
}

/**
 * Plays a written history in one channel: one poll and one decision a minute, messages arrive at once. Returns what the channel reads
 * and who is paged: `10 page @on-call: shop`.
 */
export function play(events: Events, { watches: written = [{}], until = 120 }: Options = {}): string[] {
  const world = createWorld(written)
  for (let minute = 0; minute <= until; minute += 1) {
    world.at(minute)
    for (const event of [events[minute] ?? []].flat()) world.happen(event)
    world.poll()
    world.decide()
  }
  return world.log
}

function createWorld(written: readonly WrittenWatch[]) {
  let now = new Date(START)
  let seenSince = now
  let ids = 0
  const newId = () => {
    ids += 1
    return `id${ids}`
  }
  const log: string[] = []
  const down = new Set<string>()
  const muted = new Set<string>()
  const incidents = new Map<string, Incident>()
  const lines = new Map<string, Line>()
  const posts = new Map<string, Post>()
  const watches = written.map((watch, index) => toWatch(watch, `W${index}`, now))
  let isPaused = false
  let isBlind = false
  let isStopped = false
  let polls = 0
  let pageNow: PageNow | undefined
  const open = () => [...incidents.values()].filter(({ closedAt }) => !closedAt)
  const find = (name: string) => open().find(({ check }) => check.name === name)
  const say = (text: string) => log.push(`${(now.getTime() - START) / MINUTE} ${text}`)
  const names = (ids: readonly string[] = []) =>
    ids
      .map((id) => incidents.get(id)?.check.name ?? '?')
      .sort()
      .join(' ')
  const change = (name: string, values: Partial<Incident>) => {
    const incident = find(name)
    if (incident) incidents.set(incident.id, { ...incident, ...values })
    return incident
  }

  const happenings: Readonly<Record<string, (name: string) => void>> = {
    down: (name) => down.add(name),
    up: (name) => down.delete(name),
    take: (name) => change(name, { onIt: { by: 'U1', name: 'Bea', at: now } }),
    release(name) {
      const incident = change(name, { onIt: undefined })
      for (const [key, line] of lines)
        if (line.incidentId === incident?.id)
          lines.set(key, { ...line, toldAt: undefined, waitsFrom: undefined, pages: {} })
    },
    mute: (name) => muted.add(name),
    unmute: (name) => muted.delete(name),
    pause: () => (isPaused = true),
    resume: () => (isPaused = false),
    stop: () => (isStopped = true),
    start() {
      isStopped = false
      seenSince = now
    },
    blind: () => (isBlind = true),
    seen() {
      isBlind = false
      seenSince = now
    },
    watch: (escalate) =>
      watches.push(toWatch({ escalate: escalate.replaceAll('_', ' ') }, `W${watches.length}`, now)),
    page(name) {
      const [about = '', who] = name.split('/')
      const incident = find(about)
      pageNow = {
        id: newId(),
        channelId: 'C1',
        incidentIds: incident ? [incident.id] : [],
        askedBy: 'Ann',
        responders: who === undefined ? undefined : [{ name: who }],
      }
    },
  }

  return {
    log,
    at: (minute: number) => (now = new Date(START + minute * MINUTE)),
    happen(event: string) {
      const [what = '', name = ''] = event.split(' ')
      const happening = happenings[what]
      if (!happening) throw new Error(`“${event}” isn’t an event of a history.`)
      happening(name)
    },
    poll() {
      if (isStopped) return
      if (isBlind) {
        if (!find('production')) incidents.set('blind', blindness(now))
        return
      }
      const bad = new Map([...down].map((name): [string, CheckFacts] => [name, { uuid: name, name }]))
      const known = new Map(open().map((incident) => [incident.check.uuid, incident]))
      const good = new Set([...known.keys()].filter((uuid) => !bad.has(uuid)))
      const sighting = {
        at: now,
        seenSince,
        isFirst: polls === 0,
        bad,
        good,
        installing: new Set<string>(),
        deleted: new Set<string>(),
      }
      for (const incident of observe(known, sighting, newId)) incidents.set(incident.id, incident)
      polls += 1
    },
    decide() {
      if (isStopped) return
      const changes = step(
        {
          channels: [
            {
              channelId: 'C1',
              watches: watches.map(prepareWatch),
              isPaused,
              isSilenced: ({ name }) => muted.has('all') || muted.has(name),
            },
          ],
          incidents: [...incidents.values()],
          lines: [...lines.values()],
          posts: [...posts.values()].filter(
            (post) => post.kind === 'card' && (!post.closedAt || !post.attemptedAt),
          ),
          seenSince,
          pageNow,
        },
        now,
        newId,
      )
      pageNow = undefined
      for (const line of changes.lines) lines.set(line.incidentId, line)
      for (const line of changes.deletedLines) lines.delete(line.incidentId)
      for (const { isNew: _, ...post } of changes.posts) posts.set(post.id, post)
      if (!isPaused) for (const post of [...posts.values()]) deliver(post)
    },
  }

  function deliver(post: Post) {
    if (post.shownVersion === post.version) return
    posts.set(post.id, { ...post, shownVersion: post.version, attemptedAt: post.attemptedAt ?? now })
    const onCard = [...lines.values()]
      .filter(({ cardId }) => cardId === post.id)
      .map(({ incidentId }) => incidentId)
    if (post.kind === 'card' && !post.attemptedAt) say(`card: ${names(onCard)}`)
    else if (post.kind !== 'card') say(`${describe(post)}: ${names(post.incidentIds)}`)
  }
}

function describe({ kind, responders, askedBy }: Post): string {
  if (kind === 'reply') return 'up again'
  const people = responders?.map(({ name }) => name).join(' ')
  return people === undefined ? 'note' : `page ${people}${askedBy ? ` by ${askedBy}` : ''}`
}

const toWatch = ({ name, after = 1, escalate }: WrittenWatch, id: string, madeAt: Date): Watch => ({
  ...{ id, workspaceId: 'T1', channelId: 'C1', environment: 'production', ownerId: 'U9', madeAt },
  filter: { include: name ? [{ field: 'name', pattern: name }] : [], exclude: [] },
  afterBadPolls: after,
  page: escalate ? parsePageSteps(escalate) : undefined,
})

const blindness = (at: Date): Incident => ({
  id: 'blind',
  check: { uuid: '', name: 'production' },
  isDown: true,
  badPolls: 1,
  downs: [{ from: at }],
  isBaseline: false,
  openedAt: at,
})
