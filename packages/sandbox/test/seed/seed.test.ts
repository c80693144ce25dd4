import { describe, expect, it } from 'vitest'
import { type Client, useSandbox } from '../client.ts'

const { call: production, ote } = useSandbox({ seed: true })

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
})
