import { describe, expect, it } from 'vitest'
import { startApp } from '../../../../src/app.ts'
import { createLog } from '../../../../src/log.ts'
import { SHARED_DATABASES } from '../../../databases/databases.ts'
import { eitherOf } from '../../../long.ts'
import { LONG_DEADLINES, UNLIMITED } from '../../../relaxed-limits.ts'
import { startWorld, WORKSPACE } from '../../../world.ts'

const ENDED = /^Changed \d+ (?:of \d+ )?health/
const SAVED = /Saved\.|so nothing was saved/

/** Lets two jobs and a window change one check at the same moment, in two processes. Returns what each of them says. */
async function changeAtOnce(
  { url, keys }: { url: string; keys: string },
  [first, second, typed]: readonly [line: string, line: string, typed: Record<string, string>],
) {
  await using stack = new AsyncDisposableStack()
  const environment = { DATABASE_URL: url, ENCRYPTION_KEYS: keys }
  const world = stack.use(await startWorld({ checks: [{ name: 'web' }], environment }))
  const other = stack.use(
    await startApp({
      config: world.config,
      log: createLog('silent'),
      workTimes: { progressIntervalMs: 0, maxInFlightMs: 500 },
      budgets: UNLIMITED,
      requestDeadlines: LONG_DEADLINES,
    }),
  )
  const { service, playground, slack } = world
  const { member, admin } = slack
  const [{ uuid = '' } = {}] = await service.checksNamed('web')
  const previews = [await member.command('/hc', first), await admin.command('/hc', second)] as const
  await member.command('/hc', 'edit web')
  await service.faults({ method: 'GET', path: `/healthcheck/v1/healthchecks/${uuid}`, kind: 'hold' })
  await service.clearRequests()
  await member.click(previews[0].message, 'Change 1', { until: 'Started.' })
  playground.setAppUrl(other.url)
  await admin.click(previews[1].message, 'Change 1', { until: 'Started.' })
  const saving = member.submit(typed, { until: SAVED })
  await expect.poll(() => service.requests('GET')).not.toEqual([])
  await service.faults()
  const window = (await saving).text
  const jobs = await Promise.all(
    [member, admin].map(async (person) => {
      await person.until('the result', ({ messages = {} }) =>
        Object.values(messages)
          .flat()
          .some(({ text }) => ENDED.test(text)),
      )
      return (await person.messages('dm')).find(({ text }) => ENDED.test(text))?.text ?? ''
    }),
  )
  const rows = await world.app.store.audit.search({ workspaceId: WORKSPACE, verb: '/hc edit', limit: 50 })
  const audited = rows.filter(
    ({ object, outcome }) => object?.startsWith(`health-check ${uuid}`) && outcome === 'done',
  )
  return { check: await service.check(uuid), texts: [...jobs, window], audited: audited.length }
}

describe.each(eitherOf(SHARED_DATABASES))(
  'two jobs and a window on one check at once, on $name',
  ({ start }) => {
    it('are all done if they change different settings', async () => {
      await using database = await start()
      const { check, texts, audited } = await changeAtOnce(database, [
        'edit web --frequency 30',
        'edit web --verify-ssl no',
        { Port: '8443' },
      ])
      expect(check).toMatchObject({ frequency: '30', port: '8443', verify_ssl: 'false' })
      expect(texts[0]).toMatch(/^Changed 1 health check\./)
      expect(texts[1]).toMatch(/^Changed 1 health check\./)
      expect(texts[2]).toContain('Saved.')
      expect(audited).toBe(3)
    })

    it('change the same setting once, and the others say what it is now', async () => {
      await using database = await start()
      const { check, texts, audited } = await changeAtOnce(database, [
        'edit web --frequency 30',
        'edit web --frequency 45',
        { 'Time between checks': '90' },
      ])
      // What the person reads after the window may begin with the result of a job.
      const isDone = texts.map((text, index) =>
        index === 2 ? /^Saved\.$/m.test(text) : text.startsWith('Changed 1 health check.'),
      )
      expect(isDone.filter(Boolean)).toHaveLength(1)
      expect(String(check.frequency)).toBe(['30', '45', '90'][isDone.indexOf(true)])
      for (const [index, text] of texts.entries())
        if (!isDone[index])
          expect(text).toContain(`Its frequency is now every ${check.frequency} s, not every 60 s.`)
      expect(audited).toBe(1)
    })
  },
)
