import { expect, it } from 'vitest'
import { startWorld } from '../../world.ts'
import { readTypedLine } from '../grammar/real-verbs.ts'

const ROUNDS = 4

/** The buttons of a message with a line of ours on them, in order. */
function findOffers(part: unknown): { text: string; line: string }[] {
  if (typeof part !== 'object' || part === null) return []
  const { type, value, text } = part as { type?: string; value?: string; text?: { text: string } }
  const isOffer = type === 'button' && text?.text.startsWith('/') === true
  return isOffer && value !== undefined
    ? [{ text: text?.text ?? '', line: value }]
    : Object.values(part).flatMap(findOffers)
}

const readWithoutEnvironment = async (line: string) =>
  (await readTypedLine(line.replace(/ --env \w+$/, ''))).reading

it.each([
  ['/hc watch shop', '*shop*'],
  ['/hc mute shop 30m', '*shop*'],
  ['/hc subscribe shop', '*shop*'],
  ['/hc silence shop 30m', '*shop*'],
  ['/hc maintenance shop from 22:00 for 2h', '*shop*'],
  ['/hc history shop 30d', '*shop*'],
  ['/hc unwatch shop', undefined],
  ['/hc unsubscribe shop', undefined],
  ['/hc page shop @on-call', undefined],
  ['/hc delete shop', undefined],
  ['/hc alerts shop', undefined],
])('what is offered never leads back to itself, for a part of many names: %s', async (line, pattern) => {
  await using world = await startWorld({
    checks: ['Shop one', 'Shop two', 'Shop three', 'Bank'].map((name) => ({ name })),
  })
  const { member } = world.slack
  await member.command('/hc', 'watch all', {
    until: ({ text }) => text.includes('now watches') && text.includes('Member started watching'),
  })
  const seen: (string | undefined)[] = [(await readTypedLine(line)).reading]
  let answer = await member.command('/hc', line.slice('/hc '.length))
  const offered: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const [offer, ...others] = findOffers(answer.message?.blocks)
    if (!offer) break
    // All of them come last, and never alone.
    if (round === 0 && pattern !== undefined) expect((others.at(-1) ?? offer).line).toContain(pattern)
    const reading = await readWithoutEnvironment(offer.line)
    expect(seen, offer.line).not.toContain(reading)
    seen.push(reading)
    offered.push(offer.line)
    answer = await member.click(answer.message, offer.text)
  }
})
