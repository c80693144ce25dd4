import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { NO_WAIT, UNTIL_FORM } from './act-kind.ts'
import { startDeployment, WORKSPACE } from './deployment.ts'
import { UNWRITABLE_DISKS, type UnwritableDisk } from './unwritable-disk.ts'
import { readAllTexts } from './verdicts.ts'

const CREATED = { method: 'POST', path: '/healthcheck/v1/healthchecks' }
const ENDED = { until: /Created\.|nothing was started/ }
const createAnswers = (name: string) => ({ Name: name, Target: 'www.example.com', 'Customer ID': '7' })

async function startStageOn(disk: UnwritableDisk) {
  await using started = new AsyncDisposableStack()
  const folder = started.use(makeFolder()).path
  const url = `sqlite:${join(folder, 'signalman.db')}`
  const database = { url, keys: KEY_A, [Symbol.asyncDispose]: async () => undefined }
  const deployment = started.use(await startDeployment(database))
  await deployment.start()
  await deployment.service.addCheck({ name: 'web' })
  await deployment.service.clearRequests()
  const resources = started.move()
  let restore: (() => void) | undefined
  return {
    ...deployment,
    /** The process stays the same from start to end. */
    ended: deployment.countExited,
    lose() {
      restore = disk.preventWrites(folder, deployment.pids)
    },
    giveBack() {
      restore?.()
      restore = undefined
    },
    async readyz(): Promise<unknown> {
      const answer = await fetch(`${deployment.urls[0]}/readyz`)
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

describe.each(UNWRITABLE_DISKS)('a disk that rejects writes: $name', ({ disk, isSupported }) => {
  it.skipIf(!isSupported)('is reported, changes nothing, and recovers without a restart', async () => {
    await using deployment = await startStageOn(disk)
    const { member } = deployment.slack
    await expect.poll(deployment.readyz).toMatchObject(READY)
    await member.command('/hc', 'create', UNTIL_FORM)
    deployment.lose()
    await expect.poll(deployment.readyz).toMatchObject(NOT_READY)
    // Reads still work.
    expect((await member.command('/hc', 'list', { until: 'web' })).text).not.toContain('went wrong')
    const refused = await member.submit(createAnswers('typed'), { until: 'nothing was started' })
    expect(refused.outcome.ok).toBe(true)
    expect(await deployment.service.requests('POST')).toEqual([])
    deployment.giveBack()
    await expect.poll(deployment.readyz).toMatchObject(READY)
    await deployment.waitUntilSettled()
    expect(await deployment.service.requests('POST')).toEqual([])
    // The app may still be recording the refusal in the database. Until then, it refuses the act again.
    let done = await member.submit({}, ENDED)
    for (let again = 0; again < 3 && !done.text.includes('Created.'); again += 1)
      done = await member.submit({}, ENDED)
    expect(done.text).toContain('Created.')
    expect(done.text).toContain('typed')
    expect(await deployment.service.requests('POST')).toHaveLength(1)
    expect(deployment.ended()).toBe(0)
    expect(await deployment.store.audit.verify(WORKSPACE)).toMatchObject({ faults: [] })
  })

  it.skipIf(!isSupported)('doesn’t lose a response that the service sends in the meantime', async () => {
    await using deployment = await startStageOn(disk)
    const { member } = deployment.slack
    await member.command('/hc', 'create', UNTIL_FORM)
    await deployment.service.faults({ ...CREATED, kind: 'delay', ms: 400, times: 1 })
    await member.submit(createAnswers('held'), NO_WAIT)
    await expect.poll(() => deployment.service.requests('POST')).toHaveLength(1)
    deployment.lose()
    await expect.poll(deployment.readyz).toMatchObject(NOT_READY)
    await expect.poll(() => deployment.service.checksNamed('held')).toHaveLength(1)
    deployment.giveBack()
    await deployment.waitUntilSettled()
    const readTexts = async () => [...(await readAllTexts(deployment.slack)).values()].join('\n')
    await expect.poll(readTexts).toMatch(/Created\.|It’s done/)
    expect(await readTexts()).not.toContain('Nothing was changed')
    expect(await deployment.service.requests('POST')).toHaveLength(1)
    expect(deployment.ended()).toBe(0)
    const [last] = await deployment.store.audit.search({
      workspaceId: WORKSPACE,
      withIntents: true,
      limit: 1,
    })
    expect(last?.outcome).toBe('done')
  })
})
