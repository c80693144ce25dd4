import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KEY_A, makeFolder } from '../databases/databases.ts'
import { NO_WAIT, submitAgain, UNTIL_FORM } from './act-kind.ts'
import { startDeployment, WORKSPACE } from './deployment.ts'
import { UNWRITABLE_DISKS, type UnwritableDisk } from './unwritable-disk.ts'
import { readAllTexts } from './verdicts.ts'

const CREATE_REQUEST = { method: 'POST', path: '/healthcheck/v1/healthchecks' }
const createAnswers = (name: string) => ({ Name: name, Target: 'www.example.com', 'Customer ID': '7' })

async function startDeploymentOn(disk: UnwritableDisk) {
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
    preventWrites() {
      restore = disk.preventWrites(folder, deployment.pids)
    },
    allowWrites() {
      restore?.()
      restore = undefined
    },
    async readyz(): Promise<unknown> {
      const response = await fetch(`${deployment.urls[0]}/readyz`)
      return { ...((await response.json()) as object), status: response.status }
    },
    async [Symbol.asyncDispose]() {
      // Otherwise the immutable folder couldn't be deleted.
      restore?.()
      await resources.disposeAsync()
    },
  }
}

const READY = { status: 200, database: 'ok' }
const NOT_READY = { status: 503, database: 'failing' }

describe.each(UNWRITABLE_DISKS)('a disk that rejects writes: $name', ({ disk, isSupported }) => {
  it.skipIf(!isSupported)(
    'is reported, changes nothing, recovers without a restart, and loses no response',
    async () => {
      await using deployment = await startDeploymentOn(disk)
      const { member } = deployment.slack
      await expect.poll(deployment.readyz).toMatchObject(READY)
      await member.command('/hc', 'create', UNTIL_FORM)
      deployment.preventWrites()
      await expect.poll(deployment.readyz).toMatchObject(NOT_READY)
      // Reads still work.
      expect((await member.command('/hc', 'list', { until: 'web' })).text).not.toContain('went wrong')
      const refused = await member.submit(createAnswers('typed'), { until: 'nothing was started' })
      expect(refused.outcome.ok).toBe(true)
      expect(await deployment.service.requests('POST')).toEqual([])
      deployment.allowWrites()
      await expect.poll(deployment.readyz).toMatchObject(READY)
      await deployment.waitUntilSettled()
      expect(await deployment.service.requests('POST')).toEqual([])
      const answer = await submitAgain(member)
      expect(answer.text).toContain('Created.')
      expect(answer.text).toContain('typed')
      expect(await deployment.service.requests('POST')).toHaveLength(1)
      expect(deployment.countExited()).toBe(0)

      // A response that the service sends while the disk rejects writes isn't lost.
      await member.close({ all: true })
      await deployment.service.clearRequests()
      const former = await readAllTexts(deployment.slack)
      await member.command('/hc', 'create', UNTIL_FORM)
      await deployment.service.faults({ ...CREATE_REQUEST, kind: 'delay', ms: 400, times: 1 })
      await member.submit(createAnswers('held'), NO_WAIT)
      await expect.poll(() => deployment.service.requests('POST')).toHaveLength(1)
      deployment.preventWrites()
      await expect.poll(deployment.readyz).toMatchObject(NOT_READY)
      await expect.poll(() => deployment.service.checksNamed('held')).toHaveLength(1)
      deployment.allowWrites()
      await deployment.waitUntilSettled()
      const readTexts = async () =>
        [...(await readAllTexts(deployment.slack))]
          .flatMap(([key, text]) => (former.get(key) === text ? [] : text))
          .join('\n')
      await expect.poll(readTexts).toMatch(/Created\.|It’s done/)
      expect(await readTexts()).not.toContain('Nothing was changed')
      expect(await deployment.service.requests('POST')).toHaveLength(1)
      expect(deployment.countExited()).toBe(0)
      const [last] = await deployment.store.audit.search({
        workspaceId: WORKSPACE,
        withIntents: true,
        limit: 1,
      })
      expect(last?.outcome).toBe('done')
    },
  )
})
