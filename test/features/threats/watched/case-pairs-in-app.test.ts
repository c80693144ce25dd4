import type { Answer } from '@signalman/playground/driver'
import { readText } from '@signalman/playground/driver'
import { expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../../src/app.ts'
import { CASE_WORK } from '../../../../src/features/threats/rows/case-rows.ts'
import { createLog } from '../../../../src/log.ts'
import { startSqliteFile } from '../../../databases/databases.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'
import { LONG_DEADLINES } from '../../../relaxed-limits.ts'
import { WORKSPACE } from '../../../world.ts'
import { createEventOnPage, startThreatWorld, type ThreatWorld } from '../world.ts'
import { listProblems } from './case-problems.ts'

const MEMBER = 'U0MEMBER01'
const ADMIN = 'U0ADMIN001'
const CHANNEL = 'C0GENERAL1'
const TIMES = { pollMs: 50, settleMs: 500, progressIntervalMs: 0 }
/** How many pairs run, besides those in which whoever is asked changes. */
const PAIRS = quickOrLong('CASE_PAIRS', { quick: 1, long: 1000 })
/** How many of the nine pairs that most often ask twice run. The seed chooses them. */
const LIKELY_PAIRS = quickOrLong('LIKELY_CASE_PAIRS', { quick: 3, long: 9 })

/** A busy machine may take long. */
const PATIENT = { waitMs: 120_000 }

/** Questions about a case. Messages that are settled have other words. */
const QUESTION =
  /Is it down\? The page may|Is it back\?|no longer tests this case|was deleted\. No longer watched|can’t read the health check|What’s next\?|Delete it\?/

/** The events that happen to a case in the app. */
async function createEvents(world: ThreatWorld, opened: AsyncDisposableStack) {
  const { member, admin } = world.slack
  let app: RunningApp = world.app
  let eventId = ''
  let hasLeft = false
  const replicas: RunningApp[] = []
  const find = () =>
    app.store.threatCases.find({ workspaceId: WORKSPACE, environment: 'production', eventId })
  const actor = () => (hasLeft ? admin : member)
  const run = (line: string): Promise<Answer> => actor().command('/threat', `${line} ${eventId}`)
  /** Waits until the check was read this often, if the case still watches it. */
  async function waitForReadings(count: number) {
    for (let index = 0; index < count; index += 1) {
      const before = (await find())?.lastReadAt?.getTime() ?? 0
      const isOver = async () => {
        const threatCase = await find()
        return !threatCase?.checkUuid || (threatCase.lastReadAt?.getTime() ?? 0) > before
      }
      await expect.poll(isOver).toBe(true)
    }
  }
  async function setStatus(status: string) {
    const { checkUuid } = (await find()) ?? {}
    if (!checkUuid) return
    await world.service.setStatus(checkUuid, status)
    await waitForReadings(3)
  }
  async function startAnother() {
    const deps = { config: world.config, log: createLog('silent'), workTimes: TIMES }
    const started = opened.use(await startApp({ ...deps, requestDeadlines: LONG_DEADLINES }))
    world.playground.setAppUrl(started.url)
    return started
  }
  const EVENTS: Readonly<Record<string, () => Promise<unknown>>> = {
    take: () => run('take'),
    watch: () => run('watch'),
    async 'hand over'() {
      const { message } = await admin.command('/hc', `handover ${MEMBER} ${ADMIN}`, {
        until: /Hand over|nothing|can’t/i,
      })
      if (JSON.stringify(message?.blocks ?? []).includes('"Hand over"'))
        await admin.click(message, 'Hand over', { until: /Handed over/ })
    },
    async 'take over'() {
      const { message } = await admin.command('/threat', `take ${eventId}`, {
        until: /this case|case can’t/i,
      })
      if (JSON.stringify(message?.blocks ?? []).includes('"Take over"'))
        await admin.click(message, 'Take over', { until: /You took this case over/ })
    },
    async leave() {
      await member.updateAccount({ deleted: true })
      hasLeft = true
    },
    async edit() {
      const { checkUuid, watched } = (await find()) ?? {}
      if (!checkUuid || !watched) return
      const other = { protocol: 'HTTP', target: 'http://other.example/', port: 80, customer_id: 1100 }
      await world.service.change(checkUuid, { name: watched.name, ...other })
      await waitForReadings(1)
    },
    async delete() {
      const { checkUuid } = (await find()) ?? {}
      if (!checkUuid) return
      await world.service.remove(checkUuid)
      await waitForReadings(1)
    },
    'false positive': () => run('false-positive'),
    reopen: () => run('reopen'),
    down: () => setStatus('UNHEALTHY'),
    'it’s down': () => run('down'),
    up: () => setStatus('HEALTHY'),
    async restart() {
      await app[Symbol.asyncDispose]()
      app = await startAnother()
    },
    async 'second replica'() {
      replicas.push(await startAnother())
    },
  }
  return {
    EVENTS,
    find,
    async startCase(id: string, domain: string) {
      eventId = id
      await world.service.storeThreat(id, { ...createEventOnPage(world, domain), id })
      await member.command('/threat', `take ${id}`, { ...PATIENT, until: 'This case is yours now.' })
      await member.command('/threat', `watch ${id}`, { ...PATIENT, until: 'Watching until it’s down.' })
      await waitForReadings(1)
    },
    /** Closes the case, and undoes what would affect other cases. */
    async endCase() {
      await admin.command('/threat', `false-positive ${eventId}`)
      for (const replica of replicas.splice(0)) await replica[Symbol.asyncDispose]()
      world.playground.setAppUrl(app.url)
      if (hasLeft) await member.updateAccount({ deleted: false })
      hasLeft = false
    },
    async isSettled() {
      if ((await app.store.work.listOpen(WORKSPACE, [CASE_WORK.post])).length === 0) return true
      // While a question is posted, the work stays open: it looks again every hour whether the person can still answer.
      const { asked, card, version, shownVersion, postedVersion } = (await find()) ?? {}
      return asked !== undefined && (!card || (shownVersion === version && postedVersion === version))
    },
    hasLeft: () => hasLeft,
  }
}

type Events = Awaited<ReturnType<typeof createEvents>>

/** Lists what is wrong with a case, its question, and what is posted about it. */
async function listFaults(world: ThreatWorld, events: Events, domain: string): Promise<string[]> {
  const { member, admin } = world.slack
  const threatCase = await events.find()
  if (!threatCase) return ['there is no case']
  if (!(await events.isSettled())) return ['its messages are still being posted']
  const { holder, askKind, asked, card } = threatCase
  const messages = (
    await Promise.all([admin.messages(CHANNEL), admin.messages('dm'), member.messages('dm')])
  ).flat()
  const site = domain.replaceAll('.', '[.]')
  const questions = messages.filter(
    (message) =>
      !message.ephemeral &&
      QUESTION.test(readText(message)) &&
      readText(message).includes(site) &&
      message.blocks?.some(({ type }) => type === 'actions'),
  )
  const isHolderHere = holder && !(events.hasLeft() && holder.userId === MEMBER)
  const expectedPlace = isHolderHere ? holder.userId : card?.messageTs
  const faults = {
    'it has no question, but one is posted': !askKind && (asked || questions.length > 0),
    [`it has a question, but ${questions.length} are posted`]: askKind && questions.length !== 1,
    'its question isn’t where it was posted': askKind && questions[0]?.ts !== asked?.ts,
    'its question is for someone else': askKind && asked?.askedFor !== expectedPlace,
  }
  return [
    ...listProblems(threatCase, new Date()),
    ...Object.entries(faults).flatMap(([fault, isTrue]) => (isTrue ? [fault] : [])),
  ]
}

it('asks one person at a time about a case, in every pair of events in the app', {
  timeout: 600_000,
}, async () => {
  const seed = readSeed()
  const { next } = createRandom(seed)
  const shuffle = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, order: next() }))
      .toSorted((left, right) => left.order - right.order)
      .map(({ item }) => item)
  await using database = await startSqliteFile()
  const environment = { DATABASE_URL: database.url, ENCRYPTION_KEYS: database.keys }
  await using opened = new AsyncDisposableStack()
  const world = opened.use(await startThreatWorld({ workTimes: TIMES, watchEveryMs: 100, environment }))
  const events = await createEvents(world, opened)
  const names = Object.keys(events.EVENTS)
  const all = names.flatMap((first) => names.map((second) => [first, second] as const))
  const isLikely = ([first, second]: (typeof all)[number]) =>
    ['down', 'edit', 'delete'].includes(first) && ['take over', 'hand over', 'leave'].includes(second)
  const others = all.filter((pair) => !isLikely(pair))
  const likely = shuffle(all.filter(isLikely)).slice(0, LIKELY_PAIRS)
  const pairs = [...likely, ...shuffle(others).slice(0, PAIRS)]
  for (const [index, pair] of pairs.entries()) {
    const domain = `exa-${index}.mple`
    await events.startCase(`7e57ed00-0000-4000-8000-${String(index).padStart(12, '0')}`, domain)
    for (const name of pair) await events.EVENTS[name]?.()
    await expect
      .poll(() => listFaults(world, events, domain), {
        message: `${pair.join(', ')} (seed ${seed})`,
        timeout: 60_000,
      })
      .toEqual([])
    await events.endCase()
  }
})
