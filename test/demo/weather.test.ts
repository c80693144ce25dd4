import type { Fields, HostPanel } from '@signalman/playground'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { describe, expect, it } from 'vitest'
import { createWeather } from '../../src/demo/weather.ts'

const ignoreFaults = async () => undefined

/** The requests to the service in the panel, newest first, below a heading. */
async function listRequests(weather: HostPanel): Promise<{ answer: string; request: string }[]> {
  const table = (await weather.blocks('U1', [])).find(({ type }) => type === 'table')
  // The type of a `table` block with raw text cells.
  const [, ...rows] = (table as { rows: Fields[][] } | undefined)?.rows ?? []
  return rows.map(([, answer, request]) => ({
    answer: String(answer?.text),
    request: String(request?.text).split('?')[0] ?? '',
  }))
}

describe('the demo’s weather', () => {
  it('takes a check down and up again, and shows the requests to the service', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const weather = createWeather(sandbox, ignoreFaults)
    const play = async (id: string) => (await weather.press?.(id))?.text
    expect(await play('revive-check')).toBe('No check was taken down here.')
    const killed = await play('kill-check')
    const [, name = ''] = /“(.+)” is down/.exec(killed ?? '') ?? []
    expect(name).not.toBe('')
    expect(await play('revive-check')).toBe(`“${name}” is up again.`)
    expect(await play('storm')).toBe('8 health checks are down.')
    expect(await play('revive-check')).toBe('8 health checks are up again.')
    const paths = (await listRequests(weather)).map(({ request }) => request)
    expect(paths).toEqual(Array.from({ length: 2 }, () => 'GET /healthcheck/v1/healthchecks'))
  })

  it('loses the response to exactly one order', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const weather = createWeather(sandbox, ignoreFaults)
    await weather.press?.('lose-order')
    const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' }
    const order = () =>
      fetch(`${sandbox.productionUrl}/ssl/v2/orders`, { method: 'POST', headers, body: '{}' })
    expect((await fetch(`${sandbox.productionUrl}/healthcheck/v1/healthchecks`, { headers })).status).toBe(
      200,
    )
    await expect(order()).rejects.toThrow()
    expect((await order()).status).toBe(400)
    expect((await listRequests(weather)).map(({ answer }) => answer)).toEqual([
      '400',
      expect.stringContaining('drop-reply'),
      '200',
    ])
  })

  it('makes Slack fail for a while, and recover', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const faultCalls: unknown[] = []
    const weather = createWeather(sandbox, async (...faults) => void faultCalls.push(faults))
    for (const id of ['slack-limit', 'slack-calm']) await weather.press?.(id)
    expect(faultCalls).toEqual([[expect.objectContaining({ method: '*', status: 429, times: 3 })], []])
    expect(await weather.press?.('hail')).toEqual({ text: 'This fault doesn’t exist.' })
  })
})
