import { expect, it } from 'vitest'
import { UNTIL_FORM } from '../../../acts/act-kind.ts'
import { quickOrLong } from '../../../long.ts'
import { createRandom, readSeed } from '../../../random.ts'
import type { SandboxControl } from '../../../sandbox-control.ts'
import { startKillableApp } from '../killed-app.ts'

const ROWS = quickOrLong('IMPORT_ROWS', { quick: 60, long: 10_000 })
const KILLS = quickOrLong('IMPORT_KILLS', { quick: 1, long: 5 })
const SEED = readSeed()

/** Waits until the service has at least this many checks, and returns how many it has. */
async function waitForTotal(service: SandboxControl, count: number): Promise<number> {
  let total = 0
  const readTotal = async (): Promise<number> => {
    total = await service.countChecks()
    return total
  }
  await expect.poll(readTotal, { timeout: 120_000, interval: 5 }).toBeGreaterThanOrEqual(count)
  return total
}

it(`creates each of ${ROWS} rows once despite ${KILLS} kills (seed ${SEED})`, {
  timeout: 240_000 + ROWS * 60,
}, async () => {
  await using setup = await startKillableApp()
  const { service, slack } = setup
  const { admin } = slack
  const names = Array.from({ length: ROWS }, (_, index) => `row-${String(index).padStart(5, '0')}`)
  const rows = names.map((name) => `${name},HTTPS,shop.example.com,443,60,1`)
  const file = ['name,protocol,target,port,frequency,customer_id', ...rows].join('\n')
  let app = await setup.start()
  const { id } = await admin.upload('rows.csv', file, 'text/csv')
  await admin.command('/hc', 'import', UNTIL_FORM)
  const preview = await admin.submit({ 'CSV file': [id] }, { until: 'Nothing has changed yet.' })
  await admin.click(preview.view, `Create ${ROWS.toLocaleString('en')}`)
  let total = 0
  const random = createRandom(SEED)
  for (let kill = 0; kill < KILLS; kill += 1) {
    const range = (ROWS * 0.9 - total) / (KILLS - kill)
    total = await waitForTotal(service, total + 1 + random.below(range))
    app.child.kill('SIGKILL')
    await app[Symbol.asyncDispose]()
    app = await setup.start()
  }
  await using _last = app
  const waitMs = 120_000 + ROWS * 30
  const waitForMessages = async (expected: RegExp) => {
    await admin.until(
      String(expected),
      ({ messages }) =>
        Object.values(messages)
          .flat()
          .some(({ text }) => expected.test(text)),
      waitMs,
    )
    return (await admin.messages('dm')).filter(({ text }) => text.includes('rows.csv'))
  }
  const [end, ...others] = await waitForMessages(/^Imported rows\.csv/)
  expect(others).toEqual([])
  // A creation that may have been in flight when the app was killed is never resent automatically.
  const unclear = Number(/(\d+) unclear/.exec(end?.text ?? '')?.[1] ?? 0)
  expect(await service.countChecks()).toBe(ROWS - unclear)
  // The last message is sent shortly before the job has ended.
  const tryAgain = () => admin.click(end, 'Try again', { until: /Started\.|still running/ })
  if (unclear > 0)
    await expect.poll(async () => (await tryAgain()).text, { timeout: 30_000 }).toContain('Started.')
  await waitForMessages(new RegExp(`^Created ${ROWS.toLocaleString('en')} health checks\\.`, 'm'))
  expect(await service.countChecks()).toBe(ROWS)
  expect(new Set(await service.listAllNames())).toEqual(new Set(names))
})
