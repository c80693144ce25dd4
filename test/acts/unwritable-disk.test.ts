import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import { readAllTexts } from './reading.ts'
import { startStage, WORKSPACE } from './stage.ts'
import { UNWRITABLE_DISKS, type UnwritableDisk } from './unwritable-disk.ts'

const CREATED = { method: 'POST', path: '/healthcheck/v1/healthchecks' }
const ENDED = { until: /Created\.|nothing was started/ }
const createAnswers = (name: string) => ({ Name: name, Target: 'www.example.com', 'Customer ID': '7' })

async function startStageOn(disk: UnwritableDisk) {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder()).path
  const url = `sqlite:${join(folder, 'signalman.db')}`
  const database = { url, keys: KEY_A, [Symbol.asyncDispose]: async () => undefined }
  const stage = started.use(await startStage(database))
  await stage.start()
  await stage.service.addCheck({ name: 'web' })
  await stage.service.clearRequests()
  const resources = started.move()
  let restore: (() => void) | undefined
  return {
    ...stage,
    /** The process stays the same from start to end. */
    ended: stage.ended,
    lose() {
      restore = disk.lose(folder, stage.pids)
    },
    giveBack() {
      restore?.()
      restore = undefined
    },
    async readyz(): Promise<unknown> {
      const answer = await fetch(`${stage.urls[0]}/readyz`)
      return { ...((await answer.json()) as object), status: answer.status }
    },
    async [Symbol.asyncDispose]() {
      // Otherwise the folder couldn't be made read-only.
      restore?.()
      await resources.disposeAsync()
    },
  }
}

const READY = { status: 200, database: 'ok' }
const NOT_READY = { status: 503, database: 'failing' }

describe.each(UNWRITABLE_DISKS)('a disk that rejects writes: $name', ({ disk, isHere }) => {
  it.skipIf(!isHere)('is reported, changes nothing, and recovers without a restart', async () => {
    await using stage = await startStageOn(disk)
    const { member } = stage.slack
    await expect.poll(stage.readyz).toMatchObject(READY)
    await member.command('/hc', 'create', UNTIL_FORM)
    stage.lose()
    await expect.poll(stage.readyz).toMatchObject(NOT_READY)
    // Reads still work.
    expect((await member.command('/hc', 'list', { until: 'web' })).text).not.toContain('went wrong')
    const refused = await member.submit(createAnswers('typed'), { until: 'nothing was started' })
    expect(refused.outcome.ok).toBe(true)
    expect(await stage.service.requests('POST')).toEqual([])
    stage.giveBack()
    await expect.poll(stage.readyz).toMatchObject(READY)
    await stage.settled()
    expect(await stage.service.requests('POST')).toEqual([])
    // The app may still be recording the refusal in the database. Until then, it refuses the act again.
    let done = await member.submit({}, ENDED)
    for (let again = 0; again < 3 && !done.text.includes('Created.'); again += 1)
      done = await member.submit({}, ENDED)
    expect(done.text).toContain('Created.')
    expect(done.text).toContain('typed')
    expect(await stage.service.requests('POST')).toHaveLength(1)
    expect(stage.ended()).toBe(0)
    expect(await stage.store.audit.verify(WORKSPACE)).toMatchObject({ faults: [] })
  })

  it.skipIf(!isHere)('doesn’t lose a response that the service sends in the meantime', async () => {
    await using stage = await startStageOn(disk)
    const { member } = stage.slack
    await member.command('/hc', 'create', UNTIL_FORM)
    await stage.service.faults({ ...CREATED, kind: 'delay', ms: 400, times: 1 })
    await member.submit(createAnswers('held'), NO_WAIT)
    await expect.poll(() => stage.service.requests('POST')).toHaveLength(1)
    stage.lose()
    await expect.poll(stage.readyz).toMatchObject(NOT_READY)
    await expect.poll(() => stage.service.checksNamed('held')).toHaveLength(1)
    stage.giveBack()
    await stage.settled()
    const readTexts = async () => [...(await readAllTexts(stage.slack)).values()].join('\n')
    await expect.poll(readTexts).toMatch(/Created\.|It’s done/)
    expect(await readTexts()).not.toContain('Nothing was changed')
    expect(await stage.service.requests('POST')).toHaveLength(1)
    expect(stage.ended()).toBe(0)
    const [last] = await stage.store.audit.search({ workspaceId: WORKSPACE, withIntents: true, limit: 1 })
    expect(last?.outcome).toBe('done')
  })
})
