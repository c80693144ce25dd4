import { describe, expect, it } from 'vitest'
import { isTakedownCheck, takedownCheckName } from '../../../../src/domain/takedown-checks.ts'
import {
  isUnchanged,
  looked,
  type TakedownNews,
  type TakedownSight,
  UNSEEN,
} from '../../../../src/features/threats/takedown-watch/rules.ts'
import { seeded, seedOf } from '../../../random.ts'

const CHECK = { uuid: 'c1', name: 'Takedown exa[.]mple [7e57ed00]' }
const START = Date.parse('2026-11-20T12:00:00Z')
const MINUTE_MS = 60_000
const timeOf = (look: number): Date => new Date(START + look * MINUTE_MS)

const SIGHTS: Readonly<Record<string, TakedownSight>> = {
  U: { kind: 'seen', status: 'UNHEALTHY' },
  H: { kind: 'seen', status: 'HEALTHY' },
  I: { kind: 'seen', status: 'INSTALLING' },
  '?': { kind: 'seen', status: '' },
  X: { kind: 'deleted' },
  F: { kind: 'failed', why: 'unreachable' },
  T: { kind: 'failed', why: 'unauthorized' },
}

/** A look a minute, each by its letter; what was told is named with the minute that it is about. */
function told(looks: string): string[] {
  let state = UNSEEN
  const all: TakedownNews[] = []
  for (const [index, letter] of [...looks].entries()) {
    const sight = SIGHTS[letter]
    if (!sight) throw new Error(letter)
    const next = looked(state, CHECK, sight, timeOf(index))
    // As it is kept between two looks.
    if (!isUnchanged(state, next.state)) state = revived(JSON.parse(JSON.stringify(next.state)))
    all.push(...next.news)
  }
  return all.map((news) => {
    const minute = (news.at.getTime() - START) / MINUTE_MS
    return `${news.kind} ${minute}${news.kind === 'back' ? ` after ${news.downMs / MINUTE_MS}` : ''}`
  })
}

const revived = (part: unknown): never =>
  JSON.parse(JSON.stringify(part), (_, value) =>
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T.*Z$/.test(value) ? new Date(value) : value,
  ) as never

describe('a watch until something is down', () => {
  it.each([
    { looks: 'IIHHHH', tells: [] },
    { looks: 'IHHUU', tells: ['down 3'] },
    { looks: 'IHHUHHUHUU', tells: ['down 8'] },
    { looks: 'IUU', tells: ['unreachable 1'] },
    { looks: 'IUUHH', tells: ['unreachable 1', 'up 3'] },
    { looks: 'UUUHUUHHUU', tells: ['unreachable 0', 'up 6', 'down 8'] },
    { looks: 'HUUUHUUU', tells: ['down 1'] },
    { looks: 'HUUHHUU', tells: ['down 1', 'back 3 after 2', 'down 5'] },
    { looks: 'HU?U', tells: ['down 1'] },
    { looks: 'HUFU', tells: ['down 1'] },
    { looks: 'HUUHIH', tells: ['down 1', 'back 3 after 2'] },
    { looks: 'HFFFFFFH', tells: ['blind 1', 'sees-again 7'] },
    { looks: 'HFFFFH', tells: [] },
    { looks: 'HTTH', tells: ['blind 1', 'sees-again 3'] },
    { looks: 'HTUU', tells: ['blind 1', 'sees-again 2', 'down 2'] },
    { looks: 'HFTFTH', tells: ['blind 1', 'sees-again 5'] },
    { looks: 'HX', tells: ['check-deleted 1'] },
    { looks: 'HTX', tells: ['blind 1', 'sees-again 2', 'check-deleted 2'] },
  ])('tells of $looks: $tells', ({ looks, tells }) => {
    expect(told(looks)).toEqual(tells)
  })

  it('tells what a plain reading of any history tells', () => {
    const seed = seedOf()
    const random = seeded(seed)
    for (let history = 0; history < 2000; history += 1) {
      const looks = Array.from({ length: random.below(40) }, () => random.oneOf([...'UUUHHHI?'])).join('')
      expect({ seed, looks, told: told(looks) }).toEqual({ seed, looks, told: plainly(looks) })
    }
  })
})

/** Two of a kind in a row, whatever stands between them that could not tell, is what it is: from the first of the two. */
function plainly(looks: string): string[] {
  const seen = [...looks]
    .map((letter, minute) => ({ letter, minute }))
    .filter(({ letter }) => /[UH]/.test(letter))
  const tells: string[] = []
  let since = 0
  let bad: { from: number; wasUp: boolean } | undefined
  for (const [index, { letter, minute }] of seen.entries()) {
    if (seen[index - 1]?.letter !== letter) since = minute
    else if (letter === 'U' && !bad) {
      bad = { from: since, wasUp: seen.slice(0, index).some((one) => one.letter === 'H') }
      tells.push(`${bad.wasUp ? 'down' : 'unreachable'} ${since}`)
    } else if (letter === 'H' && bad) {
      tells.push(bad.wasUp ? `back ${since} after ${since - bad.from}` : `up ${since}`)
      bad = undefined
    }
  }
  return tells
}

describe('the health check of a takedown', () => {
  const id = '7e57ed00-0000-4000-8000-00000000000a'
  it.each(['exa[.]mple', 'xn--e1afmkfd[.]xn--p1ai (пример[.]рф)', 'x'.repeat(500)])(
    'is known by its name: %s',
    (shown) => {
      const name = takedownCheckName(shown, id)
      expect(isTakedownCheck({ name })).toBe(true)
      expect(name.length).toBeLessThan(200)
    },
  )

  it.each(['Takedown', 'Takedown of x [7e57ed00]', 'My Takedown a [7e57ed00]', 'Takedown a 7e57ed00'])(
    'is none of another name: %s',
    (name) => {
      expect(isTakedownCheck({ name })).toBe(false)
    },
  )
})
