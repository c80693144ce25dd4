import type { Fields, HostPanel } from '@signalman/playground'
import { type Sandbox, startSandbox } from '@signalman/sandbox/src/index.ts'
import { describe, expect, it } from 'vitest'
import { createFaultPanel } from '../../src/demo/fault-panel.ts'
import { createCall, listChecks } from '../../src/demo/sandbox-calls.ts'
import { createTargets } from '../../src/demo/targets.ts'

function createPanel(sandbox: Sandbox, setSlackFaults = async (..._faults: unknown[]) => undefined) {
  const call = createCall(sandbox)
  const panel = createFaultPanel(call, createTargets(call), setSlackFaults)
  const press = async (id: string) => (await panel.press?.(id, { user: 'U1' }))?.statusText
  const countDown = async () => (await listChecks(call, 'status=UNHEALTHY&limit=500')).length
  return { panel, press, countDown }
}

/** Lists the requests to the service from the panel's table, newest first, without the heading row. */
async function listRequests(panel: HostPanel): Promise<{ answer: string; request: string }[]> {
  const table = (await panel.blocks('U1')).find(({ type }) => type === 'table')
  // The type of a `table` block with raw text cells.
  const [, ...rows] = (table as { rows: Fields[][] } | undefined)?.rows ?? []
  return rows.map(([, answer, request]) => ({
    answer: String(answer?.text),
    request: String(request?.text).split('?')[0] ?? '',
  }))
}

describe('the demo’s fault panel', () => {
  it('stops servers, so that checks go down until the servers start again', async () => {
    await using sandbox = await startSandbox()
    const { press, countDown } = createPanel(sandbox)
    const atStart = await countDown()
    // Meanwhile, one of the checks that keep going up and down may have changed.
    const expectDown = (more: number) => expect.poll(countDown).toBeGreaterThanOrEqual(atStart + more)
    expect(await press('checks-restored')).toBe('No server is stopped.')
    expect(await press('check-down')).toMatch(/^“.+” stopped\.$/)
    expect(await press('storm')).toBe('The servers of 8 health checks stopped.')
    await expectDown(9)
    expect(await press('checks-restored')).toBe('The servers of 9 health checks started again.')
    await expect.poll(countDown).toBeLessThan(atStart + 9)
    expect(await press('checks-restored')).toBe('No server is stopped.')
  })

  it('lists the requests to the service', async () => {
    await using sandbox = await startSandbox()
    const { panel, press } = createPanel(sandbox)
    for (let count = 0; count < 2; count += 1) await press('check-down')
    const paths = (await listRequests(panel)).map(({ request }) => request)
    expect(paths).toEqual(Array.from({ length: 2 }, () => 'GET /healthcheck/v1/healthchecks'))
  })

  it('drops the response to exactly one order', async () => {
    await using sandbox = await startSandbox({ checking: false })
    const { panel, press } = createPanel(sandbox)
    await press('lose-order')
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
    const { press } = createPanel(sandbox, async (...faults) => void faultCalls.push(faults))
    for (const id of ['slack-limit', 'slack-restored']) await press(id)
    expect(faultCalls).toEqual([[expect.objectContaining({ method: '*', status: 429, times: 3 })], []])
    expect(await press('unknown')).toBe('This fault doesn’t exist.')
  })
})
