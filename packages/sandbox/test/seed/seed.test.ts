import { describe, expect, it } from 'vitest'
import { CHECKS, type Client, useSandbox } from '../client.ts'

interface Check {
  uuid: string
  name: string
  status: string
  protocol: string
  customer_id: number
}

const { call: production, ote, started } = useSandbox({ seed: true })

async function listChecks(call: Client, query = ''): Promise<Check[]> {
  // The tests of the list compare the fields of this response.
  return (await call('GET', `${CHECKS}?limit=500${query}`)).json<{ data: { results: Check[] } }>().data
    .results
}

describe('the example checks', () => {
  it('cover all protocols, all statuses, and several customers, with fewer checks in OTE', async () => {
    const checks = await listChecks(production)
    expect(checks.length).toBeGreaterThanOrEqual(48)
    for (const protocol of ['TCP', 'HTTP', 'HTTPS'])
      for (const status of ['INSTALLING', 'HEALTHY', 'UNHEALTHY'])
        expect(checks.filter((check) => check.protocol === protocol && check.status === status)).not.toEqual(
          [],
        )
    expect(new Set(checks.map(({ customer_id }) => customer_id)).size).toBeGreaterThan(3)
    const oteCount = (await listChecks(ote)).length
    expect(oteCount).toBeGreaterThan(5)
    expect(oteCount).toBeLessThan(checks.length / 2)
  })
})

describe('the example threat events', () => {
  it('have ten fixed IDs in production, three of which are also in OTE', async () => {
    const list = async (call: Client) =>
      (await call('GET', '/_sandbox/threat-events')).json<{ id: string }[]>()
    const id = (number: number) => `7e57ed00-0000-4000-8000-${String(number).padStart(12, '0')}`
    expect((await list(production)).map((event) => event.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(id))
    expect((await list(ote)).map((event) => event.id)).toEqual([1, 2, 7].map(id))
  })

  it.each([
    [7, (text: string) => /<!channel>.*<@U\w+>.*<http:\/\/evil\.example\|/s.test(text)],
    [8, (text: string) => /\u202e/.test(text) && text.includes('\\u001b') && text.includes('\\u0000')],
    [9, (text: string) => text.length > 300_000],
    [10, (text: string) => text.split('autonomous_system_info').length > 400],
  ])('include hostile event number %i', async (number, isHostile) => {
    const id = `7e57ed00-0000-4000-8000-${String(number).padStart(12, '0')}`
    const answer = await production('GET', `/cti/v2/events/${id}`)
    expect(answer.json()).toMatchObject({ id })
    expect(isHostile(answer.text)).toBe(true)
  })

  it('link to a screenshot and a page source hosted by the sandbox', async () => {
    const event = await production('GET', '/cti/v2/events/7e57ed00-0000-4000-8000-000000000002')
    // Another test compares these fields.
    const { website } = event.json<{ observed_data: { website: Record<string, string> } }>().observed_data
    const headers = { authorization: `Bearer ${started().token}` }
    const picture = await fetch(website.screenshot_resource_url ?? '', { headers })
    expect(picture.headers.get('content-type')).toBe('image/png')
    const bytes = Buffer.from(await picture.arrayBuffer())
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([640, 400])
    const source = await fetch(website.source_resource_url ?? '', { headers })
    expect(source.headers.get('content-type')).toContain('text/plain')
    expect(await source.text()).toContain('examp1e-bank.test')
  })
})
