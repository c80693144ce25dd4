import type { Fields, HostPanel } from '@signalman/playground'
import { startSandbox } from '@signalman/sandbox/src/index.ts'
import { describe, expect, it } from 'vitest'
import { createFaultPanel } from '../../src/demo/fault-panel.ts'

const ignoreFaults = async () => undefined

/** Lists the requests to the service from the panel's table, newest first, without the heading row. */
async function listRequests(panel: HostPanel): Promise<{ answer: string; request: string }[]> {
  const table = (await panel.blocks('U1', [])).find(({ type }) => type === 'table')
  // The type of a `table` block with raw text cells.
  const [, ...rows] = (table as { rows: Fields[][] } | undefined)?.rows ?? []
  return rows.map(([, answer, request]) => ({
    answer: String(answer?.text),
    request: String(request?.text).split('?')[0] ?? '',
  }))
}

describe('the demo’s fault panel', () => {
  it('takes a check down and back up, and shows the requests to the service', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const panel = createFaultPanel(sandbox, ignoreFaults)
    const press = async (id: string) => (await panel.press?.(id))?.statusText
    expect(await press('checks-restored')).toBe('You haven’t taken any check down.')
    const answer = await press('check-down')
    const [, name = ''] = /“(.+)” is down/.exec(answer ?? '') ?? []
    expect(name).not.toBe('')
    expect(await press('checks-restored')).toBe(`“${name}” is up again.`)
    expect(await press('storm')).toBe('8 health checks are down.')
    expect(await press('checks-restored')).toBe('8 health checks are up again.')
    const paths = (await listRequests(panel)).map(({ request }) => request)
    expect(paths).toEqual(Array.from({ length: 2 }, () => 'GET /healthcheck/v1/healthchecks'))
  })

  it('drops the response to exactly one order', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const panel = createFaultPanel(sandbox, ignoreFaults)
    await panel.press?.('lose-order')
    const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' }
    const order = () =>
      fetch(`${sandbox.productionUrl}/ssl/v2/orders`, { method: 'POST', headers, body: '{}' })
    expect((await fetch(`${sandbox.productionUrl}/healthcheck/v1/healthchecks`, { headers })).status).toBe(
      200,
    )
    await expect(order()).rejects.toThrow()
    expect((await order()).status).toBe(400)
    expect((await listRequests(panel)).map(({ answer }) => answer)).toEqual([
      '400',
      expect.stringContaining('drop-reply'),
      '200',
    ])
  })

  it('makes Slack fail for a while and then recover', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const faultCalls: unknown[] = []
    const panel = createFaultPanel(sandbox, async (...faults) => void faultCalls.push(faults))
    for (const id of ['slack-limit', 'slack-restored']) await panel.press?.(id)
    expect(faultCalls).toEqual([[expect.objectContaining({ method: '*', status: 429, times: 3 })], []])
    expect(await panel.press?.('unknown')).toEqual({ statusText: 'This fault doesn’t exist.' })
  })
})
