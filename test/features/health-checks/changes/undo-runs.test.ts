import { expect, it } from 'vitest'
import { UserError } from '../../../../packages/runtime/src/errors.ts'
import type { Environment } from '../../../../src/domain/environment.ts'
import { parseBulk } from '../../../../src/features/health-checks/bulk/parse.ts'
import { applyBulk, planBulk } from '../../../../src/features/health-checks/bulk/plan-bulk.ts'
import { startChanges } from '../../../../src/features/health-checks/changes/start-changes.ts'
import { undelete, undoJob } from '../../../../src/features/health-checks/changes/undo.ts'
import { deleteForm } from '../../../../src/features/health-checks/forms/delete.ts'
import { runs } from '../../../long.ts'
import { type Random, seeded, seedOf } from '../../../random.ts'
import { ENVIRONMENTS, processesOf, type Shared, startShared } from './undo-model.ts'

const RUNS = runs('UNDO_RUNS', { quick: 40, long: 2000 })
const SEED = seedOf()
const FAULTS = [{ kind: 'drop-reply' }, { kind: 'reset' }, { kind: 'status', status: 500 }] as const

interface Seen {
  uuid: string
  name: string
  frequency: number | undefined
  alerts: string[]
}

/** All checks of a run in one environment, by name. */
async function seenBy({ apiOf }: Shared, environment: Environment, prefix: string): Promise<Seen[]> {
  const { healthChecks, alerts } = apiOf(environment)
  const { results } = await healthChecks.list({ name: `${prefix}*`, limit: 500 })
  const all = results.map(async ({ uuid, name, frequency }) => {
    const mails = (await alerts.list(uuid)).map(({ recipients }) => [...recipients].sort().join())
    return { uuid, name, frequency, alerts: mails.sort() }
  })
  return Promise.all(all)
}

const without = (seen: readonly Seen[]) =>
  seen.map(({ uuid: _, ...rest }) => rest).sort((left, right) => (left.name < right.name ? -1 : 1))

/** What is done to the checks, and how many of them show that it is. */
const DEEDS = {
  edit: {
    line: { frequency: '77' },
    shows: (seen: Seen[]) => seen.filter(({ frequency }) => frequency === 77).length,
  },
  delete: { line: {}, shows: (seen: Seen[], all: number) => all - seen.length },
  clone: {
    line: { suffix: '-b' },
    shows: (seen: Seen[]) => seen.filter(({ name }) => name.endsWith('-b')).length,
  },
  recipients: {
    line: { add: 'new@example.com' },
    shows: (seen: Seen[]) => seen.filter(({ alerts }) => alerts.join().includes('new@')).length,
  },
} as const

/** What the words at the end of a job say of how many are done, and in part; NaN where they do not know. */
function said(text: string): { done: number; half: number } {
  if (text.includes('did not say')) return { done: Number.NaN, half: Number.NaN }
  const numberIn = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0)
  // Where the first line says all that was done, no other does.
  const whole = text.includes('Nothing was changed') ? 0 : numberIn(/^(\d+) health checks? (?:is|are) /)
  return {
    done: numberIn(/(\d+) health checks? (?:changed|created|deleted)\./) || whole,
    half: numberIn(/(\d+) health checks? (?:was|were) begun and/),
  }
}

type Processes = ReturnType<typeof processesOf>

interface Run {
  shared: Shared
  random: Random
  processes: Processes
  /** Where it is done; it is asked for anywhere. */
  environment: Environment
  anywhere(): Environment
  prefix: string
  count: number
}

async function randomRun(shared: Shared, random: Random, index: number): Promise<void> {
  const [workspaceId, prefix] = [`T${index}`, `r${index}-`]
  const environment = random.oneOf(ENVIRONMENTS)
  const processes = processesOf(shared, { workspaceId, random, deaths: { left: 2 } })
  const count = 2 + random.below(4)
  for (const place of ENVIRONMENTS)
    for (let at = 0; at < count; at += 1) {
      const alerts = Array.from({ length: random.below(3) }, (_, at) => [`p${at}@example.com`])
      await shared.controls[place].addCheck({ name: `${prefix}${at}`, alerts })
    }
  const seen = () => Promise.all(ENVIRONMENTS.map((place) => seenBy(shared, place, prefix)))
  const before = await seen()
  const watched = (before[ENVIRONMENTS.indexOf(environment)] ?? []).filter(() => random.below(2) === 0)
  await watch(shared, { workspaceId, environment }, watched)
  const anywhere = () => random.oneOf(ENVIRONMENTS)
  const run = { shared, random, processes, environment, anywhere, prefix, count }
  if (random.below(2) === 0) await deleteAndUndo(run)
  await doAndUndo(run)
  if (random.below(2) === 0) await deleteAndUndo(run)
  expect((await seen()).map(without)).toEqual(before.map(without))
  expect(await namesWatched(shared, { workspaceId, environment }, prefix)).toEqual(
    watched.map(({ name }) => name).sort(),
  )
}

/** Something is done to all checks, stopped, undone, gone on with, in any order; in the end all of it is undone. */
async function doAndUndo({ shared, random, processes, environment, anywhere, prefix, count }: Run) {
  const { act, runJob } = processes
  const what = random.oneOf(['edit', 'delete', 'clone', 'recipients'] as const)
  const { line, shows } = DEEDS[what]
  const shown = async () => shows(await seenBy(shared, environment, prefix), count)
  const faults = shared.controls[environment]
  /** What an undo has begun, which the next one goes on with. */
  let begunToUndo = 0
  /** Runs what waits, and compares what it says with what there is; `before` is what was there, and not counted as done. */
  async function runAsSaid(before: number): Promise<{ id: string; text: string }> {
    const method = random.oneOf(['POST', 'PUT', 'DELETE'])
    const fault = { method, path: '/healthcheck/v1/healthchecks', times: 1, ...random.oneOf(FAULTS) }
    await faults.faults(...(random.below(4) === 0 ? [fault] : []))
    const ran = await runJob(random.below(2) === 0 ? random.below(25) : undefined)
    const { done, half } = said(ran.text)
    const isUndo = ran.text.includes('Undo:')
    const changed = Math.abs((await shown()) - before) + (isUndo ? begunToUndo : 0)
    if (!Number.isNaN(done + changed)) expect(`${changed}: ${ran.text}`).toBe(`${done + half}: ${ran.text}`)
    if (isUndo) begunToUndo = half
    return ran
  }

  const request = parseBulk(what, { words: [`${prefix}*`], flags: line })
  const { digest } = await planBulk(shared.apiOf(environment), request)
  await act(environment, (parts, context) => applyBulk(parts, context, request, digest))
  const job = await runAsSaid(0)
  const undo = () => refused(act(anywhere(), (parts, context) => undoJob(parts, context, job.id, true)))
  for (let step = 0; step < 3; step += 1) {
    const wereShown = await shown()
    if (random.below(2) === 0) {
      if (!(await undo())) await runAsSaid(wereShown)
    } else if (!(await refused(act(anywhere(), (parts, context) => startChanges(parts, context, job.id)))))
      await runAsSaid(0)
  }
  await faults.faults()
  for (let rest = 0; rest < 3 && !(await undo()); rest += 1) await runJob()
}

/** One check is deleted by hand and brought back, tried again for as long as that is refused. */
async function deleteAndUndo({ shared, random, processes: { act }, environment, anywhere, prefix }: Run) {
  const api = shared.apiOf(environment)
  const { uuid, name } = random.oneOf(await seenBy(shared, environment, prefix))
  // The window's own.
  const about = deleteForm.open(environment, await api.healthChecks.get(uuid), await api.alerts.list(uuid))
    .about as {
    uuid: string
    name: string
    goes: string
  }
  const message = await act(environment, (parts, context) => deleteForm.submit(context, name, about, parts))
  const [, undoId = ''] = /hc undelete ([\w-]{22})/.exec(JSON.stringify(message.blocks)) ?? []
  const fault = {
    method: 'POST',
    path: '/healthcheck/v1/healthchecks',
    kind: 'status',
    status: 429,
    times: 1,
  }
  if (random.below(2) === 0) await shared.controls[environment].faults({ ...fault, kind: 'status' })
  const undo = () => act(anywhere(), (parts, context) => undelete(parts, context, undoId, true))
  if (await refused(undo())) expect((await undo()).text).toContain('is back')
  expect(await refused(undo())).toBe(true)
}

const refused = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => false,
    (error: unknown) => {
      if (error instanceof UserError) return true
      throw error
    },
  )

const CHANNEL = 'C1'

async function watch(
  { store }: Shared,
  place: { workspaceId: string; environment: Environment },
  watched: readonly Seen[],
): Promise<void> {
  const madeAt = new Date()
  for (const { uuid, name } of watched) {
    const filter = { include: [{ field: 'uuid' as const, pattern: uuid, label: name }], exclude: [] }
    const terms = { filter, afterBadPolls: 1, notify: 'once' as const, reminderHours: 0 as const }
    const of = { ...place, channelId: CHANNEL, madeAt }
    await store.watching.watches.add({ ...of, ...terms, ownerId: 'U1' })
    await store.watching.mutes.add({
      ...of,
      about: { kind: 'check', uuid, name },
      until: undefined,
      by: 'U1',
    })
  }
}

/** The names of the checks that are watched, and muted, by the UUIDs that they have now. */
async function namesWatched(
  shared: Shared,
  { workspaceId, environment }: { workspaceId: string; environment: Environment },
  prefix: string,
): Promise<string[]> {
  const { watches, mutes } = shared.store.watching
  const seen = new Map((await seenBy(shared, environment, prefix)).map(({ uuid, name }) => [uuid, name]))
  const found = (await watches.list(workspaceId)).flatMap(({ filter }) => filter.include)
  const watched = found.map(({ pattern }) => seen.get(pattern) ?? pattern).sort()
  const muted = (await mutes.list(workspaceId)).map(({ about }) =>
    about.kind === 'check' ? (seen.get(about.uuid) ?? about.uuid) : '',
  )
  expect(muted.sort()).toEqual(watched)
  return watched
}

it(`leaves the service as it says, and watched what was watched, in ${RUNS} runs (seed ${SEED})`, {
  timeout: 120_000 + RUNS * 6000,
}, async () => {
  await using shared = await startShared()
  for (let index = 0; index < RUNS; index += 1) {
    const random = seeded(SEED + index)
    await randomRun(shared, random, index).catch((error: unknown) => {
      throw new Error(`Run ${index} of seed ${SEED} (SEED=${SEED + index} UNDO_RUNS=1)`, { cause: error })
    })
  }
})
